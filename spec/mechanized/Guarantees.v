(* The static gradual guarantee and the conservative extension of the first-order core (Core.v). *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Core.
Import ListNotations.
Open Scope Z_scope.

(* ================= Theorem 3: static gradual guarantee ================= *)
Section SGG.
Variables prove refute : list spred -> spred -> bool.
(* sound everywhere; complete on the goals of the precise program ("no solver unknown there") *)
Hypothesis refute_sound : refutes_soundly refute.
Hypothesis refute_complete : forall F p, (forall r, models r F -> p r = false) -> refute F p = true.
(* s embeds every model of the precise state into a model of the imprecise one, with the same concrete shapes *)
Record embed nr (s:env->env) F G F' G' := { em_len : map (@length sdim) G = map (@length sdim) G'; em_r : forall r, below nr r (s r);
  em_F : forall r, models r F -> models (s r) F'; em_G : forall r, models r F -> map (ev r) G = map (ev (s r)) G' }.
Lemma len_nth G G' x (T:list sdim) : map (@length sdim) G = map (@length sdim) G' -> nth_error G x = Some T ->
  exists T', nth_error G' x = Some T' /\ length T = length T'.
Proof. intros L E. pose proof (map_nth_error (@length sdim) _ _ E) as X. rewrite L, nth_error_map in X.
  destruct (nth_error G' x) as [T'|]; inversion X; eauto. Qed.
Lemma len_lookups G G' xs ins : map (@length sdim) G = map (@length sdim) G' -> lookups G xs = Some ins ->
  exists ins', lookups G' xs = Some ins' /\ map (@length sdim) ins = map (@length sdim) ins'.
Proof. intros L. revert ins. induction xs as [|x xs IH]; cbn; intros ins H; [inversion H; exists []; auto|].
  destruct (nth_error G x) as [T|] eqn:E; try discriminate. destruct (lookups G xs) as [i1|] eqn:E2; try discriminate. inversion H; subst.
  destruct (len_nth _ _ _ _ L E) as (T' & -> & LT). destruct (IH _ eq_refl) as (i' & -> & LI). exists (T'::i'). cbn. split; congruence. Qed.
Lemma em_ins nr s F G F' G' xs ins ins' r : embed nr s F G F' G' -> models r F -> lookups G xs = Some ins -> lookups G' xs = Some ins' ->
  map (ev r) ins = map (ev (s r)) ins'.
Proof. intros [_ _ _ EG] M A B. pose proof (lookups_map (ev r) _ _ _ A) as X. rewrite (EG r M) in X.
  rewrite (lookups_map (ev (s r)) _ _ _ B) in X. congruence. Qed.
Lemma em_T nr s F G F' G' x T T' r : embed nr s F G F' G' -> models r F -> nth_error G x = Some T -> nth_error G' x = Some T' -> ev r T = ev (s r) T'.
Proof. intros [_ _ _ EG] M A B. pose proof (map_nth_error (ev r) _ _ A) as X. rewrite (EG r M) in X.
  rewrite (map_nth_error (ev (s r)) _ _ B) in X. congruence. Qed.
Lemma refute_mono nr s F G F' G' (p p':spred) : embed nr s F G F' G' -> (forall r, models r F -> p r = true -> p' (s r) = true) ->
  refute F p = false -> refute F' p' = false.
Proof. intros EM I H. destruct (refute F' p') eqn:R; auto. rewrite <- H. symmetry. apply refute_complete. intros r M.
  destruct (p r) eqn:P; auto. pose proof (refute_sound _ _ R (s r) (em_F _ _ _ _ _ _ EM r M)) as X. rewrite (I r M P) in X. discriminate. Qed.
Lemma cond_len G G' c f : map (@length sdim) G = map (@length sdim) G' -> cond_pred G c = Some f -> exists f', cond_pred G' c = Some f'.
Proof. intros L. destruct c as [b|x i k]; cbn; eauto. destruct (nth_error G x) as [T|] eqn:E; try discriminate.
  destruct (len_nth _ _ _ _ L E) as (T' & -> & LT). destruct (nth_error T i) eqn:E2; try discriminate.
  destruct (nth_error T' i) eqn:E3; eauto. apply nth_error_None in E3. assert (i < length T)%nat by (apply nth_error_Some; congruence). lia. Qed.
Theorem sgg nr e e' : eprec e e' -> forall s Fnp Fpath G g Fnp' Fpath' G' g', exp_ok nr e -> exp_ok nr e' ->
  (nr <= g')%nat -> suppF g' Fnp' -> suppG g' G' -> embed nr s Fnp G Fnp' G' ->
  elab prove refute Fnp Fpath G g e <> None -> elab prove refute Fnp' Fpath' G' g' e' <> None.
Proof. induction 1 as [x|o xs l e e' P IH|x a a' l e e' F P IH|c e1 e2 e1' e2' P1 IH1 P2 IH2];
    intros s Fnp Fpath G g Fnp' Fpath' G' g' OK OK' L SF SG EM H; cbn in *.
  - destruct (nth_error G x) eqn:E; [|congruence]. destruct (len_nth _ _ _ _ (em_len _ _ _ _ _ _ EM) E) as (T' & -> & _). discriminate.
  - destruct OK as [OO OK], OK' as [_ OK']. destruct (lookups G xs) as [ins|] eqn:E; [|congruence].
    destruct (len_lookups _ _ _ _ (em_len _ _ _ _ _ _ EM) E) as (ins' & E' & LI). rewrite E', <- LI.
    destruct (orank o (map (@length sdim) ins)) as [k|] eqn:R; [|congruence].
    unfold verdict in *. destruct (refute Fnp (pre_of o ins)) eqn:RF; [congruence|].
    assert (RF': refute Fnp' (pre_of o ins') = false).
    { eapply refute_mono; eauto. intros r M. unfold pre_of. rewrite (em_ins _ _ _ _ _ _ _ _ _ r EM M E E'). auto. }
    rewrite RF'.
    assert (X: elab prove refute (pre_of o ins' :: bound_of o ins' g' :: Fnp') Fpath' (G' ++ [out_of o ins' g' k]) (g' + nex o) e' <> None).
    { set (s' := fun r => upds (s r) g' (ev r (ghosts g (nex o)))).
      assert (LG: forall r, length (ev r (ghosts g (nex o))) = nex o) by (intros; unfold ev, ghosts; rewrite !map_length, seq_length; auto).
      assert (EI: forall r, models r Fnp -> map (ev (s' r)) ins' = map (ev r) ins).
      { intros r M. rewrite (em_ins _ _ _ _ _ _ _ _ _ r EM M E E'). apply map_ext_in. intros T I. symmetry.
        eapply supp_ev; [|apply below_upds]. eauto using lookups_In. }
      assert (EG: forall r, ev (s' r) (ghosts g' (nex o)) = ev r (ghosts g (nex o))).
      { intros r. unfold s'. rewrite <- (LG r) at 2. apply ev_ghosts. }
      assert (W: forall r, models r (pre_of o ins :: bound_of o ins g :: Fnp) -> models r Fnp) by (intros r M q I; apply M; right; right; auto).
      eapply IH with (s:=s') (Fnp:=pre_of o ins :: bound_of o ins g :: Fnp) (G:=G ++ [out_of o ins g k]) (g:=(g+nex o)%nat) (Fpath:=Fpath); eauto.
      - lia.
      - apply suppF_cons; [eapply supp_le; [|eapply supp_pre; eauto]; lia|apply suppF_cons; [eapply supp_bound; eauto|eapply suppF_le; [|eauto]; lia]].
      - apply (suppG_snoc g'); [lia|assumption|]. intros; eapply supp_out; eauto.
      - split.
        + rewrite !map_app. f_equal. apply EM. cbn. unfold out_of. rewrite !map_length; auto.
        + intros r n Hn. unfold s'. rewrite upds_lo by lia. apply (em_r _ _ _ _ _ _ EM); auto.
        + intros r M q [<-|[<-|I]].
          * unfold pre_of. rewrite (EI r (W r M)). apply (M (pre_of o ins)); left; auto.
          * unfold bound_of. rewrite (EI r (W r M)), (EG r). apply (M (bound_of o ins g)); right; left; auto.
          * rewrite <- (SF q I (s r) (s' r)); [|apply below_upds]. apply (em_F _ _ _ _ _ _ EM r (W r M)); auto.
        + intros r M. rewrite !map_app. cbn. f_equal.
          * rewrite (em_G _ _ _ _ _ _ EM r (W r M)). eapply supp_evs; eauto. apply below_upds.
          * f_equal. rewrite !ev_out_of; auto; [|rewrite <- LI; auto]. rewrite (EI r (W r M)), (EG r); auto.
      - destruct (prove (Fpath ++ Fnp) (pre_of o ins)); destruct (elab prove refute (pre_of o ins :: _) _ _ _ e); congruence. }
    destruct (prove (Fpath' ++ Fnp') (pre_of o ins')); destruct (elab _ _ _ _ _ _ e'); congruence.
  - destruct OK as [OA OK], OK' as [OA' OK']. destruct (nth_error G x) as [T|] eqn:E; [|congruence].
    destruct (len_nth _ _ _ _ (em_len _ _ _ _ _ _ EM) E) as (T' & E' & LT). rewrite E', <- LT, <- (F2len _ _ _ F).
    destruct (Nat.eqb_spec (length a) (length T)) as [EL|]; [|congruence].
    unfold verdict in *. destruct (refute Fnp (asc_pred a T)) eqn:RF; [congruence|].
    assert (AM: forall r, models r Fnp -> asc_pred a T r = true -> asc_pred a' T' (s r) = true).
    { intros r M. unfold asc_pred. rewrite <- (em_T _ _ _ _ _ _ _ _ _ r EM M E E'). intro A. apply (anns_mono _ _ F) in A.
      rewrite <- (anns_agree nr a' r (s r)); auto. apply EM. }
    assert (RF': refute Fnp' (asc_pred a' T') = false) by (eapply refute_mono; eauto). rewrite RF'.
    assert (X: elab prove refute (asc_pred a' T' :: Fnp') Fpath' (G' ++ [asc_out a' g']) (g' + length a') e' <> None).
    { set (s' := fun r => upds (s r) g' (ev r (asc_out a g))).
      assert (W: forall r, models r (asc_pred a T :: Fnp) -> models r Fnp) by (intros r M q I; apply M; right; auto).
      assert (ST: forall d, In d T' -> supp g' d) by (intros; eapply SG; eauto using nth_error_In).
      eapply IH with (s:=s') (Fnp:=asc_pred a T :: Fnp) (G:=G ++ [asc_out a g]) (g:=(g+length a)%nat) (Fpath:=Fpath); eauto.
      - lia.
      - apply suppF_cons; [eapply supp_le; [|eapply supp_anns; eauto]; lia|eapply suppF_le; [|eauto]; lia].
      - apply (suppG_snoc g'); [lia|assumption|]. eapply supp_asc_out; eauto.
      - split.
        + rewrite !map_app. f_equal. apply EM. cbn. rewrite !asc_out_len, (F2len _ _ _ F); auto.
        + intros r n Hn. unfold s'. rewrite upds_lo by lia. apply (em_r _ _ _ _ _ _ EM); auto.
        + intros r M q [<-|I].
          * rewrite <- (AM r (W r M)); [|apply (M (asc_pred a T)); left; auto]. symmetry.
            apply (supp_anns nr a' g' T' OA' L ST (s r) (s' r)). apply below_upds.
          * rewrite <- (SF q I (s r) (s' r)); [|apply below_upds]. apply (em_F _ _ _ _ _ _ EM r (W r M)); auto.
        + intros r M. rewrite !map_app. cbn. f_equal.
          * rewrite (em_G _ _ _ _ _ _ EM r (W r M)). eapply supp_evs; eauto. apply below_upds.
          * f_equal. symmetry. eapply asc_embed; eauto. apply EM.
      - destruct (prove (Fpath ++ Fnp) (asc_pred a T)); destruct (elab prove refute (asc_pred a T :: _) _ _ _ e); congruence. }
    rewrite <- (F2len _ _ _ F) in X.
    destruct (prove (Fpath' ++ Fnp') (asc_pred a' T')); destruct (elab _ _ _ _ _ _ e'); congruence.
  - destruct OK as [O1 O2], OK' as [O1' O2']. destruct (cond_pred G c) as [[f1 f2]|] eqn:C; [|congruence].
    destruct (cond_len _ _ _ _ (em_len _ _ _ _ _ _ EM) C) as ([f1' f2'] & ->).
    destruct (elab prove refute Fnp (f1 ++ Fpath) G g e1) eqn:A1; [|congruence]. destruct (elab prove refute Fnp (f2 ++ Fpath) G g e2) eqn:A2; [|congruence].
    assert (X1: elab prove refute Fnp' (f1' ++ Fpath') G' g' e1' <> None) by (apply (IH1 s Fnp (f1 ++ Fpath) G g Fnp' (f1' ++ Fpath') G' g'); auto; congruence).
    assert (X2: elab prove refute Fnp' (f2' ++ Fpath') G' g' e2' <> None) by (apply (IH2 s Fnp (f2 ++ Fpath) G g Fnp' (f2' ++ Fpath') G' g'); auto; congruence).
    destruct (elab prove refute Fnp' (f1' ++ Fpath') G' g' e1'), (elab prove refute Fnp' (f2' ++ Fpath') G' g' e2'); congruence. Qed.
End SGG.

(* ================= Theorem 4: conservative extension =================
   Static programs: no [?], no data-dependent operator, so no ghost is ever consulted.  The static system
   demands every goal to hold in every model of the facts (rigid variables universally quantified). *)
Fixpoint no_check (e:rexp) := match e with RRet _ => True | ROp _ _ c _ _ e | RAsc _ c _ _ e => c = None /\ no_check e
  | RIf _ a b => no_check a /\ no_check b end.
(* facts F (unconditional) and path facts P are threaded as in [elab]; no oracle, no verdict, no ghosts kept *)
Inductive static : list spred -> list spred -> list (list sdim) -> nat -> exp -> Prop :=
| S_ret F P G g x T : nth_error G x = Some T -> static F P G g (Ret x)
| S_op F P G g o xs ins k l e : lookups G xs = Some ins -> orank o (map (@length sdim) ins) = Some k ->
    (forall r, models r (P ++ F) -> pre_of o ins r = true) -> (exists r, models r F /\ pre_of o ins r = true) ->
    static (pre_of o ins :: bound_of o ins g :: F) P (G ++ [out_of o ins g k]) (g + nex o) e -> static F P G g (LetOp o xs l e)
| S_asc F P G g x T a l e : nth_error G x = Some T -> length a = length T ->
    (forall r, models r (P ++ F) -> asc_pred a T r = true) -> (exists r, models r F /\ asc_pred a T r = true) ->
    static (asc_pred a T :: F) P (G ++ [asc_out a g]) (g + length a) e -> static F P G g (LetAsc x a l e)
| S_if F P G g c f1 f2 e1 e2 : cond_pred G c = Some (f1,f2) -> static F (f1 ++ P) G g e1 -> static F (f2 ++ P) G g e2 -> static F P G g (If c e1 e2).
Section Conservative.
Variables prove refute : list spred -> spred -> bool.
Hypothesis prove_sound : proves_soundly prove.
Hypothesis prove_complete : forall F p, (forall r, models r F -> p r = true) -> prove F p = true.
Hypothesis refute_sound : refutes_soundly refute.
Hypothesis refute_complete : forall F p, refute F p = false -> exists r, models r F /\ p r = true.
Theorem conservative e : forall F P G g,
  static F P G g e <-> exists re, elab prove refute F P G g e = Some re /\ no_check re.
Proof. induction e as [x|o xs l e IH|x a l e IH|c e1 IH1 e2 IH2]; intros F P G g; split.
  - intros S; inversion S as [? ? ? ? ? ? E| | |]; subst. cbn. rewrite E. eexists; split; eauto. cbn; auto.
  - cbn. intros (re & H & _). destruct (nth_error G x) eqn:E; try discriminate. econstructor; eauto.
  - intros S; inversion S as [|? ? ? ? ? ? ins k ? ? E R V X S'| |]; subst. cbn. rewrite E, R. unfold verdict.
    destruct (refute F (pre_of o ins)) eqn:RF. { destruct X as (r & M & X). rewrite (refute_sound _ _ RF r M) in X. discriminate. }
    rewrite (prove_complete (P ++ F)) by auto. apply IH in S' as (re & -> & NC). eexists; split; eauto. cbn; auto.
  - cbn. intros (re & H & NC). destruct (lookups G xs) as [ins|] eqn:E; try discriminate. destruct (orank o _) as [k|] eqn:R; try discriminate.
    unfold verdict in H. destruct (refute F (pre_of o ins)) eqn:RF; try discriminate.
    destruct (elab prove refute (pre_of o ins :: bound_of o ins g :: F) P (G ++ [out_of o ins g k]) (g + nex o) e) eqn:E2;
      destruct (prove (P ++ F) (pre_of o ins)) eqn:PV; try discriminate; inversion H; subst; cbn in NC; destruct NC as [N1 N2]; try discriminate.
    econstructor; eauto. apply IH; eauto.
  - intros S; inversion S as [| |? ? ? ? ? T ? ? ? E EL V X S'|]; subst. cbn. rewrite E. destruct (Nat.eqb_spec (length a) (length T)); [|congruence]. unfold verdict.
    destruct (refute F (asc_pred a T)) eqn:RF. { destruct X as (r & M & X). rewrite (refute_sound _ _ RF r M) in X. discriminate. }
    rewrite (prove_complete (P ++ F)) by auto. apply IH in S' as (re & -> & NC). eexists; split; eauto. cbn; auto.
  - cbn. intros (re & H & NC). destruct (nth_error G x) as [T|] eqn:E; try discriminate. destruct (Nat.eqb_spec (length a) (length T)) as [EL|]; try discriminate.
    unfold verdict in H. destruct (refute F (asc_pred a T)) eqn:RF; try discriminate.
    destruct (elab prove refute (asc_pred a T :: F) P (G ++ [asc_out a g]) (g + length a) e) eqn:E2;
      destruct (prove (P ++ F) (asc_pred a T)) eqn:PV; try discriminate; inversion H; subst; cbn in NC; destruct NC as [N1 N2]; try discriminate.
    econstructor; eauto. apply IH; eauto.
  - intros S; inversion S as [| | |? ? ? ? ? f1 f2 ? ? C A B]; subst. cbn. rewrite C. apply IH1 in A as (a & -> & NA). apply IH2 in B as (b & -> & NB). eexists; split; eauto. cbn; auto.
  - cbn. intros (re & H & NC). destruct (cond_pred G c) as [[f1 f2]|] eqn:C; try discriminate.
    destruct (elab prove refute F (f1 ++ P) G g e1) eqn:A1; try discriminate. destruct (elab prove refute F (f2 ++ P) G g e2) eqn:A2; try discriminate.
    inversion H; subst. destruct NC. econstructor; eauto; [apply IH1|apply IH2]; eauto. Qed.
End Conservative.
