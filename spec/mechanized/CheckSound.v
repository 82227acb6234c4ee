(* The verified checker is sound: a program that it accepts is never stuck, blames only obligations that were left, and
   each value has the sizes of its type, at some values of the ghosts. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Dims Decide Judge Check.
Import ListNotations.
Open Scope Z_scope.

Definition valued (r:env) (T:type) : value := fmap (eval r) T.
Fixpoint natural_sizes (v:value) : Prop := match v with
  | Ten s _ => whole s | Unit => True | Pair a b => natural_sizes a /\ natural_sizes b end.
Notation ST g T := (supp g (fun r => valued r T)).
Notation SE g G := (supp g (fun r => map (valued r) G)).
Notation SF g F := (supp g (fun r => map (truth r) F)).

Lemma all_app a b : all (a ++ b) = all a && all b. Proof. apply forallb_app. Qed.
Lemma holds_all r F : holds r F = all (map (truth r) F).
Proof. unfold holds, all. induction F as [|f F IH]; cbn; auto. rewrite IH. auto. Qed.
Lemma holds_below g F r r' : SF g F -> below g r r' -> holds r F = holds r' F.
Proof. intros S Bl. rewrite !holds_all. f_equal. apply S; auto. Qed.
Lemma below_trans g r r' r'' : below g r r' -> below g r' r'' -> below g r r''.
Proof. intros A Bb n L. rewrite A by auto. auto. Qed.
Lemma below_refl g r : below g r r. Proof. intros n _; auto. Qed.
Lemma SF_app g F H : SF g F -> SF g H -> SF g (F ++ H).
Proof. intros A Bb r r' Bl. rewrite !map_app. f_equal; auto. Qed.
Lemma SF_cons g f F : supp g (fun r => truth r f) -> SF g F -> SF g (f :: F).
Proof. intros A Bb r r' Bl. cbn. f_equal; auto. Qed.
Lemma SF_hd g f F : SF g (f :: F) -> supp g (fun r => truth r f).
Proof. intros A r r' Bl. specialize (A r r' Bl). cbn in A. congruence. Qed.
Lemma SF_tl g f F : SF g (f :: F) -> SF g F.
Proof. intros A r r' Bl. specialize (A r r' Bl). cbn in A. congruence. Qed.
Lemma variables_eval r r' : (forall d, (forall x, In x (variables d) -> r x = r' x) -> eval r d = eval r' d) /\
  (forall f, (forall x, In x (variables_f f) -> r x = r' x) -> truth r f = truth r' f).
Proof. apply dim_form_ind; cbn; intros; auto.
  - rewrite H, H0; auto; intros; apply H1; apply in_or_app; auto.
  - rewrite H, H0, H1; auto; intros; apply H2; rewrite !in_app_iff; auto.
  - rewrite H, H0; auto; intros; apply H1; apply in_or_app; auto.
  - rewrite H; auto.
  - rewrite H, H0; auto; intros; apply H1; apply in_or_app; auto. Qed.
Lemma variables_supp g d : forallb (fun x => Nat.ltb x g) (variables d) = true -> supp g (fun r => eval r d).
Proof. rewrite forallb_forall. intros H r r' Bl. apply (proj1 (variables_eval r r')). intros x I. apply Bl. apply Nat.ltb_lt; auto. Qed.

(* ---------- what the checker reads symbolically, a run reads on numbers *)
Section Reading.
Variable r : env.
Lemma fields_valued T : fields (valued r T) = map (valued r) (fields T).
Proof. induction T as [| |a _ b IH]; cbn; auto. rewrite <- IH. auto. Qed.
Lemma tensors_valued T : tensors (valued r T) = option_map (map (tmap r)) (tensors T).
Proof. induction T as [| |a _ b IH]; cbn; auto. destruct a as [s t| |]; cbn; auto. fold (valued r b). rewrite IH. destruct (tensors b); auto. Qed.
Lemma size_of_valued G x : eval r (size_of (K 0) G x) = size_of 0 (map (valued r) G) x.
Proof. unfold size_of. rewrite nth_error_map. change type with (tree dim). destruct (nth_error G (fst x)) as [[s t| |]|]; auto. cbn. symmetry. apply (map_nth (eval r) s (K 0)). Qed.
Lemma scope_valued n q G rs j : below n q r -> eval r (scope (K 0) n V G rs j) = scope 0 n q (map (valued r) G) rs j.
Proof. intros Bl. unfold scope. destruct (Nat.ltb_spec j n); [symmetry; apply Bl; auto|].
  destruct (nth_error rs (j - n)); auto. apply size_of_valued. Qed.
Lemma here_valued n q G rs : below n q r -> (forall d, eval r (subst (here n G rs) d) = eval (scope 0 n q (map (valued r) G) rs) d) /\
  (forall f, truth r (substf (here n G rs) f) = truth (scope 0 n q (map (valued r) G) rs) f).
Proof. intros Bl. destruct (subst_correct (here n G rs) r) as [A Bb].
  destruct (eval_ext _ _ (fun j => scope_valued n q G rs j Bl)) as [C D].
  split; intros; [rewrite A; apply C|rewrite Bb; apply D]. Qed.
Lemma omap_valued n q G rs o : below n q r -> omap (eval (scope 0 n q (map (valued r) G) rs)) o = omap (eval r) (omap (subst (here n G rs)) o).
Proof. intros Bl. destruct (here_valued n q G rs Bl) as [A _].
  assert (M: forall ds, map (eval (scope 0 n q (map (valued r) G) rs)) ds = map (eval r) (map (subst (here n G rs)) ds)).
  { intros ds. rewrite map_map. apply map_ext. intros d. symmetry. apply A. }
  destruct o; cbn; rewrite ?M; auto. destruct units; cbn; rewrite <- ?A; auto. Qed.
Lemma sizes_flow_valued at_ at' a : (forall d, eval r (at_ d) = at' d) -> forall s,
  sizes_flow numbers at' a (map (eval r) s) = option_map (map (truth r)) (sizes_flow terms at_ a s).
Proof. intros E. induction a as [|[d|] a IH]; intros [|e s]; cbn; auto. rewrite IH. destruct (sizes_flow terms at_ a s); cbn; rewrite <- ?E; auto. Qed.
Lemma flow_valued at_ at' a : (forall d, eval r (at_ d) = at' d) -> forall T,
  flow numbers at' a (valued r T) = option_map (map (truth r)) (flow terms at_ a T).
Proof. intros E. induction a as [a t| |a IHa b IHb]; intros [s u| |v w]; cbn; auto.
  - destruct (Nat.eqb t u); auto. apply sizes_flow_valued; auto.
  - fold (valued r v) (valued r w). rewrite IHa, IHb. destruct (flow terms at_ a v); auto. destruct (flow terms at_ b w); cbn; auto.
    rewrite map_app. auto. Qed.
Definition second (x:nat * dim) : nat * Z := (fst x, eval r (snd x)).
Lemma bind_sizes_valued a : forall s l, bind_sizes a (map (eval r) s) (map second l) = map second (bind_sizes a s l).
Proof. induction a as [|d a IH]; intros [|e s] l; cbn [map bind_sizes]; auto. rewrite <- IH. f_equal.
  destruct d as [[| | |]|]; auto. rewrite map_app. auto. Qed.
Lemma bind_valued a : forall T l, bind a (valued r T) (map second l) = map second (bind a T l).
Proof. induction a as [a t| |a IHa b IHb]; intros [s u| |v w] l; cbn; auto; [apply bind_sizes_valued|].
  fold (valued r v) (valued r w). rewrite IHa, IHb. auto. Qed.
Lemma pick_valued x l : pick x (map second l) = option_map (eval r) (pick x l).
Proof. induction l as [|[y d] l IH]; cbn; auto. destruct (Nat.eqb x y); auto. Qed.
Lemma chosen_valued n l x : eval r (chosen (K 0) n l x) = chosen 0 n (map second l) x.
Proof. unfold chosen. destruct (Nat.ltb x n); auto. rewrite pick_valued. destruct (pick x l); auto. Qed.
Lemma entered_valued F T : (forall d, eval r (subst (chosen (K 0) (bound F) (bind (params F) T [])) d) = eval (entered F (valued r T)) d) /\
  (forall f, truth r (substf (chosen (K 0) (bound F) (bind (params F) T [])) f) = truth (entered F (valued r T)) f).
Proof. destruct (subst_correct (chosen (K 0) (bound F) (bind (params F) T [])) r) as [A Bb].
  assert (X: forall x, eval r (chosen (K 0) (bound F) (bind (params F) T []) x) = entered F (valued r T) x).
  { intros x. rewrite chosen_valued. unfold entered. rewrite <- bind_valued. auto. }
  destruct (eval_ext _ _ X) as [C D]. split; intros; [rewrite A|rewrite Bb]; auto. Qed.
Lemma demanded_valued F T gs : flow terms (subst (chosen (K 0) (bound F) (bind (params F) T []))) (params F) T = Some gs ->
  demanded F (valued r T) = Some (map (truth r) (gs ++ map (substf (chosen (K 0) (bound F) (bind (params F) T []))) (pre F))).
Proof. intros E. destruct (entered_valued F T) as [A Bb]. unfold demanded. rewrite (flow_valued _ _ (params F) A), E. cbn.
  rewrite map_app, map_map. do 2 f_equal. apply map_ext. intros f. symmetry. apply Bb. Qed.
End Reading.

(* ---------- obligations *)
Lemma owe_ok k l f s s' : owe k l f s = Good s' -> SF (next s) (facts s) -> supp (next s) (fun r => truth r f) ->
  next s' = next s /\ SF (next s) (facts s') /\ incl (left_open s) (left_open s') /\
  forall r, holds r (facts s) = true -> if truth r f then holds r (facts s') = true else In l (left_open s').
Proof. unfold owe. intros E S Sf. pose proof (proved_valid (facts s) f) as V. destruct (decide (facts s) f) as [| |h w]; inversion E; subst; cbn.
  - repeat split; auto; [intros x I; auto|]. intros r H. rewrite (V eq_refl r H). auto.
  - repeat split; auto; [apply SF_cons; auto|intros x I; right; auto|]. intros r H. destruct (truth r f); [exact H|left; auto]. Qed.
Lemma owes_ok k l fs : forall s s', owes k l fs s = Good s' -> SF (next s) (facts s) -> SF (next s) fs ->
  next s' = next s /\ SF (next s) (facts s') /\ incl (left_open s) (left_open s') /\
  forall r, holds r (facts s) = true -> if all (map (truth r) fs) then holds r (facts s') = true else In l (left_open s').
Proof. induction fs as [|f fs IH]; intros s s' E S Sf; cbn in E; [inversion E; subst; repeat split; auto; intros x I; auto|].
  destruct (owe k l f s) as [s1| | |] eqn:O; try discriminate E. cbn in E.
  destruct (owe_ok k l f s s1 O S (SF_hd _ _ _ Sf)) as (N & S1 & I1 & H1).
  destruct (IH s1 s' E) as (N2 & S2 & I2 & H2); try (rewrite N; auto; eapply SF_tl; eauto).
  rewrite N in *. repeat split; auto; [intros x I; auto|]. intros r H. specialize (H1 r H).
  change (all (map (truth r) (f :: fs))) with (truth r f && all (map (truth r) fs)). destruct (truth r f); cbn [andb]; [exact (H2 r H1)|apply I2; auto]. Qed.

(* ---------- an opened annotation has the value, at some values of its ghosts [type.open] *)
Definition from (g g':nat) (r:env) : Prop := forall i, (g <= i < g')%nat -> 0 <= r i.
Lemma ghosts_hold g g' r : from g g' r -> holds r (ghosts g g') = true.
Proof. intros F. apply holds_intro. intros f I. apply in_map_iff in I as (i & <- & I). apply in_seq in I. cbn. apply Z.leb_le, F. lia. Qed.
Lemma ghosts_supp g g' : SF g' (ghosts g g').
Proof. intros r r' Bl. unfold ghosts. rewrite !map_map. apply map_ext_in. intros i I. apply in_seq in I. cbn. rewrite Bl by lia. auto. Qed.
Lemma open_sizes_le at_ a : forall g s g', open_sizes at_ a g = (s, g') -> (g <= g')%nat.
Proof. induction a as [|[d|] a IH]; intros g s g' E; cbn in E; [inversion E; auto| |].
  - destruct (open_sizes at_ a g) eqn:O. inversion E; subst. eauto.
  - destruct (open_sizes at_ a (S g)) eqn:O. inversion E; subst. apply IH in O. lia. Qed.
Lemma open_sizes_ok at_ a : forall g s g' r at' z bs, open_sizes at_ a g = (s, g') -> (forall d, supp g (fun r => eval r (at_ d))) ->
  (forall d, eval r (at_ d) = at' d) -> sizes_flow numbers at' a z = Some bs -> all bs = true -> whole z ->
  exists r', below g r r' /\ map (eval r') s = z /\ from g g' r'.
Proof. induction a as [|[d|] a IH]; intros g s g' r at' [|e z] bs E Sa A F H W; cbn in E, F; try discriminate F.
  - inversion E; subst. exists r. repeat split; auto; intros i L; lia.
  - destruct (open_sizes at_ a g) as [s0 g0] eqn:O. inversion E; subst. destruct (sizes_flow numbers at' a z) as [cs|] eqn:Q; [|discriminate].
    inversion F; subst. cbn in H. apply andb_prop in H as [H1 H2]. apply Z.eqb_eq in H1.
    destruct (IH g s0 g' r at' z cs O Sa A Q H2 (whole_tl _ _ W)) as (r' & Bl & M & Fr).
    exists r'. repeat split; auto. cbn. f_equal; auto. rewrite <- (Sa d r r' Bl), A. auto.
  - destruct (open_sizes at_ a (S g)) as [s0 g0] eqn:O. inversion E; subst.
    set (r1 := fun x => if Nat.eqb x g then e else r x).
    assert (B1: below g r r1) by (intros x L; unfold r1; destruct (Nat.eqb_spec x g); auto; lia).
    destruct (IH (S g) s0 g' r1 at' z bs O) as (r' & Bl & M & Fr); auto.
    { intros d q q' Bq. apply Sa. intros x L. apply Bq. lia. }
    { intros d. rewrite <- (Sa d r r1 B1). auto. }
    { eapply whole_tl; eauto. }
    pose proof (open_sizes_le _ _ _ _ _ O). assert (G: r' g = e) by (rewrite <- Bl by lia; unfold r1; rewrite Nat.eqb_refl; auto).
    exists r'. repeat split.
    + intros x L. rewrite B1 by auto. apply Bl. lia.
    + cbn. f_equal; auto.
    + intros i L. destruct (Nat.eq_dec i g) as [->|]; [rewrite G; apply (whole_hd _ _ W)|apply Fr; lia]. Qed.
Lemma opened_le at_ a : forall g T g', opened at_ a g = (T, g') -> (g <= g')%nat.
Proof. induction a as [a t| |a IHa b IHb]; intros g T g' E; cbn in E.
  - destruct (open_sizes at_ a g) eqn:O. inversion E; subst. eapply open_sizes_le; eauto.
  - inversion E; auto.
  - destruct (opened at_ a g) eqn:A. destruct (opened at_ b n) eqn:Bb. inversion E; subst. apply IHa in A. apply IHb in Bb. lia. Qed.
Lemma open_sizes_supp at_ a : forall g s g', open_sizes at_ a g = (s, g') -> (forall d, supp g (fun r => eval r (at_ d))) ->
  supp g' (fun r => map (eval r) s).
Proof. induction a as [|[d|] a IH]; intros g s g' E Sa; cbn in E; [inversion E; subst; intros q q' _; auto| |].
  - destruct (open_sizes at_ a g) as [s0 g0] eqn:O. inversion E; subst. pose proof (open_sizes_le _ _ _ _ _ O).
    intros q q' Bq. cbn. f_equal; [apply Sa; eapply below_le; eauto|apply (IH _ _ _ O); auto].
  - destruct (open_sizes at_ a (S g)) as [s0 g0] eqn:O. inversion E; subst. pose proof (open_sizes_le _ _ _ _ _ O).
    intros q q' Bq. cbn. f_equal; [apply Bq; lia|]. apply (IH _ _ _ O); auto. intros d. apply supp_le with g; auto. Qed.
Lemma opened_supp at_ a : forall g T g', opened at_ a g = (T, g') -> (forall d, supp g (fun r => eval r (at_ d))) -> ST g' T.
Proof. induction a as [a t| |a IHa b IHb]; intros g T g' E Sa; cbn in E.
  - destruct (open_sizes at_ a g) as [s0 g0] eqn:O. inversion E; subst. intros q q' Bq. cbn. f_equal.
    apply (open_sizes_supp _ _ _ _ _ O); auto.
  - inversion E; subst. intros q q' _; auto.
  - destruct (opened at_ a g) as [T1 g1] eqn:O1. destruct (opened at_ b g1) as [T2 g2] eqn:O2. inversion E; subst.
    pose proof (opened_le _ _ _ _ _ O1) as L1. pose proof (opened_le _ _ _ _ _ O2) as L2.
    intros q q' Bq. cbn. fold (valued q T1) (valued q T2) (valued q' T1) (valued q' T2). f_equal.
    + apply (IHa _ _ _ O1); auto. eapply below_le; eauto.
    + apply (IHb _ _ _ O2); auto. intros d. apply supp_le with g; auto. Qed.
Lemma opened_ok at_ a : forall g T g' r at' v bs, opened at_ a g = (T, g') -> (forall d, supp g (fun r => eval r (at_ d))) ->
  (forall d, eval r (at_ d) = at' d) -> flow numbers at' a v = Some bs -> all bs = true -> natural_sizes v ->
  exists r', below g r r' /\ valued r' T = v /\ from g g' r'.
Proof. induction a as [a t| |a IHa b IHb]; intros g T g' r at' v bs E Sa A F H W; destruct v as [z u| |v w]; cbn in E, F; try discriminate F.
  - destruct (open_sizes at_ a g) as [s0 g0] eqn:O. inversion E; subst. destruct (Nat.eqb_spec t u); [|discriminate]. subst.
    destruct (open_sizes_ok at_ a g s0 g' r at' z bs O Sa A F H W) as (r' & Bl & M & Fr). exists r'. repeat split; auto. cbn. rewrite M. auto.
  - inversion E; subst. exists r. repeat split; auto; intros i L; lia.
  - destruct (opened at_ a g) as [T1 g1] eqn:O1. destruct (opened at_ b g1) as [T2 g2] eqn:O2. inversion E; subst.
    destruct (flow numbers at' a v) as [cs|] eqn:F1; [|discriminate]. destruct (flow numbers at' b w) as [ds|] eqn:F2; [|discriminate].
    inversion F; subst. rewrite all_app in H. apply andb_prop in H as [H1 H2]. destruct W as [W1 W2].
    pose proof (opened_le _ _ _ _ _ O1) as L1. pose proof (opened_le _ _ _ _ _ O2) as L2.
    destruct (IHa g T1 g1 r at' v cs O1 Sa A F1 H1 W1) as (r1 & B1 & V1 & Fr1).
    assert (Sa1: forall d, supp g1 (fun r => eval r (at_ d))) by (intros d; apply supp_le with g; auto).
    destruct (IHb g1 T2 g' r1 at' w ds O2 Sa1) as (r2 & B2 & V2 & Fr2); auto.
    { intros d. rewrite <- (Sa d r r1 B1). auto. }
    exists r2. split; [eapply below_trans; eauto; eapply below_le; eauto|]. split.
    + cbn. fold (valued r2 T1) (valued r2 T2). rewrite V2. f_equal. rewrite <- V1. symmetry.
      assert (ST1: ST g1 T1) by (eapply opened_supp; eauto). apply ST1; auto.
    + intros i L. destruct (Nat.lt_ge_cases i g1); [rewrite <- B2 by auto; apply Fr1; lia|apply Fr2; lia]. Qed.
Lemma enter_ok at_ a s T s' : enter at_ a s = (T, s') -> (forall d, supp (next s) (fun r => eval r (at_ d))) -> SF (next s) (facts s) ->
  (next s <= next s')%nat /\ ST (next s') T /\ SF (next s') (facts s') /\ left_open s' = left_open s /\
  forall r at' w bs, holds r (facts s) = true -> (forall d, eval r (at_ d) = at' d) -> flow numbers at' a w = Some bs -> all bs = true ->
    natural_sizes w -> exists r', below (next s) r r' /\ holds r' (facts s') = true /\ w = valued r' T.
Proof. unfold enter. intros E Sa S. destruct (opened at_ a (next s)) as [T0 g] eqn:O. inversion E; subst. cbn.
  pose proof (opened_le _ _ _ _ _ O) as L. split; auto. split; [eapply opened_supp; eauto|]. split.
  { apply SF_app; [apply ghosts_supp|apply supp_le with (next s); auto]. }
  split; auto. intros r at' w bs H A F B W. destruct (opened_ok _ _ _ _ _ r at' w bs O Sa A F B W) as (r' & Bl & V & Fr).
  exists r'. repeat split; auto. change (holds r' (ghosts (next s) g ++ facts s) = true). rewrite holds_app, ghosts_hold by auto. cbn [andb]. rewrite <- (holds_below _ _ _ _ S Bl). auto. Qed.

(* ---------- joins *)
Lemma shorter_ok r F fuel : holds r F = true -> forall d, eval r (shorter F fuel d) = eval r d.
Proof. intros H. induction fuel as [|fuel IH]; intros d; cbn [shorter].
  - rewrite eval_reify. apply (proj1 (norm_correct r)).
  - assert (N: eval r (reify (norm d)) = eval r d) by (rewrite eval_reify; apply (proj1 (norm_correct r))).
    destruct (condition (reify (norm d))) as [p|]; auto. pose proof (proved_valid F p) as V. pose proof (refuted_fails F p) as W.
    destruct (decide F p) as [| |h w]; auto; rewrite IH, <- N; [apply (assume_ok r p true)|apply (assume_ok r p false)]; auto. Qed.
Lemma tidy_ok r g F d : holds r F = true -> eval r (tidy g F d) = eval r d.
Proof. intros H. unfold tidy. destruct (forallb _ _); auto. apply shorter_ok; auto. Qed.
Lemma tidy_supp g F d : supp g (fun r => eval r d) -> supp g (fun r => eval r (tidy g F d)).
Proof. intros S. unfold tidy. destruct (forallb _ _) eqn:E; auto. apply variables_supp; auto. Qed.
Lemma preferred_ok r g F d ks : holds r F = true -> eval r (preferred g F d ks) = eval r d.
Proof. intros H. unfold preferred. destruct (first_some _ ks) as [k|] eqn:E; [|apply tidy_ok; auto].
  apply first_some_in in E as (j & _ & D). pose proof (proved_valid F (Cmp Equal d (K j))) as V.
  destruct (decide F (Cmp Equal d (K j))); inversion D; subst. specialize (V eq_refl r H). cbn in V. apply Z.eqb_eq in V. auto. Qed.
Lemma preferred_supp g F d ks : supp g (fun r => eval r d) -> supp g (fun r => eval r (preferred g F d ks)).
Proof. intros S. unfold preferred. destruct (first_some _ ks); [intros q q' _; auto|apply tidy_supp; auto]. Qed.
Lemma tidied_ok r g F ds : holds r F = true -> forall hs, map (eval r) (tidied g F ds hs) = map (eval r) ds.
Proof. intros H. induction ds as [|d ds IH]; intros hs; cbn; auto. rewrite preferred_ok, IH; auto. Qed.
Lemma sizes_tl g d a : supp g (fun r => map (eval r) (d :: a)) -> supp g (fun r => map (eval r) a).
Proof. intros S q q' Bq. specialize (S q q' Bq). cbn in S. congruence. Qed.
Lemma sizes_hd g d a : supp g (fun r => map (eval r) (d :: a)) -> supp g (fun r => eval r d).
Proof. intros S q q' Bq. specialize (S q q' Bq). cbn in S. congruence. Qed.
Lemma tidied_supp g F ds : forall hs, supp g (fun r => map (eval r) ds) -> supp g (fun r => map (eval r) (tidied g F ds hs)).
Proof. induction ds as [|d ds IH]; intros hs S; [exact S|]. intros q q' Bq. cbn. f_equal.
  - apply preferred_supp; auto. eapply sizes_hd; eauto.
  - apply IH; auto. eapply sizes_tl; eauto. Qed.
Definition either {A} (x a b:A) : Prop := x = a \/ x = b.
Lemma join_sizes_ok l a : forall b s z s', join_sizes l a b s = Good (z, s') -> SF (next s) (facts s) ->
  supp (next s) (fun r => map (eval r) a) -> supp (next s) (fun r => map (eval r) b) ->
  (next s <= next s')%nat /\ supp (next s') (fun r => map (eval r) z) /\ SF (next s') (facts s') /\ incl (left_open s) (left_open s') /\
  forall r v, holds r (facts s) = true -> either v (map (eval r) a) (map (eval r) b) -> whole v ->
    exists r', below (next s) r r' /\ holds r' (facts s') = true /\ v = map (eval r') z.
Proof. induction a as [|d a IH]; intros [|e b] s z s' E S Sa Sb; cbn [join_sizes] in E; try discriminate E.
  - inversion E; subst. repeat split; auto; [intros x I; auto|]. intros r v H [->| ->] W; exists r; repeat split; auto.
  - pose proof (sizes_tl _ _ _ Sa) as Sa'. pose proof (sizes_tl _ _ _ Sb) as Sb'. pose proof (sizes_hd _ _ _ Sa) as Sd. pose proof (sizes_hd _ _ _ Sb) as Se.
    assert (Kept: (forall r, holds r (facts s) = true -> eval r d = eval r e) ->
      then_ (join_sizes l a b s) (fun x => Good (d :: fst x, snd x)) = Good (z, s') ->
      (next s <= next s')%nat /\ supp (next s') (fun r => map (eval r) z) /\ SF (next s') (facts s') /\ incl (left_open s) (left_open s') /\
      forall r v, holds r (facts s) = true -> either v (map (eval r) (d :: a)) (map (eval r) (e :: b)) -> whole v ->
        exists r', below (next s) r r' /\ holds r' (facts s') = true /\ v = map (eval r') z).
    { intros Q X. destruct (join_sizes l a b s) as [[y s1]| | |] eqn:J; try discriminate X. cbn in X. inversion X; subst.
      destruct (IH b s y s' J S Sa' Sb') as (N & Sy & Sf & I & M). split; auto. split.
      { intros q q' Bq. cbn. f_equal; [apply Sd; eapply below_le; eauto|apply Sy; auto]. }
      split; auto. split; auto. intros r v H Ei W.
      destruct v as [|v0 v]; [destruct Ei as [Ei|Ei]; discriminate Ei|].
      destruct (M r v H) as (r' & Bl & H' & V').
      { destruct Ei as [Ei|Ei]; inversion Ei; subst; [left|right]; auto. }
      { eapply whole_tl; eauto. }
      exists r'. repeat split; auto. cbn. f_equal; auto. rewrite <- (Sd r r' Bl).
      destruct Ei as [Ei|Ei]; inversion Ei; subst; auto. symmetry. apply Q; auto. }
    destruct (same d e) eqn:SE; [apply Kept; auto; intros r _; apply same_sound; auto|].
    pose proof (proved_valid (facts s) (Cmp Equal d e)) as PV.
    destruct (decide (facts s) (Cmp Equal d e)) as [| |h w]; [|discriminate E|].
    { apply Kept; auto. intros r H. specialize (PV eq_refl r H). cbn in PV. apply Z.eqb_eq; auto. }
    clear Kept PV. set (g := next s) in *.
    set (s1 := State (Datatypes.S g) (Con false (Cmp Equal (V g) d) (Cmp Equal (V g) e) :: Cmp AtMost (K 0) (V g) :: facts s) (open s) (Entry Joined l h w :: log s)) in *.
    destruct (join_sizes l a b s1) as [[y s2]| | |] eqn:J; try discriminate E. cbn in E. inversion E; subst.
    assert (Up: forall A (f:env -> A), supp g f -> supp (Datatypes.S g) f) by (intros A f Sg; apply supp_le with g; auto).
    destruct (IH b s1 y s' J) as (N & Sy & Sf & I & M).
    { change (SF (Datatypes.S g) (Con false (Cmp Equal (V g) d) (Cmp Equal (V g) e) :: Cmp AtMost (K 0) (V g) :: facts s)).
      apply SF_cons; [|apply SF_cons; [|apply Up; auto]].
      - intros q q' Bq. cbn. rewrite (Bq g) by lia. rewrite (Up _ _ Sd q q' Bq), (Up _ _ Se q q' Bq). auto.
      - intros q q' Bq. cbn. rewrite (Bq g) by lia. auto. }
    { apply Up; auto. }
    { apply Up; auto. }
    cbn in N, I. split; [lia|]. split.
    { intros q q' Bq. cbn. f_equal; [apply Bq; lia|apply Sy; auto]. }
    split; auto. split; [intros x X; apply I; right; auto|]. intros r v H Ei W.
    destruct v as [|v0 v]; [destruct Ei as [Ei|Ei]; discriminate Ei|].
    assert (P: either v0 (eval r d) (eval r e)) by (destruct Ei as [Ei|Ei]; inversion Ei; [left|right]; auto).
    assert (Q: either v (map (eval r) a) (map (eval r) b)) by (destruct Ei as [Ei|Ei]; inversion Ei; [left|right]; auto).
    set (r1 := fun x => if Nat.eqb x g then v0 else r x).
    assert (B1: below g r r1) by (intros x L; unfold r1; destruct (Nat.eqb_spec x g); auto; lia).
    assert (G: r1 g = v0) by (unfold r1; rewrite Nat.eqb_refl; auto).
    destruct (M r1 v) as (r' & Bl & H' & V').
    { cbn. rewrite G, <- (Sd r r1 B1), <- (Se r r1 B1). pose proof (whole_hd _ _ W). destruct (Z.leb_spec 0 v0); [|lia].
      change (forallb (truth r1) (facts s)) with (holds r1 (facts s)). rewrite <- (holds_below _ _ _ _ S B1), H, andb_true_r.
      destruct P as [P|P]; rewrite <- P, Z.eqb_refl, ?orb_true_r; auto. }
    { rewrite <- (Sa' r r1 B1), <- (Sb' r r1 B1). exact Q. }
    { eapply whole_tl; eauto. }
    exists r'. cbn in Bl. split; [intros x L; rewrite B1 by auto; apply Bl; lia|]. split; auto. cbn. f_equal; auto.
    rewrite <- Bl by lia. auto. Qed.
Lemma pair_supp g (T U:type) : ST g (Pair T U) -> ST g T /\ ST g U.
Proof. intros S. split; intros q q' Bq; specialize (S q q' Bq); cbn in S; inversion S; auto. Qed.
Lemma supp_pair g (T U:type) : ST g T -> ST g U -> ST g (Pair T U).
Proof. intros A Bb q q' Bq. cbn. fold (valued q T) (valued q U) (valued q' T) (valued q' U). f_equal; auto. Qed.
Lemma ten_supp g s t : ST g (Ten s t) -> supp g (fun r => map (eval r) s).
Proof. intros S q q' Bq. specialize (S q q' Bq). cbn in S. inversion S; auto. Qed.
Lemma join_types_ok l a : forall b s z s', join_types l a b s = Good (z, s') -> SF (next s) (facts s) -> ST (next s) a -> ST (next s) b ->
  (next s <= next s')%nat /\ ST (next s') z /\ SF (next s') (facts s') /\ incl (left_open s) (left_open s') /\
  forall r v, holds r (facts s) = true -> either v (valued r a) (valued r b) -> natural_sizes v ->
    exists r', below (next s) r r' /\ holds r' (facts s') = true /\ v = valued r' z.
Proof. induction a as [d t| |a IHa a' IHb]; intros [e u| |b b'] s z s' E S Sa Sb; cbn [join_types] in E; try discriminate E.
  - destruct (Nat.eqb_spec t u); [|discriminate]. subst u. destruct (join_sizes l d e s) as [[y s1]| | |] eqn:J; try discriminate E.
    cbn in E. inversion E; subst. destruct (join_sizes_ok l d e s y s' J S (ten_supp _ _ _ Sa) (ten_supp _ _ _ Sb)) as (N & Sy & Sf & I & M).
    repeat split; auto; [intros q q' Bq; cbn; f_equal; apply Sy; auto|]. intros r v H Ei W.
    destruct v as [v u| |]; [|destruct Ei as [Ei|Ei]; discriminate Ei..].
    destruct (M r v H) as (r' & Bl & H' & V'); auto; [destruct Ei as [Ei|Ei]; inversion Ei; subst; [left|right]; auto|].
    exists r'. repeat split; auto. cbn. destruct Ei as [Ei|Ei]; inversion Ei; subst; congruence.
  - inversion E; subst. repeat split; auto; [intros x I; auto|]. intros r v H [->| ->] W; exists r; repeat split; auto.
  - destruct (pair_supp _ _ _ Sa) as [Sa1 Sa2]. destruct (pair_supp _ _ _ Sb) as [Sb1 Sb2].
    destruct (join_types l a b s) as [[y s1]| | |] eqn:J; try discriminate E. cbn in E.
    destruct (join_types l a' b' s1) as [[y' s2]| | |] eqn:J'; try discriminate E. cbn in E. inversion E; subst.
    destruct (IHa b s y s1 J S Sa1 Sb1) as (N & Sy & Sf & I & M).
    destruct (IHb b' s1 y' s' J' Sf) as (N' & Sy' & Sf' & I' & M'); try (apply supp_le with (next s); auto).
    repeat split; auto; [lia|apply supp_pair; auto; apply supp_le with (next s1); auto|intros x X; auto|].
    intros r v H Ei W. destruct v as [| |v v']; [destruct Ei as [Ei|Ei]; discriminate Ei..|]. destruct W as [W W'].
    destruct (M r v H) as (r1 & B1 & H1 & V1); auto; [destruct Ei as [Ei|Ei]; inversion Ei; subst; [left|right]; auto|].
    destruct (M' r1 v' H1) as (r2 & B2 & H2 & V2); auto.
    { rewrite <- (Sa2 r r1 B1), <- (Sb2 r r1 B1). destruct Ei as [Ei|Ei]; inversion Ei; subst; [left|right]; auto. }
    exists r2. split; [intros x L; rewrite B1 by auto; apply B2; lia|]. split; auto. cbn. fold (valued r2 y) (valued r2 y').
    rewrite V2. f_equal. rewrite V1. apply Sy; auto. Qed.
