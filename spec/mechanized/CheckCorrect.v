(* The verified checker is correct: expressions, definitions, programs. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Dims Decide Judge Check CheckSound.
Import ListNotations.
Open Scope Z_scope.

(* a definition keeps its promise: it is never stuck, blames what was left open, and its results have the declared type *)
Definition keeps (R:list nat) (Fm:signature * meaning) : Prop := let (F, m) := Fm in forall v gs,
  demanded F v = Some gs -> all gs = true -> natural_sizes v -> forall o, In o (m (entered F v) (fields v)) -> match o with
  | Ok w => natural_sizes w /\ exists hs, flow numbers (eval (entered F v)) (result F) w = Some hs /\ all hs = true
  | Blame l => In l R
  | Stuck => False end.
Definition arrives (R:list nat) (r:env) (g:nat) (T:type) (s:state) (o:outcome) : Prop := match o with
  | Ok v => exists r', below g r r' /\ holds r' (facts s) = true /\ v = valued r' T /\ natural_sizes v
  | Blame l => In l R \/ In l (left_open s)
  | Stuck => False end.

Lemma in_within o os k : In o (within os k) -> (exists v, In (Ok v) os /\ In o (k v)) \/ (In o os /\ forall v, o <> Ok v).
Proof. intros I. apply in_flat_map in I as (p & I & J). destruct p as [v|l|]; [left; eauto|right..]; destruct J as [<-|[]]; split; auto; discriminate. Qed.
Lemma in_require o l bs k : In o (require l bs k) -> (all bs = true /\ In o k) \/ (all bs = false /\ o = Blame l).
Proof. unfold require. destruct (all bs); auto. intros [<-|[]]. auto. Qed.
(* an outcome that is no value is passed on *)
Lemma arrives_on R r g T s g' T' s' o : arrives R r g T s o -> (forall v, o <> Ok v) -> incl (left_open s) (left_open s') -> arrives R r g' T' s' o.
Proof. intros A N I. destruct o as [v| |]; cbn in *; auto; [destruct (N v); auto|]. destruct A; auto. Qed.
Lemma arrives_from R r r1 g g1 T s o : arrives R r1 g1 T s o -> below g r r1 -> (g <= g1)%nat -> arrives R r g T s o.
Proof. intros A Bl L. destruct o as [v| |]; cbn in *; auto. destruct A as (r' & B1 & H & V & W). exists r'. repeat split; auto.
  eapply below_trans; eauto. eapply below_le; eauto. Qed.

Lemma natural_fields v : natural_sizes v -> forall w, In w (fields v) -> natural_sizes w.
Proof. induction v as [| |a _ b IH]; cbn; intros W w I; try contradiction. destruct W as [A Bb], I as [<-|I]; auto. Qed.
Lemma natural_tensors v ins : tensors v = Some ins -> natural_sizes v -> wholes ins.
Proof. revert ins. induction v as [| |a _ b IH]; cbn; intros ins E W; try discriminate E; [inversion E; intros x []|].
  destruct a as [s t| |]; try discriminate E. destruct (tensors b) as [l|]; inversion E; subst. destruct W as [W1 W2].
  intros x [<-|I]; [exact W1|apply (IH l); auto]. Qed.
Lemma SE_cons g T G : ST g T -> SE g G -> SE g (T :: G).
Proof. intros A Bb q q' Bq. cbn. f_equal; auto. Qed.
Lemma fields_supp g T : ST g T -> SE g (fields T).
Proof. intros S q q' Bq. rewrite <- !fields_valued. rewrite (S q q' Bq). auto. Qed.
Lemma SE_in g G T : SE g G -> In T G -> ST g T.
Proof. intros S I q q' Bq. specialize (S q q' Bq). induction G as [|U G IH]; [destruct I|]. cbn in S. inversion S. destruct I as [->|I]; auto. Qed.
Lemma here_supp n g G rs : SE g G -> (n <= g)%nat -> (forall d, supp g (fun r => eval r (subst (here n G rs) d))) /\
  (forall f, supp g (fun r => truth r (substf (here n G rs) f))).
Proof. intros S L. split; intros d q q' Bq; assert (Bn: below n q q') by (eapply below_le; eauto).
  - rewrite (proj1 (here_valued q n q G rs (below_refl _ _))), (proj1 (here_valued q' n q G rs Bn)), (S q q' Bq). auto.
  - rewrite (proj2 (here_valued q n q G rs (below_refl _ _))), (proj2 (here_valued q' n q G rs Bn)), (S q q' Bq). auto. Qed.
Lemma flow_supp g at_ a T gs : (forall d, supp g (fun r => eval r (at_ d))) -> ST g T -> flow terms at_ a T = Some gs -> SF g gs.
Proof. intros A S F q q' Bq. pose proof (flow_valued q at_ (fun d => eval q (at_ d)) a (fun d => eq_refl) T) as E.
  assert (X: forall d, eval q' (at_ d) = eval q (at_ d)) by (intros d; symmetry; apply A; auto).
  pose proof (flow_valued q' at_ (fun d => eval q (at_ d)) a X T) as E'. rewrite F in E, E'. cbn in E, E'.
  rewrite (S q q' Bq) in E. congruence. Qed.
Lemma entered_supp g F T : ST g T -> (forall d, supp g (fun r => eval r (subst (chosen (K 0) (bound F) (bind (params F) T [])) d))) /\
  (forall f, supp g (fun r => truth r (substf (chosen (K 0) (bound F) (bind (params F) T [])) f))).
Proof. intros S. split; intros d q q' Bq; destruct (entered_valued q F T) as [A Bb]; destruct (entered_valued q' F T) as [A' Bb'];
  [rewrite A, A'|rewrite Bb, Bb']; rewrite (S q q' Bq); auto. Qed.
Lemma SF_map g (f:form -> form) fs : (forall x, supp g (fun r => truth r (f x))) -> SF g (map f fs).
Proof. intros S q q' Bq. rewrite !map_map. apply map_ext. intros x. apply S; auto. Qed.
Lemma judge_supp n g G rs o T ins gs d t : SE g G -> (n <= g)%nat -> ST g T -> tensors T = Some ins ->
  judge terms (omap (subst (here n G rs)) o) ins = Some (gs, (d, t)) -> SF g gs /\ supp g (fun r => map (eval r) d).
Proof. intros S L St I J.
  assert (X: forall q q', below g q q' -> map (truth q) gs = map (truth q') gs /\ map (eval q) d = map (eval q') d).
  { intros q q' Bq. assert (Bn: below n q q') by (eapply below_le; eauto).
    pose proof (square q (omap (subst (here n G rs)) o) ins) as E. pose proof (square q' (omap (subst (here n G rs)) o) ins) as E'.
    rewrite J in E, E'. rewrite <- (omap_valued q n q G rs o (below_refl _ _)) in E. rewrite <- (omap_valued q' n q G rs o Bn) in E'.
    pose proof (tensors_valued q T) as Q. pose proof (tensors_valued q' T) as Q'. rewrite I in Q, Q'. cbn in Q, Q'.
    rewrite (St q q' Bq), Q' in Q. inversion Q as [Q1]. rewrite Q1, <- (S q q' Bq) in E'. rewrite E in E'. cbn in E'. inversion E'. auto. }
  split; intros q q' Bq; apply X; auto. Qed.

Section Correct.
Variable P : list (signature * meaning).
Variable Fs : list signature.
Variable n : nat.
Variable q : env.
Variable R : list nat.
Hypothesis signed : map fst P = Fs.
Hypothesis kept : Forall (keeps R) P.

Definition sound_at (e:exp) : Prop := forall G s T s', check Fs n G e s = Good (T, s') -> (n <= next s)%nat -> SE (next s) G ->
  SF (next s) (facts s) -> (next s <= next s')%nat /\ ST (next s') T /\ SF (next s') (facts s') /\ incl (left_open s) (left_open s') /\
  forall r, below n q r -> holds r (facts s) = true -> (forall T, In T G -> natural_sizes (valued r T)) ->
  forall o, In o (run P n q (map (valued r) G) e) -> arrives R r (next s) T s' o.

(* the state after a first part of an expression, for its second *)
Lemma later G s s1 r r' : SE (next s) G -> (n <= next s)%nat -> (next s <= next s1)%nat -> below n q r -> below (next s) r r' ->
  (forall T, In T G -> natural_sizes (valued r T)) ->
  below n q r' /\ map (valued r') G = map (valued r) G /\ (forall T, In T G -> natural_sizes (valued r' T)).
Proof. intros S L N Bq Bl W. split; [eapply below_trans; eauto; eapply below_le; eauto|]. split; [symmetry; apply S; auto|].
  intros T I. rewrite <- (SE_in _ _ _ S I r r' Bl). auto. Qed.

Ltac good E T s H := match type of E with then_ ?c _ = _ => destruct c as [[T s]| | |] eqn:H; try discriminate E; cbn [then_ fst snd] in E end.

Lemma var_ok x : sound_at (Var x).
Proof. intros G s T s' E L S F. cbn in E. destruct (nth_error G x) as [U|] eqn:N; inversion E; subst.
  pose proof (nth_error_In _ _ N) as I. repeat split; auto; [apply (SE_in _ G); auto|intros y Y; auto|].
  intros r Bq H W o O. cbn in O. rewrite (map_nth_error (valued r) x G N) in O. destruct O as [<-|[]].
  exists r. repeat split; auto. Qed.
Lemma lit_ok k t : sound_at (Lit k t).
Proof. intros G s T s' E L S F. inversion E; subst. repeat split; auto; [intros u u' _; cbn; rewrite !map_map; auto|intros y Y; auto|].
  intros r Bq H W o [<-|[]]. exists r. repeat split; auto; [cbn; rewrite map_map; auto|].
  intros z I. apply in_map_iff in I as (i & <- & _). lia. Qed.
Lemma op_ok l o rs e : sound_at e -> sound_at (Op l o rs e).
Proof. intros IH G s T s' E L S F. cbn [check] in E. destruct (refs_exist G rs); [|discriminate]. good E T1 s1 H1.
  destruct (IH _ _ _ _ H1 L S F) as (N1 & St1 & F1 & I1 & A1).
  destruct (tensors T1) as [ins|] eqn:Ti; [|discriminate]. destruct (judge terms _ ins) as [[gs [d t]]|] eqn:J; [|discriminate].
  destruct (existsb large_size d); [discriminate|].
  destruct (owes Need l gs s1) as [s2| | |] eqn:O; try discriminate E. cbn in E. inversion E; subst. clear E.
  assert (S1: SE (next s1) G) by (apply supp_le with (next s); auto).
  destruct (judge_supp n (next s1) G rs o T1 ins gs d t S1 ltac:(lia) St1 Ti J) as [Sg Sd].
  destruct (owes_ok _ _ _ _ _ O F1 Sg) as (N2 & F2 & I2 & A2). rewrite N2 in *.
  split; auto. split.
  { intros u u' Bu. cbn. f_equal. apply tidied_supp; auto. }
  split; auto. split; [intros x X; auto|].
  intros r Bq H W o' Oo. cbn [run] in Oo. apply in_within in Oo as [(v & Iv & Oo)|[Iv Nv]].
  2:{ eapply arrives_on; eauto. }
  destruct (A1 r Bq H W _ Iv) as (r1 & B1 & Hf & V & Wv). destruct (later G s s1 r r1 S L N1 Bq B1 W) as (Bq1 & Em & W1).
  subst v. rewrite tensors_valued, Ti in Oo. cbn [option_map] in Oo. rewrite <- Em, (omap_valued r1 n q G rs o Bq1), square, J in Oo.
  cbn in Oo. apply in_require in Oo as [[Ag [<-|[]]]|[Ag ->]].
  - specialize (A2 r1 Hf). rewrite Ag in A2. exists r1. repeat split; auto.
    + cbn. f_equal. symmetry. apply tidied_ok; auto.
    + pose proof (square r1 (omap (subst (here n G rs)) o) ins) as Q. rewrite J in Q.
      apply (sized _ _ _ _ _ Q Ag). eapply natural_tensors; [|exact Wv]. rewrite tensors_valued, Ti. auto.
  - specialize (A2 r1 Hf). rewrite Ag in A2. right; auto. Qed.
Lemma call_ok l f e : sound_at e -> sound_at (Call l f e).
Proof. intros IH G s T s' E L S F. cbn [check] in E. good E T1 s1 H1. destruct (IH _ _ _ _ H1 L S F) as (N1 & St1 & F1 & I1 & A1).
  destruct (nth_error Fs f) as [Sg|] eqn:Nf; [|discriminate].
  destruct (forallb _ _); [|destruct (flow _ _ _ _); discriminate].
  destruct (flow terms (subst (chosen (K 0) (bound Sg) (bind (params Sg) T1 []))) (params Sg) T1) as [gs|] eqn:Fl; [|discriminate].
  destruct (entered_supp (next s1) Sg T1 St1) as [Sd Sf].
  destruct (owes Need l _ s1) as [s2| | |] eqn:O; try discriminate E. cbn [then_] in E.
  assert (Sgs: SF (next s1) (gs ++ map (substf (chosen (K 0) (bound Sg) (bind (params Sg) T1 []))) (pre Sg))).
  { apply SF_app; [eapply flow_supp; eauto|apply SF_map; auto]. }
  destruct (owes_ok _ _ _ _ _ O F1 Sgs) as (N2 & F2 & I2 & A2). injection E as E.
  destruct (enter_ok _ _ _ _ _ E) as (N3 & St3 & F3 & I3 & A3); cbn; try (rewrite N2; auto). cbn in N3, I3.
  repeat split; auto; [lia|rewrite I3; intros x X; auto|].
  intros r Bq H W o Oo. cbn [run] in Oo. apply in_within in Oo as [(v & Iv & Oo)|[Iv Nv]].
  2:{ eapply arrives_on; eauto. rewrite I3. auto. }
  destruct (A1 r Bq H W _ Iv) as (r1 & B1 & Hf & V & Wv). subst v.
  assert (Np: exists m, nth_error P f = Some (Sg, m)).
  { rewrite <- signed, nth_error_map in Nf. destruct (nth_error P f) as [[F0 m]|]; inversion Nf; subst. eauto. }
  destruct Np as [m Np]. rewrite Np, (demanded_valued r1 Sg T1 gs Fl) in Oo. specialize (A2 r1 Hf).
  apply in_require in Oo as [[Ag Oo]|[Ag ->]]; rewrite Ag in A2; [|right; rewrite I3; auto].
  pose proof (proj1 (Forall_forall _ _) kept _ (nth_error_In _ _ Np)) as Kp. cbn in Kp.
  specialize (Kp _ _ (demanded_valued r1 Sg T1 gs Fl) Ag Wv o Oo). destruct o as [w|b|]; cbn; auto.
  destruct Kp as [Ww (hs & Fw & Ah)].
  destruct (A3 r1 (eval (entered Sg (valued r1 T1))) w hs) as (r2 & B2 & H2 & V2); auto.
  { apply (proj1 (entered_valued r1 Sg T1)). }
  cbn in B2. rewrite N2 in B2. exists r2. repeat split; auto. eapply below_trans; eauto. eapply below_le; eauto. Qed.
Lemma cons_ok a b : sound_at a -> sound_at b -> sound_at (Cons a b).
Proof. intros IHa IHb G s T s' E L S F. cbn [check] in E. good E T1 s1 H1. good E T2 s2 H2. inversion E; subst. clear E.
  destruct (IHa _ _ _ _ H1 L S F) as (N1 & St1 & F1 & I1 & A1).
  assert (S1: SE (next s1) G) by (apply supp_le with (next s); auto).
  destruct (IHb _ _ _ _ H2 ltac:(lia) S1 F1) as (N2 & St2 & F2 & I2 & A2).
  repeat split; auto; [lia|apply supp_pair; auto; apply supp_le with (next s1); auto|intros x X; auto|].
  intros r Bq H W o Oo. cbn [run] in Oo. apply in_within in Oo as [(v & Iv & Oo)|[Iv Nv]].
  2:{ eapply arrives_on; eauto. }
  destruct (A1 r Bq H W _ Iv) as (r1 & B1 & Hf & V & Wv). destruct (later G s s1 r r1 S L N1 Bq B1 W) as (Bq1 & Em & W1).
  rewrite <- Em in Oo. apply in_within in Oo as [(w & Iw & Oo)|[Iw Nw]].
  2:{ eapply arrives_from with (r1:=r1) (g1:=next s1); auto. eapply arrives_on; eauto. intros x X; auto. }
  destruct Oo as [<-|[]]. destruct (A2 r1 Bq1 Hf W1 _ Iw) as (r2 & B2 & Hf2 & V2 & Ww).
  exists r2. split; [eapply below_trans; eauto; eapply below_le; eauto|]. repeat split; auto. cbn. fold (valued r2 T1) (valued r2 T2).
  rewrite <- V2. f_equal. rewrite V. apply St1; auto. Qed.
Lemma proj_ok i e : sound_at e -> sound_at (Proj i e).
Proof. intros IH G s T s' E L S F. cbn [check] in E. good E T1 s1 H1. destruct (IH _ _ _ _ H1 L S F) as (N1 & St1 & F1 & I1 & A1).
  destruct (nth_error (fields T1) i) as [U|] eqn:Nt; inversion E; subst. clear E. pose proof (nth_error_In _ _ Nt) as It.
  repeat split; auto; [apply (SE_in _ (fields T1)); auto; apply fields_supp; auto|].
  intros r Bq H W o Oo. cbn [run] in Oo. apply in_within in Oo as [(v & Iv & Oo)|[Iv Nv]].
  2:{ eapply arrives_on; eauto. intros x X; auto. }
  destruct (A1 r Bq H W _ Iv) as (r1 & B1 & Hf & V & Wv). pose proof (natural_fields _ Wv) as Wf. subst v.
  assert (Q: nth_error (fields (valued r1 T1)) i = Some (valued r1 T)) by (rewrite fields_valued; apply map_nth_error; auto).
  rewrite Q in Oo. rewrite fields_valued in Wf.
  destruct Oo as [<-|[]]. exists r1. repeat split; auto. apply Wf. apply in_map. auto. Qed.
Lemma let_ok a b : sound_at a -> sound_at b -> sound_at (Let a b).
Proof. intros IHa IHb G s T s' E L S F. cbn [check] in E. good E T1 s1 H1. destruct (IHa _ _ _ _ H1 L S F) as (N1 & St1 & F1 & I1 & A1).
  assert (S1: SE (next s1) (T1 :: G)) by (apply SE_cons; auto; apply supp_le with (next s); auto).
  destruct (IHb _ _ _ _ E ltac:(lia) S1 F1) as (N2 & St2 & F2 & I2 & A2).
  repeat split; auto; [lia|intros x X; auto|].
  intros r Bq H W o Oo. cbn [run] in Oo. apply in_within in Oo as [(v & Iv & Oo)|[Iv Nv]].
  2:{ eapply arrives_on; eauto. }
  destruct (A1 r Bq H W _ Iv) as (r1 & B1 & Hf & V & Wv). destruct (later G s s1 r r1 S L N1 Bq B1 W) as (Bq1 & Em & W1).
  rewrite <- Em, V in Oo. eapply arrives_from with (r1:=r1) (g1:=next s1); auto. apply A2; auto.
  intros U [<-|I]; auto. rewrite <- V. auto. Qed.
Lemma as_ok l a rs e : sound_at e -> sound_at (As l a rs e).
Proof. intros IH G s T s' E L S F. cbn [check] in E. destruct (refs_exist G rs); [|discriminate]. good E T1 s1 H1.
  destruct (IH _ _ _ _ H1 L S F) as (N1 & St1 & F1 & I1 & A1).
  destruct (flow terms _ a T1) as [gs|] eqn:Fl; [|discriminate]. destruct (owes Need l gs s1) as [s2| | |] eqn:O; try discriminate E.
  cbn [then_] in E. injection E as E. assert (S1: SE (next s1) G) by (apply supp_le with (next s); auto).
  destruct (here_supp n (next s1) G rs S1 ltac:(lia)) as [Sd _].
  destruct (owes_ok _ _ _ _ _ O F1 (flow_supp _ _ _ _ _ Sd St1 Fl)) as (N2 & F2 & I2 & A2).
  destruct (enter_ok _ _ _ _ _ E) as (N3 & St3 & F3 & I3 & A3); try (rewrite N2; auto).
  repeat split; auto; [lia|rewrite I3; intros x X; auto|].
  intros r Bq H W o Oo. cbn [run] in Oo. apply in_within in Oo as [(v & Iv & Oo)|[Iv Nv]].
  2:{ eapply arrives_on; eauto. rewrite I3. auto. }
  destruct (A1 r Bq H W _ Iv) as (r1 & B1 & Hf & V & Wv). destruct (later G s s1 r r1 S L N1 Bq B1 W) as (Bq1 & Em & W1).
  rewrite <- Em in Oo. subst v. pose proof (here_valued r1 n q G rs Bq1) as [Hd _]. specialize (A2 r1 Hf).
  pose proof (flow_valued r1 _ _ a Hd T1) as Fv. rewrite Fl in Fv. cbn [option_map] in Fv. rewrite Fv in Oo.
  apply in_require in Oo as [[Ag [<-|[]]]|[Ag ->]]; rewrite Ag in A2; [|right; rewrite I3; auto].
  destruct (A3 r1 _ _ _ A2 Hd Fv Ag Wv) as (r2 & B2 & H2 & V2). rewrite N2 in B2.
  exists r2. repeat split; auto. eapply below_trans; eauto. eapply below_le; eauto. Qed.
Lemma if_ok l c a b : sound_at c -> sound_at a -> sound_at b -> sound_at (If l c a b).
Proof. intros IHc IHa IHb G s T s' E L S F. cbn [check] in E. good E T1 s1 H1. destruct (IHc _ _ _ _ H1 L S F) as (N1 & St1 & F1 & I1 & A1).
  destruct T1 as [[|] t| |]; try discriminate E. destruct (Nat.eqb t boolean) eqn:Bt; [|discriminate]. good E T2 s2 H2. good E T3 s3 H3.
  assert (S1: SE (next s1) G) by (apply supp_le with (next s); auto).
  destruct (IHa _ _ _ _ H2 ltac:(lia) S1 F1) as (N2 & St2 & F2 & I2 & A2).
  destruct (IHb _ _ _ _ H3) as (N3 & St3 & F3 & I3 & A3); cbn [next facts]; try lia;
    try (apply supp_le with (next s1); auto; lia).
  cbn [next facts left_open log] in *. unfold left_open in I3. cbn [log] in I3. fold (left_open s2) (left_open s3) in I3.
  destruct (join_types_ok _ _ _ _ _ _ E) as (N4 & St4 & F4 & I4 & A4); cbn [next facts].
  { apply supp_le with (next s1); auto; lia. } { apply supp_le with (next s2); auto. } { auto. }
  cbn [next facts] in *. unfold left_open in I4 at 1. cbn [log] in I4. fold (left_open s3) in I4.
  repeat split; auto; [lia|intros x X; auto|].
  intros r Bq H W o Oo. cbn [run] in Oo. apply in_within in Oo as [(v & Iv & Oo)|[Iv Nv]].
  2:{ eapply arrives_on; eauto. intros x X; auto. }
  destruct (A1 r Bq H W _ Iv) as (r1 & B1 & Hf & V & Wv). destruct (later G s s1 r r1 S L N1 Bq B1 W) as (Bq1 & Em & W1).
  subst v. cbn in Oo. rewrite Bt, <- Em in Oo. eapply arrives_from with (r1:=r1) (g1:=next s1); auto.
  apply in_app_or in Oo as [Oo|Oo].
  - specialize (A2 r1 Bq1 Hf W1 o Oo). destruct o as [v|x|]; cbn in A2 |- *; auto; [|destruct A2; auto].
    destruct A2 as (r2 & B2 & Hf2 & V2 & Wv2). assert (Hf1: holds r2 (facts s1) = true) by (rewrite <- (holds_below _ _ _ _ F1 B2); auto).
    destruct (A4 r2 v Hf1 (or_introl V2) Wv2) as (r4 & B4 & H4 & V4). exists r4. repeat split; auto.
    intros y Y. rewrite B2 by auto. apply B4. lia.
  - specialize (A3 r1 Bq1 Hf W1 o Oo). destruct o as [v|x|]; cbn in A3 |- *; auto; [|destruct A3; auto].
    destruct A3 as (r3 & B3 & Hf3 & V3 & Wv3).
    assert (Hf1: holds r3 (facts s1) = true) by (rewrite <- (holds_below (next s1) _ r1 _ F1); auto; eapply below_le; eauto).
    destruct (A4 r3 v Hf1 (or_intror V3) Wv3) as (r4 & B4 & H4 & V4). exists r4. repeat split; auto.
    intros y Y. rewrite B3 by lia. apply B4. lia. Qed.
Lemma assert_ok l f rs e : sound_at e -> sound_at (Assert l f rs e).
Proof. intros IH G s T s' E L S F. cbn [check] in E. destruct (refs_exist G rs); [|discriminate].
  destruct (owe Assertion l _ s) as [s1| | |] eqn:O; try discriminate E. cbn [then_] in E.
  destruct (here_supp n (next s) G rs S L) as [_ Sf]. destruct (owe_ok _ _ _ _ _ O F (Sf f)) as (N1 & F1 & I1 & A1).
  destruct (IH _ _ _ _ E) as (N2 & St2 & F2 & I2 & A2); try (rewrite N1; auto). rewrite N1 in *.
  repeat split; auto; [intros x X; auto|]. intros r Bq H W o Oo. cbn [run] in Oo. specialize (A1 r H).
  rewrite (proj2 (here_valued r n q G rs Bq)) in A1. unfold require in Oo. cbn [all forallb] in Oo. rewrite andb_true_r in Oo.
  destruct (truth _ f); [|destruct Oo as [<-|[]]; right; auto]. apply A2; auto. Qed.
Theorem check_ok e : sound_at e.
Proof. induction e; auto using var_ok, lit_ok, op_ok, call_ok, cons_ok, proj_ok, let_ok, as_ok, if_ok, assert_ok.
  intros G s T s' E L S F. inversion E; subst. split; [auto|]. split; [intros u u' _; reflexivity|]. split; [auto|]. split; [intros y Y; auto|].
  intros r Bq H W o [<-|[]]. exists r. repeat split; auto. Qed.
End Correct.

(* ---------- definitions and programs *)
Lemma closed_flow N r e s : (forall x, (x < N)%nat -> r x = e x) -> exists hs,
  sizes_flow numbers (eval e) (map (closed_size N) s) (map (eval r) s) = Some hs /\ all hs = true.
Proof. intros Bl. induction s as [|d s IH]; cbn; [exists []; auto|]. destruct IH as (hs & F & A). unfold closed_size at 1.
  destruct (forallb _ (variables d)) eqn:C; cbn; rewrite F; [|eauto]. eexists. split; eauto. cbn. fold (all hs). rewrite A, andb_true_r.
  apply Z.eqb_eq. apply (proj1 (variables_eval r e)). rewrite forallb_forall in C. intros x I. apply Bl. apply Nat.ltb_lt; auto. Qed.
Lemma closed_ok N r e T : (forall x, (x < N)%nat -> r x = e x) -> exists hs,
  flow numbers (eval e) (fmap (closed_size N) T) (valued r T) = Some hs /\ all hs = true.
Proof. intros Bl. induction T as [s t| |a (hs & F & A) b (hs' & F' & A')]; cbn; [|exists []; auto|].
  - rewrite Nat.eqb_refl. apply closed_flow; auto.
  - fold (valued r a) (valued r b). rewrite F, F'. eexists. split; eauto. rewrite all_app, A, A'. auto. Qed.
Lemma entered_beyond F v x : (bound F <= x)%nat -> entered F v x = 0.
Proof. intros L. unfold entered, chosen. destruct (Nat.ltb_spec x (bound F)); auto. lia. Qed.
Lemma scope_entered F v j : scope 0 (bound F) (entered F v) [] [] j = entered F v j.
Proof. unfold scope. destruct (Nat.ltb_spec j (bound F)); auto. destruct (j - bound F)%nat; cbn; rewrite entered_beyond; auto. Qed.
Theorem definition_ok P Fs R D F s : map fst P = Fs -> Forall (keeps R) P -> check_definition Fs D = Good (F, s) ->
  keeps (R ++ left_open s) (F, executed P D).
Proof. intros Sg Kp E. unfold check_definition in E. destruct (start D) as [T0 s0] eqn:St. unfold start in St.
  destruct (impossible (facts s0)); [discriminate|].
  destruct (check Fs (names D) (fields T0) (body D) (possible D s0)) as [[T1 s1]| | |] eqn:Ck; try discriminate E. cbn [then_ fst snd] in E.
  set (N := names D) in *. set (init := State N (map (substf (declared D)) (preconditions D)) false []) in *.
  assert (SEn: SE N (@nil type)) by (intros q q' _; auto).
  destruct (here_supp N N [] [] SEn (le_n N)) as [Sd Sf]. change (here N [] []) with (declared D) in Sd, Sf.
  destruct (enter_ok _ _ _ _ _ St Sd (SF_map N (substf (declared D)) (preconditions D) Sf)) as (N0 & St0 & F0 & I0 & A0).
  change (next init) with N in N0, A0.
  assert (Ps: next (possible D s0) = next s0 /\ facts (possible D s0) = facts s0) by (unfold possible; destruct (given D); auto).
  destruct Ps as [Pn Pf].
  assert (Sound: forall v gs, flow numbers (eval (chosen 0 N (bind (takes D) v []))) (takes D) v = Some gs ->
    all (gs ++ map (truth (chosen 0 N (bind (takes D) v []))) (preconditions D)) = true -> natural_sizes v ->
    forall o, In o (run P N (chosen 0 N (bind (takes D) v [])) (fields v) (body D)) ->
    arrives R (chosen 0 N (bind (takes D) v [])) N T1 s1 o).
  { intros v gs Fl Ag W o Oo. set (q := chosen 0 N (bind (takes D) v [])) in *. rewrite all_app in Ag. apply andb_prop in Ag as [Ag Ap].
    assert (X: forall j, scope 0 N q [] [] j = q j).
    { exact (scope_entered (Sig N (takes D) [] Unit) v). }
    destruct (here_valued q N q [] [] (below_refl _ _)) as [Hd Hf]. change (here N [] []) with (declared D) in Hd, Hf.
    destruct (eval_ext _ _ X) as [Xd Xf].
    destruct (A0 q (eval q) v gs) as (r & Bl & H & V); auto.
    { change (holds q (map (substf (declared D)) (preconditions D)) = true). rewrite holds_all, map_map. rewrite <- Ap. f_equal. apply map_ext. intros f. rewrite Hf. apply Xf. }
    { intros d. rewrite Hd. apply Xd. }
    subst v. rewrite fields_valued in Oo.
    destruct (check_ok P Fs N q R Sg Kp (body D) (fields T0) (possible D s0) T1 s1 Ck) as (N1 & St1 & F1 & I1 & A1); rewrite ?Pn, ?Pf; auto.
    { apply fields_supp; auto. }
    rewrite Pn, Pf in A1. eapply arrives_from with (r1:=r) (g1:=next s0); auto. apply A1; auto.
    intros U I. apply (natural_fields _ W). rewrite fields_valued. apply in_map; auto. }
  destruct (check_ok P Fs N (fun _ => 0) R Sg Kp (body D) (fields T0) (possible D s0) T1 s1 Ck) as (N1 & St1 & F1 & I1 & _); rewrite ?Pn, ?Pf; auto.
  { apply fields_supp; auto. }
  rewrite Pn in N1.
  assert (Final: forall res, bound F = N -> params F = takes D -> pre F = preconditions D -> result F = res ->
    (forall q o, (forall j, scope 0 N q [] [] j = q j) -> arrives R q N T1 s1 o -> forall o', In o' (within [o] (fun v => match gives D with
      | None => [Ok v]
      | Some a => match flow numbers (eval (scope 0 N q [] [])) a v with Some gs => require (label D) gs [Ok v] | None => [Stuck] end end)) ->
      match o' with
      | Ok w => natural_sizes w /\ exists hs, flow numbers (eval q) res w = Some hs /\ all hs = true
      | Blame l => In l (R ++ left_open s)
      | Stuck => False end) -> keeps (R ++ left_open s) (F, executed P D)).
  { intros res Eb Ep Epre Er Out v gs Dm Ag W o Oo. unfold demanded, entered in *. rewrite Eb, Ep, Epre in *. rewrite Er.
    destruct (flow numbers _ (takes D) v) as [g0|] eqn:Fl; [|discriminate]. inversion Dm; subst gs.
    unfold executed in Oo. fold N in Oo. apply in_flat_map in Oo as (o0 & I & J).
    apply (Out (chosen 0 N (bind (takes D) v [])) o0); [exact (scope_entered (Sig N (takes D) [] Unit) v)|eapply Sound; eauto|].
    apply in_flat_map. exists o0. split; [left; auto|exact J]. }
  destruct (gives D) as [a|] eqn:Gv.
  - destruct (flow terms (subst (declared D)) a T1) as [gs|] eqn:Fl; [|discriminate].
    destruct (owes Need (label D) gs s1) as [s2| | |] eqn:O; try discriminate E. cbn [then_] in E. inversion E; subst F s2.
    assert (Sd1: forall d, supp (next s1) (fun r => eval r (subst (declared D) d))) by (intros d; apply supp_le with N; auto; lia).
    destruct (owes_ok _ _ _ _ _ O F1 (flow_supp _ _ _ _ _ Sd1 St1 Fl)) as (N2 & F2 & I2 & A2).
    apply (Final a); auto. intros q o X Ar o' Oo. apply in_within in Oo as [(v & [->|[]] & Oo)|[[->|[]] Nv]].
    + destruct Ar as (r & Bl & H & V & W). specialize (A2 r H).
      assert (Hd: forall d, eval r (subst (declared D) d) = eval q d).
      { intros d. rewrite <- (Sd d q r Bl). destruct (here_valued q N q [] [] (below_refl _ _)) as [Hd _]. change (here N [] []) with (declared D) in Hd.
        rewrite Hd. apply (proj1 (eval_ext _ _ X)). }
      assert (Hs: forall d, eval r (subst (declared D) d) = eval (scope 0 N q [] []) d).
      { intros d. rewrite Hd. symmetry. apply (proj1 (eval_ext _ _ X)). }
      pose proof (flow_valued r _ _ a Hd T1) as Fv. pose proof (flow_valued r _ _ a Hs T1) as Fs'. rewrite Fl in Fv, Fs'. cbn in Fv, Fs'.
      subst v. rewrite Fs' in Oo. apply in_require in Oo as [[Ag [<-|[]]]|[Ag ->]]; rewrite Ag in A2.
      * split; auto. eauto.
      * apply in_or_app. auto.
    + destruct o' as [v|l|]; [destruct (Nv v); auto| |destruct Ar]. apply in_or_app. destruct Ar as [Ar|Ar]; auto.
  - inversion E; subst F s. apply (Final (fmap (closed_size N) T1)); auto. intros q o X Ar o' Oo.
    apply in_within in Oo as [(v & [->|[]] & Oo)|[[->|[]] Nv]].
    + destruct Ar as (r & Bl & H & V & W). destruct Oo as [<-|[]]. split; auto. subst v. apply closed_ok. intros x L. symmetry. apply Bl; auto.
    + destruct o' as [v|l|]; [destruct (Nv v); auto| |destruct Ar]. apply in_or_app. destruct Ar as [Ar|Ar]; auto. Qed.
Lemma keeps_more R R' p : incl R R' -> keeps R p -> keeps R' p.
Proof. destruct p as [F m]. intros I K v gs D A W o Oo. specialize (K v gs D A W o Oo). destruct o; auto. Qed.
(* what may be blamed: the obligations that the definitions left open *)
Definition labels (xs:list (signature * state)) : list nat := flat_map (fun x => left_open (snd x)) xs.
Theorem program_ok Ds : forall P Fs R xs, map fst P = Fs -> Forall (keeps R) P -> check_program Fs Ds = Good xs ->
  Forall (keeps (R ++ labels xs)) (executed_all P Ds (map fst xs)).
Proof. induction Ds as [|D Ds IH]; intros P Fs R xs Sg Kp E; cbn [check_program] in E.
  - inversion E; subst. cbn. rewrite app_nil_r. auto.
  - destruct (check_definition Fs D) as [[F s]| | |] eqn:C; try discriminate E. cbn [then_ fst snd] in E.
    destruct (check_program (Fs ++ [F]) Ds) as [ys| | |] eqn:Q; try discriminate E. cbn [then_] in E. inversion E; subst xs. cbn [map fst executed_all].
    change (labels ((F, s) :: ys)) with (left_open s ++ labels ys). rewrite app_assoc.
    apply (IH (P ++ [(F, executed P D)]) (Fs ++ [F]) (R ++ left_open s) ys); [| |exact Q].
    + rewrite map_app, Sg. auto.
    + apply Forall_app. split; [|constructor; [eapply definition_ok; eauto|constructor]].
      eapply Forall_impl; [|exact Kp]. intros p. apply keeps_more. intros x X. apply in_or_app. auto. Qed.
(* soundness: whatever branches are taken, a checked program applied to values that its declaration admits is never stuck,
   blames only what was left open, and returns a value of its result type *)
Theorem checked_sound Ds xs : check_program [] Ds = Good xs -> Forall (keeps (labels xs)) (executed_all [] Ds (map fst xs)).
Proof. intros E. apply (program_ok Ds [] [] [] xs); auto. Qed.
(* where nothing was left open, nothing is ever blamed *)
Theorem never_blamed Ds xs i F m : check_program [] Ds = Good xs -> labels xs = [] -> nth_error (executed_all [] Ds (map fst xs)) i = Some (F, m) ->
  forall v gs, demanded F v = Some gs -> all gs = true -> natural_sizes v -> forall o, In o (m (entered F v) (fields v)) ->
  exists w hs, o = Ok w /\ natural_sizes w /\ flow numbers (eval (entered F v)) (result F) w = Some hs /\ all hs = true.
Proof. intros E L I v gs D A W o O. pose proof (checked_sound _ _ E) as K. rewrite L in K.
  pose proof (proj1 (Forall_forall _ _) K _ (nth_error_In _ _ I)) as Ki. specialize (Ki v gs D A W o O).
  destruct o as [w|l|]; [|destruct Ki|destruct Ki]. destruct Ki as [Ww (hs & Fw & Ah)]. eauto 6. Qed.
