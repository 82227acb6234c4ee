(* The operators of the verified checker: one judgement each, read on terms by the checker and on numbers by a run.

   A judgement is written over an algebra of sizes and conditions.  On [numbers] it is the shape function: what a run
   requires, and the shape that it gives.  On [terms] it gives obligations and symbolic sizes.  [square] says that the two
   agree at every valuation, and [sized] that a run whose requirements are met gives no negative size [type.operator]. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Dims.
Import ListNotations.
Open Scope Z_scope.

Record algebra := Algebra { size : Type; cond : Type; num : Z -> size; bin : binop -> size -> size -> size;
  cmp : cmpop -> size -> size -> cond; con : bool -> cond -> cond -> cond; ite : cond -> size -> size -> size }.
Definition terms : algebra := Algebra dim form K Bin Cmp Con Ite.
Definition numbers : algebra := Algebra Z bool (fun k => k) apply compare connect (fun c x y => if c then x else y).

(* operators with their attributes; element types are codes, of which the reader knows the names *)
Inductive oper (A:Type) :=
  | Keep (ts:list nat)                         (* elementwise, of one operand *)
  | Zip (ts:list nat) (out:option nat)         (* elementwise with broadcasting, of two operands *)
  | Dense (ts:list nat) (units:option A)
  | Batch (ts:list nat) (ta tb:bool)           (* the product of two batches of matrices *)
  | Bias (axis:Z)
  | Transpose (axes:option (list Z))
  | Reshape (ds:list A)
  | Rest (before after:list Z)                 (* a reshape to numbers with one -1 between them *)
  | Concat (axis:Z)
  | Create (ds:list A) (t:nat)
  | Reduce (ts:list nat) (axes:option (list Z)) (keep:bool)
  | Softmax (ts:list nat) (axis:Z)
  | Expand (axis:Z) (count:nat).
Arguments Keep {A}. Arguments Zip {A}. Arguments Dense {A}. Arguments Batch {A}. Arguments Bias {A}. Arguments Transpose {A}.
Arguments Reshape {A}. Arguments Rest {A}. Arguments Concat {A}. Arguments Create {A}. Arguments Reduce {A}. Arguments Softmax {A}.
Arguments Expand {A}.
Definition omap {A C} (f:A -> C) (o:oper A) : oper C := match o with
  | Keep ts => Keep ts | Zip ts out => Zip ts out | Dense ts u => Dense ts (option_map f u) | Batch ts ta tb => Batch ts ta tb
  | Bias k => Bias k | Transpose ks => Transpose ks | Reshape ds => Reshape (map f ds) | Rest b a => Rest b a | Concat k => Concat k
  | Create ds t => Create (map f ds) t | Reduce ts ks keep => Reduce ts ks keep | Softmax ts k => Softmax ts k
  | Expand k n => Expand k n end.

Definition place (r:nat) (axis:Z) : option nat :=
  if (- Z.of_nat r <=? axis) && (axis <? Z.of_nat r) then Some (Z.to_nat (axis mod Z.of_nat r)) else None.
Fixpoint places (r:nat) (axes:list Z) : option (list nat) := match axes with
  | [] => Some []
  | k :: axes => match place r k, places r axes with Some i, Some is => if existsb (Nat.eqb i) is then None else Some (i :: is) | _, _ => None end end.
Definition mem (t:nat) (ts:list nat) : bool := existsb (Nat.eqb t) ts.

Section Judge.
Variable L : algebra.
Notation S := (size L).
Notation C := (cond L).
Definition equal (a b:S) : C := cmp L Equal a b.
Definition one : S := num L 1.
Fixpoint broadcast (s t:list S) : list C * list S := match s, t with
  | [], _ => ([], t)
  | _, [] => ([], s)
  | d :: s, e :: t => let (gs, r) := broadcast s t in
      (con L false (equal d e) (con L false (equal d one) (equal e one)) :: gs, ite L (equal d one) e d :: r) end.
Definition total (s:list S) : S := fold_right (bin L Mul) one s.
Fixpoint reduced (axes:list nat) (keep:bool) (i:nat) (s:list S) : list S := match s with
  | [] => []
  | d :: s => let r := reduced axes keep (Datatypes.S i) s in if mem i axes then (if keep then one :: r else r) else d :: r end.
Fixpoint same_shape (s t:list S) : option (list C) := match s, t with
  | [], [] => Some []
  | d :: s, e :: t => match same_shape s t with Some gs => Some (equal d e :: gs) | None => None end
  | _, _ => None end.
Fixpoint join (p:nat) (s t:list S) : option (list C * list S) := match s, t with
  | [], [] => Some ([], [])
  | d :: s, e :: t => match p with
      | O => match same_shape s t with Some gs => Some (gs, bin L Add d e :: s) | None => None end
      | Datatypes.S p => match join p s t with Some (gs, r) => Some (equal d e :: gs, d :: r) | None => None end end
  | _, _ => None end.
Fixpoint joined (p:nat) (t:nat) (s:list S) (ins:list (list S * nat)) : option (list C * list S) := match ins with
  | [] => Some ([], s)
  | (s', t') :: ins => if Nat.eqb t t' then match join p s s' with
      | Some (gs, r) => match joined p t r ins with Some (hs, r') => Some (gs ++ hs, r') | None => None end
      | None => None end else None end.
Definition natural (d:S) : C := cmp L AtMost (num L 0) d.
Definition judgement := (list C * (list S * nat))%type.
Definition judge (o:oper S) (ins:list (list S * nat)) : option judgement := match o, ins with
  | Keep ts, [(s, t)] => if mem t ts then Some ([], (s, t)) else None
  | Softmax ts k, [(s, t)] => if mem t ts then match place (length s) k with Some _ => Some ([], (s, t)) | None => None end else None
  | Zip ts out, [(s, t); (s', t')] => if Nat.eqb t t' && mem t ts
      then let (gs, r) := broadcast (rev s) (rev s') in Some (rev gs, (rev r, match out with Some u => u | None => t end)) else None
  | Dense ts units, [(s, t); ([m; k], t')] => if Nat.eqb t t' && mem t ts then match rev s with
      | d :: r => Some (equal d k :: match units with Some u => [equal u m] | None => [] end, (rev (m :: r), t))
      | [] => None end else None
  | Batch ts ta tb, [([b; i; j], t); ([c; k; l], t')] => if Nat.eqb t t' && mem t ts then
      let (gs, r) := broadcast [b] [c] in
      Some (equal (if ta then i else j) (if tb then l else k) :: gs, (r ++ [if ta then j else i; if tb then k else l], t)) else None
  | Bias k, [(s, t); ([m], t')] => if Nat.eqb t t' then match place (length s) k with
      | Some i => Some ([equal (nth i s one) m], (s, t)) | None => None end else None
  | Transpose None, [(s, t)] => Some ([], (rev s, t))
  | Transpose (Some ks), [(s, t)] => match places (length s) ks with
      | Some is => if Nat.eqb (length is) (length s) then Some ([], (map (fun i => nth i s one) is, t)) else None
      | None => None end
  | Reshape ds, [(s, t)] => Some (map natural ds ++ [equal (total s) (total ds)], (ds, t))
  | Rest before after, [(s, t)] => let k := fold_right Z.mul 1 (before ++ after) in
      if forallb (fun z => 1 <=? z) (before ++ after) && (1 <=? k)
      then Some ([equal (bin L Mod (total s) (num L k)) (num L 0)],
        (map (num L) before ++ bin L Div (total s) (num L k) :: map (num L) after, t)) else None
  | Concat k, (s, t) :: ins => match place (length s) k with
      | Some p => match joined p t s ins with Some (gs, r) => Some (gs, (r, t)) | None => None end
      | None => None end
  | Create ds t, [] => Some (map natural ds, (ds, t))
  | Reduce ts axes keep, [(s, t)] => if mem t ts then match axes with
      | None => Some ([], (reduced (seq 0 (length s)) keep 0 s, t))
      | Some ks => match places (length s) ks with Some is => Some ([], (reduced is keep 0 s, t)) | None => None end end else None
  | Expand k n, [(s, t)] => match place (Datatypes.S (length s)) k with
      | Some p => Some ([], (firstn p s ++ repeat one n ++ skipn p s, t)) | None => None end
  | _, _ => None end.
End Judge.

(* ---------- the two readings agree *)
Section Square.
Variable r : env.
Notation h := (eval r).
Notation c := (truth r).
Definition tmap (x:list dim * nat) : list Z * nat := (map h (fst x), snd x).
Definition read (j:judgement terms) : judgement numbers := (map c (fst j), tmap (snd j)).
Lemma square_broadcast s : forall t, broadcast numbers (map h s) (map h t) = (map c (fst (broadcast terms s t)), map h (snd (broadcast terms s t))).
Proof. induction s as [|d s IH]; intros [|e t]; auto. cbn [map broadcast]. rewrite IH. destruct (broadcast terms s t). auto. Qed.
Lemma square_total s : total numbers (map h s) = h (total terms s).
Proof. induction s as [|d s IH]; auto. cbn [map]. change (total numbers (h d :: map h s)) with (h d * total numbers (map h s)). rewrite IH. auto. Qed.
Lemma square_reduced axes keep s : forall i, reduced numbers axes keep i (map h s) = map h (reduced terms axes keep i s).
Proof. induction s as [|d s IH]; intros i; auto. cbn [map reduced]. rewrite IH. destruct (mem i axes), keep; auto. Qed.
Lemma square_same s : forall t, same_shape numbers (map h s) (map h t) = option_map (map c) (same_shape terms s t).
Proof. induction s as [|d s IH]; intros [|e t]; auto. cbn [map same_shape]. rewrite IH. destruct (same_shape terms s t); auto. Qed.
Definition both (x:list form * list dim) : list bool * list Z := (map c (fst x), map h (snd x)).
Lemma square_join p : forall s t, join numbers p (map h s) (map h t) = option_map both (join terms p s t).
Proof. induction p as [|p IH]; intros [|d s] [|e t]; auto; cbn [map join].
  - rewrite square_same. destruct (same_shape terms s t); auto.
  - rewrite IH. destruct (join terms p s t) as [[]|]; auto. Qed.
Lemma square_joined p t ins : forall s, joined numbers p t (map h s) (map tmap ins) = option_map both (joined terms p t s ins).
Proof. induction ins as [|[s' t'] ins IH]; intros s; auto. cbn [map joined tmap fst snd]. destruct (Nat.eqb t t'); auto.
  rewrite square_join. destruct (join terms p s s') as [[gs q]|]; auto. cbn [option_map both fst snd].
  rewrite IH. destruct (joined terms p t q ins) as [[hs q']|]; auto. cbn [option_map both fst snd]. unfold both. cbn. rewrite map_app. auto. Qed.
Lemma map_nums ks : map h (map (num terms) ks) = map (num numbers) ks.
Proof. rewrite map_map. auto. Qed.
Lemma map_repeat x n : map h (repeat x n) = repeat (h x) n.
Proof. induction n as [|n IH]; cbn; congruence. Qed.
(* the carriers of the algebras, spelled out, so that the two readings match *)
Ltac plain := try change (size terms) with dim; try change (size numbers) with Z.
Ltac two ins := destruct ins as [|[?s ?t] [|[?s ?t] [|]]]; try reflexivity.
Ltac shape2 s := destruct s as [|?d [|?d [|]]]; try reflexivity.
Theorem square o ins : judge numbers (omap h o) (map tmap ins) = option_map read (judge terms o ins).
Proof. destruct o; cbn [omap].
  - two ins. cbn. destruct (mem t ts); auto.
  - two ins. cbn -[broadcast]. destruct (Nat.eqb t t0 && mem t ts); auto. rewrite <- !map_rev, square_broadcast.
    destruct (broadcast terms (rev s) (rev s0)) as [gs q]. cbn. unfold read, tmap. cbn. rewrite <- !map_rev. auto.
  - destruct ins as [|[s t] [|[[|m [|k [|]]] t0] [|]]]; try reflexivity. cbn [map tmap fst snd judge]; plain.
    destruct (Nat.eqb t t0 && mem t ts); auto. rewrite <- map_rev. destruct (rev s) as [|d q]; auto. cbn [map option_map].
    unfold read, tmap. destruct units; cbn; rewrite ?map_app, ?map_rev; auto.
  - destruct ins as [|[[|b [|i [|j [|]]]] t] [|[[|b' [|k [|l [|]]]] t0] [|]]]; try reflexivity. cbn.
    destruct (Nat.eqb t t0 && mem t ts); auto. cbn. destruct ta, tb; auto.
  - destruct ins as [|[s t] [|[[|m [|]] t0] [|]]]; try reflexivity. cbn [map tmap fst snd judge]; plain. rewrite map_length.
    destruct (Nat.eqb t t0); auto. destruct (place (length s) axis); auto. cbn [option_map]. unfold read, tmap. cbn [fst snd map].
    change (one numbers) with (h (one terms)). rewrite map_nth. auto. 
  - destruct ins as [|[s t] [|]]; destruct axes as [ks|]; try reflexivity; cbn [map tmap fst snd judge]; plain.
    + rewrite map_length. destruct (places (length s) ks) as [is|]; auto. destruct (Nat.eqb (length is) (length s)); auto.
      cbn [option_map]. unfold read, tmap. cbn [fst snd map]. rewrite map_map. do 3 f_equal. apply map_ext. intros i.
      change (one numbers) with (h (one terms)). apply map_nth.
    + rewrite <- map_rev. auto.
  - two ins. cbn [map tmap fst snd judge option_map]; plain. unfold read, tmap. cbn [fst snd map]. rewrite map_app, !square_total, !map_map. auto.
  - two ins. cbn [map tmap fst snd judge]; plain. destruct (_ && _); auto. cbn [option_map]. unfold read, tmap. cbn [fst snd map].
    rewrite map_app. cbn [map]. rewrite !map_nums, square_total. auto.
  - destruct ins as [|[s t] ins]; try reflexivity. cbn [map tmap fst snd judge]; plain. rewrite map_length. destruct (place (length s) axis) as [p|]; auto.
    fold tmap. rewrite square_joined. destruct (joined terms p t s ins) as [[gs q]|]; auto.
  - destruct ins; try reflexivity. cbn [map judge option_map]. unfold read, tmap. cbn [fst snd map]. rewrite !map_map. auto.
  - two ins; try (destruct axes; reflexivity). cbn [map tmap fst snd judge]; plain. destruct (mem t ts); auto. rewrite map_length.
    destruct axes as [ks|]; [destruct (places (length s) ks); auto|]; rewrite square_reduced; auto.
  - two ins. cbn [map tmap fst snd judge]; plain. destruct (mem t ts); auto. rewrite map_length. destruct (place (length s) axis); auto.
  - two ins. cbn [map tmap fst snd judge]; plain. rewrite map_length. destruct (place _ axis) as [p|]; auto. cbn [option_map]. unfold read, tmap.
    cbn [fst snd map]. rewrite !map_app, firstn_map, skipn_map, map_repeat. auto. Qed.
End Square.

(* ---------- sizes are not negative *)
Definition whole (s:list Z) : Prop := forall z, In z s -> 0 <= z.
Definition wholes (ins:list (list Z * nat)) : Prop := forall x, In x ins -> whole (fst x).
Lemma whole_app s t : whole s -> whole t -> whole (s ++ t).
Proof. intros A B z I. apply in_app_or in I as [I|I]; auto. Qed.
Lemma whole_cons z s : 0 <= z -> whole s -> whole (z :: s).
Proof. intros A B y [<-|I]; auto. Qed.
Lemma whole_rev s : whole s -> whole (rev s).
Proof. intros W z I. apply W, in_rev; auto. Qed.
Lemma whole_nth s i : whole s -> 0 <= nth i s 1.
Proof. intros W. destruct (nth_in_or_default i s 1) as [I|E]; [auto|rewrite E; lia]. Qed.
Lemma whole_nil : whole []. Proof. intros z []. Qed.
Lemma whole_hd z s : whole (z :: s) -> 0 <= z. Proof. intros W. apply W. left; auto. Qed.
Lemma whole_tl z s : whole (z :: s) -> whole s. Proof. intros W y I. apply W. right; auto. Qed.
#[local] Hint Resolve whole_app whole_cons whole_rev whole_nil whole_nth whole_hd whole_tl : core.
Lemma whole_broadcast s : forall t, whole s -> whole t -> whole (snd (broadcast numbers s t)).
Proof. induction s as [|d s IH]; intros [|e t] W V; auto. cbn [broadcast]. specialize (IH t).
  destruct (broadcast numbers s t) as [gs q]. cbn [snd] in *. apply whole_cons; eauto. cbn. destruct (d =? 1); eauto. Qed.
Lemma whole_total s : whole s -> 0 <= total numbers s.
Proof. induction s as [|d s IH]; intros W; [cbn; lia|]. change (0 <= d * total numbers s). apply Z.mul_nonneg_nonneg; eauto. Qed.
Lemma whole_reduced axes keep s : forall i, whole s -> whole (reduced numbers axes keep i s).
Proof. induction s as [|d s IH]; intros i W; auto. cbn [reduced]. destruct (mem i axes), keep; eauto. apply whole_cons; eauto. cbn. lia. Qed.
Lemma whole_join p : forall s t gs q, join numbers p s t = Some (gs, q) -> whole s -> whole t -> whole q.
Proof. induction p as [|p IH]; intros [|d s] [|e t] gs q E W V; cbn [join] in E; inversion E; subst; auto.
  - destruct (same_shape numbers s t); inversion E; subst. apply whole_cons; eauto. cbn.
    pose proof (whole_hd _ _ W). pose proof (whole_hd _ _ V). lia.
  - destruct (join numbers p s t) as [[]|] eqn:J; inversion E; subst. apply whole_cons; eauto. Qed.
Lemma whole_joined p t ins : forall s gs q, joined numbers p t s ins = Some (gs, q) -> whole s -> wholes ins -> whole q.
Proof. induction ins as [|[s' t'] ins IH]; intros s gs q E W V; cbn [joined] in E; [inversion E; subst; auto|].
  destruct (Nat.eqb t t'); [|discriminate]. destruct (join numbers p s s') as [[hs u]|] eqn:J; [|discriminate].
  destruct (joined numbers p t u ins) as [[]|] eqn:K; inversion E; subst.
  eapply IH; eauto; [eapply whole_join; eauto; apply (V (s', t')); left; auto|intros x I; apply V; right; auto]. Qed.
Lemma all_natural ds : forallb (fun b => b) (map (natural numbers) ds) = true -> whole ds.
Proof. rewrite forallb_forall. intros H z I. specialize (H _ (in_map _ _ _ I)). cbn in H. apply Z.leb_le in H. auto. Qed.
Lemma whole_some s : forallb (fun z => 1 <=? z) s = true -> whole s.
Proof. rewrite forallb_forall. intros H z I. apply H, Z.leb_le in I. lia. Qed.
Theorem sized o ins gs s t : judge numbers o ins = Some (gs, (s, t)) -> forallb (fun b => b) gs = true -> wholes ins -> whole s.
Proof. intros J G W.
  assert (W1: forall x y l, ins = (x, y) :: l -> whole x) by (intros x y l ->; apply (W (x, y)); left; auto).
  assert (W2: forall x y p l, ins = p :: (x, y) :: l -> whole x) by (intros x y p l ->; apply (W (x, y)); right; left; auto).
  destruct o; cbn [judge] in J.
  all: destruct ins as [|[s1 t1] ins]; try discriminate J; try (destruct axes; discriminate J).
  all: try (specialize (W1 _ _ _ eq_refl)).
  - destruct ins; try discriminate J. destruct (mem t1 ts); inversion J; subst; auto.
  - destruct ins as [|[s2 t2] [|]]; try discriminate J. specialize (W2 _ _ _ _ eq_refl). destruct (_ && _); [|discriminate].
    pose proof (whole_broadcast (rev s1) (rev s2) (whole_rev _ W1) (whole_rev _ W2)) as B. destruct (broadcast _ _ _). inversion J; subst; auto.
  - destruct ins as [|[[|m [|k [|]]] t2] [|]]; try discriminate J. specialize (W2 _ _ _ _ eq_refl). destruct (_ && _); [|discriminate].
    destruct (rev s1) as [|d q] eqn:R; inversion J; subst. pose proof (whole_rev _ W1) as V.
    change (@rev Z s1) with (@rev (size numbers) s1) in V. rewrite R in V. apply (whole_rev (m :: q)). apply whole_cons; [apply (whole_hd _ _ W2)|apply (whole_tl _ _ V)].
  - destruct s1 as [|b [|i [|j [|]]]]; try discriminate J. destruct ins as [|[[|b' [|k [|l [|]]]] t2] [|]]; try discriminate J.
    specialize (W2 _ _ _ _ eq_refl). destruct (_ && _); inversion J; subst. apply whole_cons; [destruct (b =? 1); eauto|].
    pose proof (whole_tl _ _ W1). pose proof (whole_tl _ _ W2). destruct ta, tb; repeat apply whole_cons; eauto.
  - destruct ins as [|[[|m [|]] t2] [|]]; try discriminate J. destruct (Nat.eqb t1 t2); [|discriminate].
    destruct (place _ _); inversion J; subst; auto.
  - destruct axes as [ks|]; destruct ins; try discriminate J; [|inversion J; subst; auto].
    destruct (places _ _); [|discriminate]. destruct (Nat.eqb _ _); inversion J; subst. intros z I.
    apply in_map_iff in I as (i & <- & _). apply whole_nth; auto.
  - destruct ins; inversion J; subst. rewrite forallb_app in G. apply andb_prop in G as [G _]. apply all_natural; auto.
  - destruct ins; try discriminate J. destruct (forallb _ (before ++ after)) eqn:F; [|discriminate]. destruct (Z.leb_spec 1 (fold_right Z.mul 1 (before ++ after))) as [L|L]; inversion J; subst.
    apply whole_some in F. rewrite map_id. assert (B: whole before) by (intros z I; apply F, in_or_app; auto).
    assert (A: whole after) by (intros z I; apply F, in_or_app; auto). rewrite map_id. apply whole_app; auto. apply whole_cons; auto.
    apply Z.div_pos; [apply whole_total; auto|lia].
  - destruct (place _ _) as [p|]; [|discriminate]. destruct (joined _ _ _ _ _) as [[hs q]|] eqn:Q; inversion J; subst.
    eapply whole_joined; eauto. intros x I. apply W. right; auto.
  - inversion J; subst. apply all_natural; auto.
  - destruct ins; try (destruct axes; discriminate J). destruct (mem t1 ts); [|discriminate]. destruct axes as [ks|];
      [destruct (places _ _); [|discriminate]|]; inversion J; subst; apply whole_reduced; auto.
  - destruct ins; try discriminate J. destruct (mem t1 ts); [|discriminate]. destruct (place _ _); inversion J; subst; auto.
  - destruct ins; try discriminate J. destruct (place _ _) as [p|]; inversion J; subst.
    apply whole_app; [intros z I; apply W1; rewrite <- (firstn_skipn p s1); apply in_or_app; auto|].
    apply whole_app; [intros z I; apply repeat_spec in I as ->; cbn; lia|].
    intros z I; apply W1; rewrite <- (firstn_skipn p s1); apply in_or_app; auto. Qed.
