(* Coercions of shapes in normal form, and of functions over them.

   A coercion is an ordered list of checks, at most one for each axis, and at most one failure at its end.  Composing two
   gives one that blames the same label as running one after the other ([comp_correct]), keeps the form ([comp_wf]), and
   is bounded by the type ([wf_bound]): a value that goes through a cast again and again carries one coercion. *)
From Coq Require Import ZArith List Lia Bool Arith FunctionalExtensionality.
From Gradual Require Import Shapes.
Import ListNotations.
Open Scope Z_scope.
Inductive res (A:Type) := OK (a:A) | Blame (l:nat).
Arguments OK {A}. Arguments Blame {A}.
Definition bind {A B} (x:res A) (f:A -> res B) := match x with OK a => f a | Blame l => Blame l end.
(* axis, the size that is demanded of it, the label that it blames *)
Definition chk := (nat * Z * nat)%type.
(* a coercion of tensors in normal form: at most one check for each axis, in their order, then perhaps a failure *)
Record tco := { cs : list chk; fl : option nat }.
Fixpoint demanded (i:nat) (c:list chk) : option Z := match c with [] => None | (j,k,_)::c => if Nat.eqb i j then Some k else demanded i c end.
Fixpoint test (c:list chk) (s:shape) : res shape := match c with [] => OK s
  | (i,k,l)::c => if nth i s 0 =? k then test c s else Blame l end.
Definition tapply (c:tco) (s:shape) : res shape := bind (test (cs c) s) (fun s => match fl c with None => OK s | Some l => Blame l end).
(* the checks of c2 after those of c1, up to the first that c1 contradicts *)
Fixpoint addc (c1 c2:list chk) : list chk * option nat := match c2 with [] => (c1,None)
  | (i,k,l)::c2 => match demanded i c1 with
      | None => addc (c1 ++ [(i,k,l)]) c2
      | Some k' => if k =? k' then addc c1 c2 else (c1,Some l) end end.
Definition tcomp (c1 c2:tco) : tco := match fl c1 with Some _ => c1
  | None => let '(c,f) := addc (cs c1) (cs c2) in match f with Some l => {| cs := c; fl := Some l |} | None => {| cs := c; fl := fl c2 |} end end.
Lemma test_id c s s' : test c s = OK s' -> s' = s.
Proof. revert s'; induction c as [|[[i k] l] c IH]; cbn; intros s' H; [congruence|]. destruct (nth i s 0 =? k); [auto|discriminate]. Qed.
Lemma test_app c d s : test (c ++ d) s = bind (test c s) (test d).
Proof. induction c as [|[[i k] l] c IH]; cbn; auto. destruct (nth i s 0 =? k); auto. Qed.
Lemma test_demanded c s i k : test c s = OK s -> demanded i c = Some k -> nth i s 0 = k.
Proof. induction c as [|[[j k'] l] c IH]; cbn; intros T L; [discriminate|]. destruct (nth j s 0 =? k') eqn:E; [|discriminate].
  destruct (Nat.eqb_spec i j); [|auto]. inversion L; subst. apply Z.eqb_eq in E; auto. Qed.
Lemma addc_ok c2 : forall c1 c f s, addc c1 c2 = (c,f) ->
  bind (test c s) (fun s => match f with None => OK s | Some l => Blame l end) = bind (test c1 s) (test c2).
Proof. induction c2 as [|[[i k] l] c2 IH]; cbn; intros c1 c f s H.
  - inversion H; subst. destruct (test c s) eqn:T; cbn; auto.
  - destruct (demanded i c1) as [k'|] eqn:L.
    + destruct (test c1 s) as [s'|l'] eqn:T.
      * pose proof (test_id _ _ _ T); subst s'. pose proof (test_demanded _ _ _ _ T L) as N. cbn. rewrite N.
        destruct (Z.eqb_spec k k') as [->|NE].
        -- rewrite Z.eqb_refl. rewrite (IH _ _ _ s H), T. auto.
        -- inversion H; subst. rewrite T. cbn. destruct (Z.eqb_spec (nth i s 0) k); [congruence|auto].
      * destruct (k =? k'); [rewrite (IH _ _ _ s H), T; auto|inversion H; subst; rewrite T; auto].
    + rewrite (IH _ _ _ s H), test_app. destruct (test c1 s) as [s'|l'] eqn:T; cbn; auto.
      pose proof (test_id _ _ _ T); subst. destruct (nth i s 0 =? k); auto. Qed.
Theorem tcomp_correct c1 c2 s : tapply (tcomp c1 c2) s = bind (tapply c1 s) (tapply c2).
Proof. unfold tcomp, tapply. destruct (fl c1) as [l|] eqn:F.
  - rewrite F. destruct (test (cs c1) s); auto.
  - destruct (addc (cs c1) (cs c2)) as [c f] eqn:A. pose proof (addc_ok _ _ _ _ s A) as X.
    destruct f as [l|]; cbn [cs fl]; (destruct (test (cs c1) s) as [s1|] eqn:T1; [pose proof (test_id _ _ _ T1); subst|]); cbn in X |- *.
    + rewrite X. destruct (test (cs c2) s) as [s2|] eqn:T2; cbn; auto. destruct (test c s) as [s3|] eqn:T3; cbn in X; congruence.
    + destruct (test c s); cbn in *; congruence.
    + destruct (test c s) as [s3|] eqn:T3; cbn in X; rewrite <- X; cbn; auto.
    + destruct (test c s); cbn in *; congruence. Qed.
(* ---------- size: no larger than the type, however often coercions are composed *)
Definition idx (c:list chk) := map (fun x => fst (fst x)) c.
Definition wf (r:nat) (c:tco) := NoDup (idx (cs c)) /\ (forall i, In i (idx (cs c)) -> (i < r)%nat).
Lemma demanded_None i c : demanded i c = None -> ~ In i (idx c).
Proof. induction c as [|[[j k] l] c IH]; cbn; intros H I; auto. destruct (Nat.eqb_spec i j); [discriminate|]. destruct I; [congruence|tauto]. Qed.
Lemma NoDup_snoc (i:nat) m : NoDup m -> ~ In i m -> NoDup (m ++ [i]).
Proof. induction m as [|a m IH]; cbn; intros N L; [repeat constructor; auto|]. inversion N; subst.
  constructor; [|apply IH; auto]. intro I. apply in_app_or in I as [I|[I|[]]]; [contradiction|]. apply L; left; auto. Qed.
Lemma addc_wf r c2 : forall c1 c f, addc c1 c2 = (c,f) -> NoDup (idx c1) -> (forall i, In i (idx c1) -> (i<r)%nat) -> (forall i, In i (idx c2) -> (i<r)%nat) ->
  NoDup (idx c) /\ (forall i, In i (idx c) -> (i<r)%nat).
Proof. induction c2 as [|[[i k] l] c2 IH]; cbn; intros c1 c f H N B1 B2; [inversion H; subst; auto|].
  destruct (demanded i c1) as [k'|] eqn:L; [destruct (k =? k'); [eauto|inversion H; subst; auto]|].
  apply (IH _ _ _ H); auto; unfold idx; rewrite map_app; cbn.
  - apply demanded_None in L. apply NoDup_snoc; auto.
  - intros j I. apply in_app_or in I as [I|[<-|[]]]; auto. Qed.
Theorem tcomp_wf r c1 c2 : wf r c1 -> wf r c2 -> wf r (tcomp c1 c2).
Proof. unfold wf, tcomp. intros [N1 B1] [N2 B2]. destruct (fl c1); auto. destruct (addc (cs c1) (cs c2)) as [c f] eqn:A.
  destruct (addc_wf r _ _ _ _ A N1 B1 B2). destruct f; cbn; auto. Qed.
Theorem wf_size r c : wf r c -> (length (cs c) <= r)%nat.
Proof. intros [N B]. rewrite <- (map_length (fun x : chk => fst (fst x))), <- (seq_length r 0). apply NoDup_incl_length; auto.
  intros i I. apply in_seq. specialize (B i I). lia. Qed.
(* ---------- composition is associative, as lists and labels and not only as functions, and idempotent *)
Definition includes (b x:list chk) := forall i k, demanded i b = Some k -> demanded i x = Some k.
Lemma demanded_app i a b : demanded i (a ++ b) = match demanded i a with Some k => Some k | None => demanded i b end.
Proof. induction a as [|[[j k] l] a IH]; cbn; auto. destruct (Nat.eqb i j); auto. Qed.
Lemma includes_app a b : includes a (a ++ b).
Proof. intros i k H. rewrite demanded_app, H. auto. Qed.
Lemma includes_grow b x i k l : includes b x -> demanded i x = Some k -> includes (b ++ [(i,k,l)]) x.
Proof. intros I D j z. rewrite demanded_app. destruct (demanded j b) eqn:E; [intros H; rewrite <- H; auto|].
  cbn. destruct (Nat.eqb_spec j i); intros H; [subst; congruence|discriminate]. Qed.
Lemma includes_both b x i k l : includes b x -> demanded i b = None -> demanded i x = None -> includes (b ++ [(i,k,l)]) (x ++ [(i,k,l)]).
Proof. intros I B X j z. rewrite !demanded_app. destruct (demanded j b) eqn:E.
  - intros H; inversion H; subst. rewrite (I _ _ E); auto.
  - cbn. destruct (Nat.eqb_spec j i); [subst; rewrite X; auto|discriminate]. Qed.
Lemma addc_includes b : forall a x, addc a b = (x, None) -> includes a x /\ includes b x.
Proof. induction b as [|[[i k] l] b IH]; cbn; intros a x H.
  - inversion H; subst. split; intros j z E; [auto|discriminate].
  - destruct (demanded i a) as [k'|] eqn:D.
    + destruct (Z.eqb_spec k k') as [->|]; [|discriminate]. destruct (IH _ _ H) as [A B]. split; auto. intros j z. cbn.
      destruct (Nat.eqb_spec j i); [intros E; inversion E; subst; auto|apply B].
    + destruct (IH _ _ H) as [A B]. assert (A': includes a x) by (intros j z E; apply A, includes_app; auto). split; auto. intros j z. cbn.
      destruct (Nat.eqb_spec j i); [|apply B]. intros E; inversion E; subst. apply A. rewrite demanded_app, D. cbn. rewrite Nat.eqb_refl; auto. Qed.
Lemma addc_app b : forall a e, addc a (b ++ e) = match addc a b with (x, None) => addc x e | (x, Some l) => (x, Some l) end.
Proof. induction b as [|[[i k] l] b IH]; cbn; intros a e; auto. destruct (demanded i a) as [k'|]; auto. destruct (k =? k'); auto. Qed.
Lemma addc_assoc c : forall b x, includes b x -> exists e g, addc b c = (b ++ e, g) /\
  addc x c = (let (z,h) := addc x e in (z, match h with Some l => Some l | None => g end)).
Proof. induction c as [|[[i k] l] c IH]; cbn [addc]; intros b x I; [exists [], None; rewrite app_nil_r; auto|].
  destruct (demanded i b) as [k'|] eqn:B.
  - rewrite (I _ _ B). destruct (k =? k'); auto. exists [], (Some l). rewrite app_nil_r; auto.
  - destruct (demanded i x) as [k'|] eqn:X.
    + destruct (Z.eqb_spec k k') as [<-|N].
      * destruct (IH _ _ (includes_grow _ _ _ _ l I X)) as (e & g & E1 & E2). exists ((i,k,l)::e), g. rewrite E1, <- app_assoc. split; auto.
        cbn [addc]. rewrite X, Z.eqb_refl. auto.
      * destruct (IH (b ++ [(i,k,l)]) (b ++ [(i,k,l)])) as (e & g & E1 & _); [intros j z; auto|]. exists ((i,k,l)::e), g.
        rewrite E1, <- app_assoc. split; auto. cbn [addc]. rewrite X. destruct (Z.eqb_spec k k'); [contradiction|auto].
    + destruct (IH _ _ (includes_both _ _ _ k l I B X)) as (e & g & E1 & E2). exists ((i,k,l)::e), g. rewrite E1, <- app_assoc. split; auto.
      cbn [addc]. rewrite X. auto. Qed.
Theorem tcomp_assoc a b c : tcomp (tcomp a b) c = tcomp a (tcomp b c).
Proof. unfold tcomp. destruct (fl a) as [l|] eqn:FA; [rewrite FA; auto|]. destruct (addc (cs a) (cs b)) as [x [l|]] eqn:AB; cbn [cs fl].
  - destruct (fl b) as [m|] eqn:FB; [rewrite AB; auto|]. destruct (addc_assoc (cs c) (cs b) (cs b)) as (e & g & E1 & _); [intros j z; auto|].
    rewrite E1. destruct g; cbn [cs fl]; rewrite addc_app, AB; auto.
  - destruct (fl b) as [m|] eqn:FB; [cbn [cs fl]; rewrite AB, FB; auto|].
    destruct (addc_assoc (cs c) (cs b) x) as (e & g & E1 & E2); [eapply addc_includes; eauto|]. rewrite E1, E2.
    destruct g; cbn [cs fl]; rewrite addc_app, AB; destruct (addc x e) as [z [h|]]; auto. Qed.
Lemma demanded_In c i k l : NoDup (idx c) -> In (i,k,l) c -> demanded i c = Some k.
Proof. induction c as [|[[j z] m] c IH]; cbn; intros N I; [destruct I|]. inversion N; subst. destruct I as [E|I].
  - inversion E; subst. rewrite Nat.eqb_refl; auto.
  - destruct (Nat.eqb_spec i j) as [->|]; auto. destruct H1. apply (in_map (fun x : chk => fst (fst x))) in I. auto. Qed.
Theorem tcomp_idem r c : wf r c -> tcomp c c = c.
Proof. intros [N _]. unfold tcomp. destruct c as [cs0 [l|]]; cbn in *; auto.
  assert (X: forall d, (forall i k l, In (i,k,l) d -> In (i,k,l) cs0) -> addc cs0 d = (cs0, None)).
  { induction d as [|[[i k] l] d IH]; cbn; intros S; auto. rewrite (demanded_In cs0 i k l), Z.eqb_refl; auto. }
  rewrite X; auto. Qed.
(* ---------- functions: a coercion of the arguments and one of the result *)
Inductive ty := Tn (r:nat) | Fn (a b:ty).
Fixpoint den (t:ty) : Type := match t with Tn _ => shape | Fn a b => den a -> res (den b) end.
Inductive co : ty -> Type := CT r (c:tco) : co (Tn r) | CF a b (c:co a) (d:co b) : co (Fn a b).
Fixpoint apply {t} (c:co t) : den t -> res (den t) := match c with
  | CT _ c => tapply c | CF _ _ c d => fun f => OK (fun x => bind (bind (apply c x) f) (apply d)) end.
Definition invT {r} (c:co (Tn r)) : tco := match c in co t return match t with Tn _ => tco | _ => unit end with CT _ c => c | CF _ _ _ _ => tt end.
Definition invF {a b} (c:co (Fn a b)) : co a * co b := match c in co t return match t with Fn a b => (co a * co b)%type | _ => unit end with CT _ _ => tt | CF _ _ c d => (c,d) end.
Fixpoint comp (t:ty) : co t -> co t -> co t := match t with
  | Tn r => fun c d => CT r (tcomp (invT c) (invT d))
  | Fn a b => fun c d => CF a b (comp a (fst (invF d)) (fst (invF c))) (comp b (snd (invF c)) (snd (invF d))) end.
Lemma etaT r (c:co (Tn r)) : c = CT r (invT c).
Proof. exact (match c as c' in co t return match t return co t -> Prop with Tn r => fun c => c = CT r (invT c) | _ => fun _ => True end c' with CT _ _ => eq_refl | CF _ _ _ _ => I end). Qed.
Lemma etaF a b (c:co (Fn a b)) : c = CF a b (fst (invF c)) (snd (invF c)).
Proof. exact (match c as c' in co t return match t return co t -> Prop with Fn a b => fun c => c = CF a b (fst (invF c)) (snd (invF c)) | _ => fun _ => True end c' with CT _ _ => I | CF _ _ _ _ => eq_refl end). Qed.
Theorem comp_correct t : forall (c d:co t) v, apply (comp t c d) v = bind (apply c v) (apply d).
Proof. induction t as [r|a IHa b IHb]; intros c d v.
  - rewrite (etaT _ c), (etaT _ d). cbn. apply tcomp_correct.
  - rewrite (etaF _ _ c), (etaF _ _ d). cbn. f_equal. apply functional_extensionality. intro x. rewrite IHa.
    destruct (apply (fst (invF d)) x) as [y|]; cbn; auto. destruct (apply (fst (invF c)) y) as [z|]; cbn; auto.
    destruct (v z) as [u|]; cbn; auto. Qed.
Fixpoint wfc {t} (c:co t) : Prop := match c with CT r c => wf r c | CF _ _ c d => wfc c /\ wfc d end.
Fixpoint size {t} (c:co t) : nat := match c with CT _ c => S (length (cs c)) | CF _ _ c d => S (size c + size d) end.
Fixpoint bound (t:ty) : nat := match t with Tn r => S r | Fn a b => S (bound a + bound b) end.
Theorem comp_wf t : forall c d:co t, wfc c -> wfc d -> wfc (comp t c d).
Proof. induction t as [r|a IHa b IHb]; intros c d; [rewrite (etaT _ c), (etaT _ d)|rewrite (etaF _ _ c), (etaF _ _ d)]; cbn.
  - apply tcomp_wf. - intros [A B] [C D]. split; auto. Qed.
Theorem wf_bound t (c:co t) : wfc c -> (size c <= bound t)%nat.
Proof. induction c; cbn; intros W; [apply wf_size in W; lia|]. destruct W as [A B]. specialize (IHc1 A). specialize (IHc2 B). lia. Qed.
Theorem comp_assoc t : forall c d e:co t, comp t (comp t c d) e = comp t c (comp t d e).
Proof. induction t as [r|a IHa b IHb]; intros c d e; cbn; f_equal; auto. apply tcomp_assoc. Qed.
Theorem comp_idem t : forall c:co t, wfc c -> comp t c c = c.
Proof. induction t as [r|a IHa b IHb]; intros c.
  - rewrite (etaT _ c). cbn. intros W. f_equal. eapply tcomp_idem; eauto.
  - rewrite (etaF _ _ c). cbn. intros [A B]. f_equal; auto. Qed.
