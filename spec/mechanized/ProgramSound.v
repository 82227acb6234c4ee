(* Programs (Program.v): the elaborated program does what the one with all checks does, label for label, at every fuel;
   no operator and no body is reached with its needs unmet; every value has the sizes of its type. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Program ProgramScope.
Import ListNotations.
Open Scope Z_scope.
#[local] Hint Resolve suppF_nil suppF_cons : core.

(* ---------- a value has its type *)
Definition hasT r (T:ty) (s:shape) := match T with Known ds => ev r ds = s
  | Star rk nm => rk r = Z.of_nat (length s) /\ nm r = numel s end.
Definition typed r (G:list entry_t) vs := Forall2 (fun t s => hasT r (snd t) s) G vs.
Lemma hasT_below n T r r' s : suppT n T -> below n r r' -> hasT r T s -> hasT r' T s.
Proof. destruct T as [ds|rk nm]; cbn; intros S B H.
  - rewrite <- H. symmetry. eapply supp_ev; eauto.
  - destruct S as [S1 S2], H as [H1 H2]. rewrite <- (S1 r r' B), <- (S2 r r' B); auto. Qed.
Lemma hasT_star r g us s : hasT (upds r g (shown true us s)) (star_at g) s.
Proof. unfold shown. cbn. rewrite !Nat.eqb_refl. destruct (Nat.eqb_spec g (S g)); [lia|]. auto. Qed.
Lemma typed_below nr lv k g r r' G vs : frames nr lv k g -> suppE lv k g G -> below g r r' -> typed r G vs -> typed r' G vs.
Proof. intros F S B. induction 1 as [|t s G vs H T IH]; constructor.
  - eapply hasT_below; eauto. eapply suppE_In; eauto. left; auto.
  - apply IH. intros u I. apply S. right; auto. Qed.
Lemma Forall2_nth {A B} (R:A -> B -> Prop) l l' : Forall2 R l l' -> forall x a, nth_error l x = Some a ->
  exists b, nth_error l' x = Some b /\ R a b.
Proof. induction 1 as [|a b l l' H T IH]; intros [|x] c E; cbn in *; try discriminate; eauto. inversion E; subst; eauto. Qed.
Lemma typed_nth r G vs x t : typed r G vs -> nth_error G x = Some t -> exists s, nth_error vs x = Some s /\ hasT r (snd t) s.
Proof. intros T E. exact (Forall2_nth _ _ _ T _ _ E). Qed.
Lemma typed_lookups r G vs xs : typed r G vs -> forall es, lookups G xs = Some es -> exists ins, lookups vs xs = Some ins /\ typed r es ins.
Proof. intros T. induction xs as [|x xs IH]; cbn; intros es H; [inversion H; exists []; repeat constructor|].
  destruct (nth_error G x) as [t|] eqn:E; try discriminate. destruct (lookups G xs) as [us|]; inversion H; subst.
  destruct (typed_nth _ _ _ _ _ T E) as (s & -> & HT). destruct (IH _ eq_refl) as (ins & -> & TI). exists (s::ins). split; auto.
  constructor; auto. Qed.
Lemma known_ev r es : forall Ts ins, all_known es = Some Ts -> typed r es ins -> map (ev r) Ts = ins.
Proof. induction es as [|[d [T|? ?]] es IH]; cbn; intros Ts ins H TY; inversion TY as [|? ? ? ? HT ?]; subst; try discriminate; [inversion H; auto|].
  destruct (all_known es); inversion H; subst. cbn. cbn in HT. f_equal; auto. Qed.
Lemma ev_out_of o Ts g k r : op_ok o -> orank o (map (@length sdim) Ts) = Some (Some k) ->
  ev r (out_of o Ts g k) = oout o (map (ev r) Ts) (ev r (ghosts g (nex o))).
Proof. intros OK R. unfold ev at 1, out_of. rewrite map_map.
  assert (L: length (oout o (map (ev r) Ts) (ev r (ghosts g (nex o)))) = k).
  { apply (ok_len _ OK). rewrite map_len_ev; auto. unfold ev, ghosts. rewrite !map_length, seq_length; auto. }
  revert L. generalize (oout o (map (ev r) Ts) (ev r (ghosts g (nex o)))). intros u <-.
  apply nth_ext with 0 0; rewrite map_length, seq_length; auto. intros i H.
  rewrite nth_indep with (d':=nth 0%nat u 0) by (rewrite map_length, seq_length; auto).
  rewrite map_nth with (d:=0%nat) (f:=fun i => nth i u 0). rewrite seq_nth; auto. Qed.

(* ---------- check elimination, preservation, no stuck operator *)
Section Sound.
Variables (defs:list def) (prove refute:list spred -> spred -> bool) (same:sdim -> sdim -> bool) (w:world).
Hypothesis prove_sound : proves_soundly prove.
Hypothesis same_sound : forall a b, same a b = true -> forall r, a r = b r.
Hypothesis w_ok : world_ok w.
Notation elab := (elab defs prove refute same).
Definition callee_ok dc rc := forall f d ins, nth_error defs f = Some d -> accepts (iface d) ins = true ->
  rc f ins = dc f ins /\ rc f ins <> Stuck /\ forall s, rc f ins = Val s -> holds (entry d ins) (dres d) s = true.
Record live nr lv k g F P G r vs := { lv_sc : scoped nr lv k g F P G; lv_F : models r F; lv_P : models r P; lv_G : typed r G vs }.

Lemma models_app r F F' : models r F -> models r F' -> models r (F ++ F').
Proof. intros A B p I. apply in_app_or in I as [I|I]; auto. Qed.
Lemma live_step nr lv k g g' F P G r r' vs Fn t s : live nr lv k g F P G r vs -> below g r r' -> (g <= g')%nat ->
  suppF g' Fn -> suppT (lev lv k g' (fst t)) (snd t) -> models r' Fn -> hasT r' (snd t) s ->
  live nr lv k g' (Fn ++ F) P (G ++ [t]) r' (vs ++ [s]).
Proof. intros [SC MF MP TY] B L SF ST MN HT. pose proof SC as [FR SFF SP SG]. split.
  - apply (scoped_step _ _ _ g); auto.
  - apply models_app; auto. eapply models_below; eauto.
  - eapply models_below; eauto.
  - apply Forall2_app; [eapply typed_below; eauto|]. constructor; auto; constructor. Qed.
Lemma live_enter nr lv k g g' F P G r vs Q : live nr lv k g F P G r vs -> (g <= g')%nat -> suppF g Q -> models r Q ->
  live nr (enter lv k g) (S k) g' F (Q ++ P) G r vs.
Proof. intros [SC MF MP TY] L SQ MQ. split; auto using models_app. apply scoped_enter; auto. Qed.
Lemma live_le nr lv k g F P G r vs : live nr lv k g F P G r vs -> (nr <= g)%nat.
Proof. intros [[[N M] _ _ _] _ _ _]. specialize (M 0%nat k ltac:(lia)). rewrite lev_top in M. lia. Qed.

Lemma holds_agree nr a r r' s : sann_ok nr a -> below nr r r' -> holds r a s = holds r' a s.
Proof. destruct a; cbn; auto. intros; eapply anns_agree; eauto. Qed.
Lemma dyn_agree nr dc e : forall r r' vs, exp_ok nr e -> below nr r r' -> dyn defs w dc r vs e = dyn defs w dc r' vs e.
Proof. induction e as [x|t xs l e IH|x a l e IH|c e1 IH1 e2 IH2 e IH]; intros r r' vs OK B; cbn [dyn]; auto.
  - destruct (lookups vs xs); auto. destruct (interface defs t) as [o|] eqn:I; auto. destruct (interface_ok _ _ _ _ _ _ _ OK I).
    destruct (accepts o l0); auto. destruct (perform w dc t l l0) as [|[us s]]; auto.
  - destruct OK as [OA OK]. destruct (nth_error vs x); auto. rewrite (holds_agree nr a r r' s OA B). destruct (holds r' a s); auto.
  - destruct OK as (O1 & O2 & OK). destruct (cond_holds w vs c) as [b|]; auto. rewrite (IH1 r r' vs), (IH2 r r' vs); auto.
    destruct (if b then _ else _); auto. Qed.
Lemma perform_ok dc rc t o l ins : callee_ok dc rc -> interface defs t = Some o -> op_ok o -> accepts o ins = true ->
  match perform w rc t l ins with
  | inl out => perform w dc t l ins = inl out /\ out <> Stuck /\ forall s, out <> Val s
  | inr (us, s) => perform w dc t l ins = inr (us, s) /\ (forall n, orank o (map (@length Z) ins) = Some (Some n) ->
      length us = nex o /\ obound o ins us = true /\ s = oout o ins us) end.
Proof. intros CO I OK A. destruct t as [p|f]; cbn in *.
  - inversion I; subst. split; auto. intros n R. unfold accepts in A. rewrite R in A. destruct (w_ok o l ins OK A); auto.
  - destruct (nth_error defs f) as [d|] eqn:E; inversion I; subst. destruct (CO f d ins E A) as (EQ & NS & HV). rewrite <- EQ.
    destruct (rc f ins) as [s|b| |]; try (repeat split; congruence). split; auto. intros n. cbn.
    destruct (all_fit _ _); try discriminate. specialize (HV s eq_refl). destruct (dres d) as [|a]; intros R; inversion R; subst.
    cbn in HV. repeat split; auto; symmetry; [eapply anns_len; eauto|apply fill_id; auto]. Qed.
Lemma opened_ok nr lv k g F P G r vs x d T s n ds op Fo g1 : live nr lv k g F P G r vs -> nth_error G x = Some (d,T) -> hasT r T s ->
  opened prove refute F P g n T = Some (ds, op, Fo, g1) ->
  match op with
  | None => n = length s /\ Fo = [] /\ g1 = g /\ ev r ds = s
  | Some chk => guard r chk = Nat.eqb n (length s) /\ g1 = (g + n)%nat /\
      (n = length s -> models (upds r g s) Fo /\ ev (upds r g s) ds = s) end.
Proof. intros LV N HT O. pose proof (lv_sc _ _ _ _ _ _ _ _ _ LV) as [FR SF SP SG].
  pose proof (suppE_In _ _ _ _ _ _ FR SG (nth_error_In _ _ N)) as ST. unfold opened in O. destruct T as [Ts|rk nm]; cbn in HT, ST.
  - destruct (Nat.eqb_spec n (length Ts)); inversion O; subst. unfold ev. rewrite map_length. auto.
  - destruct (verdict prove refute F P (rank_is rk n)) as [chk|] eqn:V; inversion O; subst. destruct HT as [H1 H2], ST as [S1 S2].
    split; [|split; auto].
    + rewrite (verdict_ok _ _ prove_sound _ _ _ _ _ V (lv_F _ _ _ _ _ _ _ _ _ LV) (lv_P _ _ _ _ _ _ _ _ _ LV)).
      unfold rank_is. rewrite H1. destruct (Nat.eqb_spec n (length s)); [apply Z.eqb_eq|apply Z.eqb_neq]; lia.
    + intros E. assert (EG: ev (upds r g s) (ghosts g n) = s) by (rewrite E; apply ev_ghosts). split; auto.
      intros p [<-|[<-|[]]]; unfold numel_is, rank_is.
      * rewrite EG, <- H2. apply Z.eqb_eq. symmetry. apply S2. apply below_upds.
      * rewrite <- (S1 r _ (below_upds r g s)), H1. apply Z.eqb_eq. lia. Qed.
Lemma nth_error_ev r T : forall i, nth_error (ev r T) i = match nth_error T i with Some d => Some (d r) | None => None end.
Proof. induction T as [|d T IH]; intros [|i]; cbn; auto. Qed.
Lemma cond_ok r G vs c p : typed r G vs -> cond_read G c = Some p ->
  exists b, cond_holds w vs c = Some b /\ models r (if b then if_so p else if_not p) /\ forall q d, p = Some (q,d) -> q r = b.
Proof. destruct c as [b|x i z]; cbn; intros TY.
  - intros H; inversion H; subst. exists (wb w b vs). split; auto. split; [destruct (wb w b vs); intros q []|discriminate].
  - destruct (nth_error G x) as [[d T]|] eqn:E; try discriminate. destruct (typed_nth _ _ _ _ _ TY E) as (s & -> & HT). cbn in *.
    destruct T as [Ts|rk nm]; intros H; inversion H; subst; (eexists; split; [reflexivity|]).
    + set (q := match nth_error Ts i with Some z0 => fun r0 => z0 r0 =? z | None => fun _ => false end).
      assert (Q: match nth_error s i with Some z0 => z0 =? z | None => false end = q r).
      { unfold q. rewrite <- HT, nth_error_ev. destruct (nth_error Ts i); reflexivity. }
      rewrite Q. split; [|intros ? ? X; inversion X; subst; auto].
      destruct (q r) eqn:R; cbn; intros u [<-|[]]; rewrite ?R; auto.
    + split; [destruct (match nth_error s i with Some _ => _ | None => _ end); intros q []|discriminate]. Qed.

(* a join holds whichever branch the value came from *)
Lemma ev_choice (q:spred) r (b:bool) x y : q r = b -> length x = length y -> ev r (map2 (choice q) x y) = if b then ev r x else ev r y.
Proof. intros Q. revert y. induction x as [|u x IH]; intros [|v y] L; try discriminate L; [destruct b; auto|].
  transitivity (choice q u v r :: ev r (map2 (choice q) x y)); [reflexivity|].
  cbn in L. rewrite IH by lia. unfold choice. rewrite Q. destruct b; reflexivity. Qed.
Lemma ev_either r x : forall y g (b:bool), length x = length y -> (forall d, In d x \/ In d y -> supp g d) ->
  let s := if b then ev r x else ev r y in
  ev (upds r g s) (either same g x y) = s /\ models (upds r g s) (one_ofs (either same g x y) x y).
Proof. assert (X: forall x y g0 g r' (b:bool), length x = length y -> (forall d, In d x \/ In d y -> supp g0 d) -> below g0 r r' ->
    let s := if b then ev r x else ev r y in (forall i, (i < length s)%nat -> r' (g + i)%nat = nth i s 0) ->
    ev r' (either same g x y) = s /\ models r' (one_ofs (either same g x y) x y)).
  { induction x0 as [|u x0 IH]; intros [|v y] g0 g r' b L S B s H; cbn in L; try discriminate; [unfold s; destruct b; split; auto; intros p []|].
    assert (U: u r' = u r) by (symmetry; apply (S u); cbn; auto). assert (V: v r' = v r) by (symmetry; apply (S v); cbn; auto).
    assert (J: (if same u v then u else fun r0 => r0 g) r' = hd 0 s).
    { destruct (same u v) eqn:E; unfold s.
      - rewrite U. pose proof (same_sound _ _ E r). destruct b; cbn; auto.
      - pose proof (H 0%nat ltac:(unfold s; destruct b; cbn; lia)) as X. rewrite Nat.add_0_r in X. rewrite X. unfold s; destruct b; auto. }
    destruct (IH y g0 (Datatypes.S g) r' b) as [A M]; auto.
    { intros d D. apply S. cbn; tauto. }
    { intros i I. replace (Datatypes.S g + i)%nat with (g + Datatypes.S i)%nat by lia.
      unfold s in H. destruct b; exact (H (Datatypes.S i) (proj1 (Nat.succ_lt_mono _ _) I)). }
    split.
    - transitivity ((if same u v then u else fun r0 => r0 g) r' :: ev r' (either same (Datatypes.S g) x0 y)); [reflexivity|].
      rewrite J, A. unfold s; destruct b; auto.
    - assert (O: forall j:sdim, j r' = hd 0 s -> one_of j u v r' = true).
      { intros j JE. unfold one_of. rewrite JE, U, V. unfold s. destruct b; cbn; rewrite Z.eqb_refl; auto using orb_true_r. }
      intros p [<-|I]; [apply O; exact J|apply M; auto]. }
  intros y g b L S s. apply (X x y g g (upds r g s) b L S (below_upds r g s)).
  intros i I. apply upds_hit; auto. Qed.
Lemma joined_ok nr lv k g g1 g2 F P G p t1 t2 star Fj t g3 r (b:bool) r1 s : scoped nr lv k g F P G -> (g <= g1)%nat -> (g1 <= g2)%nat ->
  (forall q d, p = Some (q,d) -> supp (lev lv k g d) q) -> (forall q d, p = Some (q,d) -> q r = b) ->
  suppT (lev (enter lv k g) (S k) g1 (fst t1)) (snd t1) -> suppT (lev (enter lv k g) (S k) g2 (fst t2)) (snd t2) ->
  below g r r1 -> hasT r1 (snd (if b then t1 else t2)) s ->
  joined refute same F k g2 p t1 t2 = Some (star, Fj, t, g3) ->
  models (upds r g2 (shown star s s)) Fj /\ hasT (upds r g2 (shown star s s)) (snd t) s.
Proof. intros SC L1 L2 SQ Q S1 S2 B HT. pose proof (sc_fr _ _ _ _ _ _ _ SC) as FR.
  destruct t1 as [d1 [x|? ?]], t2 as [d2 [y|? ?]]; cbn [joined];
    try (intros H; inversion H; subst; split; [intros q []|apply hasT_star]).
  destruct (Nat.eqb_spec (length x) (length y)) as [E|]; try discriminate.
  assert (LS: length s = length x). { destruct b; cbn in HT; rewrite <- HT; unfold ev; rewrite map_length; auto. }
  destruct (Nat.leb_spec d1 k) as [D1|D1], (Nat.leb_spec d2 k) as [D2|D2]; cbn [andb];
    [ |intros H; inversion H; subst; split; [intros q []|cbn; rewrite <- LS; apply ev_ghosts]..].
  destruct (existsb (refute F) (map2 equal x y)); try discriminate.
  cbn [fst snd suppT] in S1, S2. rewrite lev_enter in S1, S2 by auto.
  assert (LT: forall d, (lev lv k g d <= g)%nat) by (intros; eapply lev_le; eauto).
  assert (SX: forall d, In d x -> supp g d) by (intros; eapply supp_le; [apply LT|eauto]).
  assert (SY: forall d, In d y -> supp g d) by (intros; eapply supp_le; [apply LT|eauto]).
  assert (HS: s = if b then ev r x else ev r y).
  { destruct b; cbn in HT; rewrite <- HT; symmetry; eapply supp_ev; eauto. }
  assert (B2: below g r (upds r g2 s)) by (eapply below_le; [|apply below_upds]; lia).
  destruct p as [[q dq]|]; intros H; inversion H; subst Fj star t g3; cbn [snd hasT shown].
  - split; [intros u []|]. rewrite (ev_choice q _ b); auto.
    + transitivity (if b then ev r x else ev r y); [destruct b; symmetry; eapply supp_ev; eauto|auto].
    + rewrite <- (Q q dq eq_refl). symmetry. apply (SQ q dq eq_refl). eapply below_le; eauto.
  - rewrite HS. destruct (ev_either r x y g2 b E) as [A M]; auto. intros d [D|D]; (apply (supp_le g); [lia|auto]). Qed.

Theorem elab_correct nr dc rc (CO:callee_ok dc rc) : forall e lv F P G g k c t g' r vs, exp_ok nr e ->
  live nr lv k g F P G r vs -> elab F P G g k e = Some (c, t, g') ->
  run defs w rc r vs c = dyn defs w dc r vs e /\ run defs w rc r vs c <> Stuck /\
  forall s, run defs w rc r vs c = Val s -> exists r1, below g r r1 /\ hasT r1 (snd t) s.
Proof. induction e as [x|tg xs l e IH|x a l e IH|cn e1 IH1 e2 IH2 e IH]; intros lv F P G g k c t g' r vs OK LV H; cbn [Program.elab] in H.
  - destruct (nth_error G x) as [t0|] eqn:E; inversion H; subst. destruct (typed_nth _ _ _ _ _ (lv_G _ _ _ _ _ _ _ _ _ LV) E) as (s & N & HT).
    cbn. rewrite N. split; auto. split; [discriminate|]. intros s' X; inversion X; subst. exists r. split; auto. intros n _; auto.
  - pose proof LV as [SC MF MP TY].
    destruct (lookups G xs) as [es|] eqn:L; [|discriminate]. destruct (interface defs tg) as [o|] eqn:I; [|discriminate].
    destruct (interface_ok _ _ _ _ _ _ _ OK I) as [OO OE].
    destruct (applied prove refute F P g k o es) as [[[[[nd star] Fn] t1] g1]|] eqn:A; [|discriminate].
    destruct (applied_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC OO L A) as (L1 & SF & ST).
    destruct (elab (Fn ++ F) P (G ++ [t1]) g1 k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst.
    destruct (typed_lookups _ _ _ _ TY _ L) as (ins & LI & TI). cbn [run dyn]. rewrite LI, I.
    assert (GO: accepts o ins = true -> let go := match perform w rc tg l ins with inl out => out
        | inr (us, s) => run defs w rc (upds r g (shown star us s)) (vs ++ [s]) c1 end in
      go = match perform w dc tg l ins with inl out => out | inr (_, s) => dyn defs w dc r (vs ++ [s]) e end /\
      go <> Stuck /\ forall s, go = Val s -> exists r1, below g r r1 /\ hasT r1 (snd t) s).
    { intros AC. cbn zeta. pose proof (perform_ok dc rc tg o l ins CO I OO AC) as PO. destruct (perform w rc tg l ins) as [out|[us s]].
      { destruct PO as (-> & NS & NV). split; auto. split; auto. intros s X. destruct (NV s X). }
      destruct PO as (-> & PO). set (r' := upds r g (shown star us s)).
      assert (LV': live nr lv k g1 (Fn ++ F) P (G ++ [t1]) r' (vs ++ [s])).
      { apply (live_step _ _ _ g _ _ _ _ r); auto; try apply below_upds; unfold applied in A; destruct (all_known es) as [Ts|] eqn:K.
        2,4: inversion A; subst; try (intros q []); apply hasT_star.
        all: pose proof (known_ev _ _ _ _ K TI) as EI; destruct (orank o (map (@length sdim) Ts)) as [[n|]|] eqn:R; try discriminate;
          destruct (verdict prove refute F P (pre_of o Ts)) as [chk|] eqn:V; try discriminate; inversion A; subst.
        all: assert (SL: suppL g Ts) by (apply (suppL_le (lev lv k g (deps es))); [eapply lev_le; apply SC|
            exact (known_supp _ _ _ _ _ _ _ (sc_fr _ _ _ _ _ _ _ SC) (sc_G _ _ _ _ _ _ _ SC) (lookups_incl _ _ _ L) K)]).
        all: assert (EI': map (ev r') Ts = map (ev r) Ts) by (symmetry; eapply suppL_ev; eauto; apply below_upds).
        all: unfold accepts in AC; rewrite map_len_ev, R in AC.
        - destruct (PO n) as (LU & BU & EU); [rewrite map_len_ev; auto|].
          assert (EG: ev r' (ghosts g (nex o)) = us) by (unfold r'; cbn [shown]; rewrite <- LU; apply ev_ghosts).
          intros q [<-|[<-|[]]]; [unfold pre_of; rewrite EI'; auto|unfold bound_of; rewrite EI', EG; auto].
        - intros q [<-|[]]. unfold pre_of; rewrite EI'; auto.
        - destruct (PO n) as (LU & BU & EU); [rewrite map_len_ev; auto|].
          assert (EG: ev r' (ghosts g (nex o)) = us) by (unfold r'; cbn [shown]; rewrite <- LU; apply ev_ghosts).
          change (ev r' (out_of o Ts g n) = s). rewrite (ev_out_of o Ts g n r' OO R), EI', EG; auto.
        - apply hasT_star. }
      rewrite (dyn_agree nr dc e r r'); auto.
      2:{ eapply below_le; [eapply live_le; exact LV|apply below_upds]. }
      destruct (IH _ _ _ _ _ _ _ _ _ _ _ OE LV' E) as (R1 & R2 & R3). split; auto. split; auto.
      intros s' X. destruct (R3 s' X) as (r1 & B1 & HT). exists r1. split; auto. intros n Hn. rewrite <- (B1 n) by lia. apply below_upds; auto. }
    assert (PRE: nd = Dynamic \/ exists chk, nd = Checked chk /\ guard r chk = accepts o ins).
    { unfold applied in A. destruct (all_known es) as [Ts|] eqn:K; [|inversion A; auto]. pose proof (known_ev _ _ _ _ K TI) as EI.
      destruct (orank o (map (@length sdim) Ts)) as [[n|]|] eqn:R; try discriminate;
      destruct (verdict prove refute F P (pre_of o Ts)) as [chk|] eqn:V; try discriminate; inversion A; subst; right; exists chk; (split; auto);
      rewrite (verdict_ok _ _ prove_sound _ _ _ _ _ V MF MP); unfold accepts, pre_of; rewrite map_len_ev, R; auto. }
    destruct PRE as [->|(chk & -> & GD)]; [|rewrite GD]; destruct (accepts o ins); auto; (split; auto; split; [discriminate|intros ? X; discriminate X]).
  - pose proof LV as [SC MF MP TY]. destruct OK as [OA OE]. destruct (nth_error G x) as [[d T]|] eqn:N; [|discriminate].
    destruct (typed_nth _ _ _ _ _ TY N) as (s & NS & HT). cbn [snd] in HT. destruct a as [|a].
    + destruct (elab F P (G ++ [(k, star_at g)]) (g + 2) k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst.
      cbn [run dyn guard holds]. rewrite NS. set (r' := upds r g (shown true s s)).
      assert (LV': live nr lv k (g + 2) F P (G ++ [(k, star_at g)]) r' (vs ++ [s])).
      { apply (live_step _ _ _ g _ _ _ _ r _ _ [] _ _ LV); auto; try apply below_upds; try (intros q []); [lia| |apply hasT_star].
        cbn [fst snd]. rewrite lev_top. apply supp_star. }
      rewrite (dyn_agree nr dc e r r'); auto.
      2:{ eapply below_le; [eapply live_le; exact LV|apply below_upds]. }
      destruct (IH _ _ _ _ _ _ _ _ _ _ _ OE LV' E) as (R1 & R2 & R3). split; auto. split; auto.
      intros s' X. destruct (R3 s' X) as (r1 & B1 & HT'). exists r1. split; auto. intros n Hn. rewrite <- (B1 n) by lia. apply below_upds; auto.
    + destruct (opened prove refute F P g (length a) T) as [[[[ds op] Fo] g1]|] eqn:O; [|discriminate].
      destruct (opened_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC (nth_error_In _ _ N) O) as (L1 & SF & SD & LD).
      pose proof (opened_ok _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ LV N HT O) as OO.
      destruct (verdict prove refute (Fo ++ F) P (asc_pred a ds)) as [chk|] eqn:V; [|discriminate].
      destruct (elab _ P _ (g1 + length a) k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst.
      pose proof (live_le _ _ _ _ _ _ _ _ _ LV) as NG. pose proof (sc_fr _ _ _ _ _ _ _ SC) as FR.
      assert (STEP: forall r', below g r r' -> models r' Fo -> ev r' ds = s -> length a = length s ->
        run defs w rc r' vs (RAsc x chk false l g1 c1) = dyn defs w dc r vs (LetAsc x (SDims a) l e) /\
        run defs w rc r' vs (RAsc x chk false l g1 c1) <> Stuck /\
        forall s, run defs w rc r' vs (RAsc x chk false l g1 c1) = Val s -> exists r1, below g r r1 /\ hasT r1 (snd t) s).
      { intros r' B MO ED LA. cbn [run dyn]. rewrite NS. cbn [holds].
        assert (MF': models r' (Fo ++ F)) by (apply models_app; auto; eapply models_below; eauto; apply SC).
        assert (MP': models r' P) by (eapply models_below; eauto; apply SC).
        rewrite (verdict_ok _ _ prove_sound _ _ _ _ _ V MF' MP'). unfold asc_pred at 1 2 3. rewrite ED.
        assert (BN: below nr r r') by (eapply below_le; eauto).
        rewrite (anns_agree nr a r r' s OA BN). destruct (anns_hold r' a s) eqn:HA; [|split; auto; split; [discriminate|intros ? X; discriminate X]].
        set (r2 := upds r' g1 s). assert (B2: below g1 r' r2) by apply below_upds.
        assert (B02: below g r r2) by (intros n Hn; rewrite (B n) by auto; apply B2; lia).
        assert (ED2: ev r2 ds = s) by (rewrite <- ED; symmetry; eapply supp_ev; eauto).
        assert (LV': live nr lv k (g1 + length a) ((asc_pred a ds :: Fo) ++ F) P
            (G ++ [(if existsb is_q a then k else 0%nat, Known (asc_out a g1))]) r2 (vs ++ [s])).
        { apply (live_step _ _ _ g _ _ _ _ r); auto; [lia| | | |].
          - apply suppF_cons; [apply (supp_le g1); [lia|apply (supp_anns nr a g1); auto; lia]|apply (suppF_le g1); [lia|auto]].
          - apply (asc_scoped nr); auto. eapply frames_step; eauto.
          - intros q [<-|I]; [|exact (models_below g1 Fo r' r2 SF B2 MO q I)]. unfold asc_pred. rewrite ED2.
            rewrite <- (anns_agree nr a r' r2 s OA); auto. eapply below_le; [|eauto]; lia.
          - cbn. eapply ev_asc_out; eauto; lia. }
        rewrite (dyn_agree nr dc e r r2); auto.
        2:{ eapply below_le; eauto. }
        destruct (IH _ _ _ _ _ _ _ _ _ _ _ OE LV' E) as (R1 & R2 & R3). cbn [shown]. split; auto. split; auto.
        intros s' X. destruct (R3 s' X) as (r1 & B1 & HT'). exists r1. split; auto. intros n Hn. rewrite <- (B1 n) by lia. apply B02; auto. }
      destruct op as [chk0|]; cbn [open_code].
      * destruct OO as (GD & -> & OO). cbn [run]. rewrite NS, GD. destruct (Nat.eqb_spec (length a) (length s)) as [LA|LA].
        -- destruct (OO LA) as [MO ED]. pose proof (STEP _ (below_upds r g s) MO ED LA) as X. cbn [run] in X. rewrite NS in X. exact X.
        -- cbn [dyn]. rewrite NS. cbn [holds]. destruct (anns_hold r a s) eqn:HA; [apply anns_len in HA; congruence|].
           split; auto. split; [discriminate|intros ? X; discriminate X].
      * destruct OO as (LA & -> & -> & ED). apply STEP; auto; [intros n _; auto|intros q []].
  - pose proof LV as [SC MF MP TY]. destruct OK as (O1 & O2 & OE). destruct (cond_read G cn) as [p|] eqn:C; [|discriminate].
    destruct (cond_scoped _ _ _ _ _ _ _ _ _ SC C) as (S1 & S2 & SQ).
    destruct (elab F (if_so p ++ P) G g (S k) e1) as [[[c1 t1] g1]|] eqn:E1; [|discriminate].
    destruct (elab F (if_not p ++ P) G g1 (S k) e2) as [[[c2 t2] g2]|] eqn:E2; [|discriminate].
    destruct (joined refute same F k g2 p t1 t2) as [[[[star Fj] tj] g3]|] eqn:J; [|discriminate].
    destruct (elab (Fj ++ F) P (G ++ [tj]) g3 k e) as [[[c3 t3] g4]|] eqn:E3; inversion H; subst.
    destruct (elab_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ O1 (scoped_enter _ _ _ _ g _ _ _ _ SC (le_n _) S1) E1) as [L1 T1].
    destruct (elab_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ O2 (scoped_enter _ _ _ _ g1 _ _ _ _ SC L1 S2) E2) as [L2 T2].
    destruct (joined_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC L1 L2 SQ T1 T2 J) as (L3 & SF & ST).
    destruct (cond_ok _ _ _ _ _ TY C) as (b & CH & MQ & QB). cbn [run dyn]. rewrite CH.
    assert (BR: (if b then run defs w rc r vs c1 else run defs w rc r vs c2) = (if b then dyn defs w dc r vs e1 else dyn defs w dc r vs e2) /\
      (if b then run defs w rc r vs c1 else run defs w rc r vs c2) <> Stuck /\
      forall s, (if b then run defs w rc r vs c1 else run defs w rc r vs c2) = Val s -> exists r1, below g r r1 /\ hasT r1 (snd (if b then t1 else t2)) s).
    { destruct b; [apply (IH1 _ _ _ _ _ _ _ _ _ _ _ O1 (live_enter _ _ _ _ _ _ _ _ _ _ _ LV (le_n _) S1 MQ) E1)|].
      destruct (IH2 _ _ _ _ _ _ _ _ _ _ _ O2 (live_enter _ _ _ _ _ _ _ _ _ _ _ LV L1 S2 MQ) E2) as (R1 & R2 & R3). split; auto. split; auto.
      intros s X. destruct (R3 s X) as (r1 & B1 & HT). exists r1. split; auto. eapply below_le; eauto. }
    destruct BR as (EQ & NS & HV). rewrite <- EQ. destruct (if b then run defs w rc r vs c1 else run defs w rc r vs c2) as [s|bl| |];
      try (split; auto; split; auto; discriminate).
    destruct (HV s eq_refl) as (r1 & B1 & HT). set (r' := upds r g2 (shown star s s)).
    destruct (joined_ok _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ r b r1 s SC L1 L2 SQ QB T1 T2 B1 HT J) as [MJ HJ].
    assert (B2: below g r r') by (eapply below_le; [|apply below_upds]; lia).
    assert (LV': live nr lv k g3 (Fj ++ F) P (G ++ [tj]) r' (vs ++ [s])) by (apply (live_step _ _ _ g _ _ _ _ r); auto; lia).
    rewrite (dyn_agree nr dc e r r'); auto.
    2:{ eapply below_le; [eapply live_le; exact LV|auto]. }
    destruct (IH _ _ _ _ _ _ _ _ _ _ _ OE LV' E3) as (R1 & R2 & R3). split; auto. split; auto.
    intros s' X. destruct (R3 s' X) as (r2 & B3 & HT'). exists r2. split; auto. intros n Hn. rewrite <- (B3 n) by lia. apply B2; auto. Qed.

(* ---------- whole programs: by induction on the fuel, each call does what the source's does *)
Lemma upds_app us : forall r g vs, upds r g (us ++ vs) = upds (upds r g us) (g + length us) vs.
Proof. induction us as [|u us IH]; intros r g vs; cbn; [rewrite Nat.add_0_r; auto|]. rewrite IH. f_equal. lia. Qed.
Lemma past_le ps : forall g, (g <= past ps g)%nat.
Proof. induction ps as [|[|a] ps IH]; intros g; cbn; auto.
  - pose proof (IH (g + 2)%nat); lia. - pose proof (IH (g + length a)%nat); lia. Qed.
Lemma params_supp nr ps : forall g, (nr <= g)%nat -> Forall (sann_ok nr) ps -> forall t, In t (params ps g) ->
  fst t = 0%nat /\ suppT (past ps g) (snd t).
Proof. induction ps as [|[|a] ps IH]; intros g L F t I; cbn in I; [destruct I|..]; inversion F as [|? ? A B]; subst; destruct I as [<-|I];
    try (apply IH; auto; lia); split; auto; cbn [snd past].
  - apply (suppT_le (g + 2)); [apply past_le|apply supp_star].
  - apply (suppT_le (g + length a)); [apply past_le|]. intros d I. eapply supp_asc_out; eauto. Qed.
Lemma all_hold_agree nr ps : forall ins r r', Forall (sann_ok nr) ps -> below nr r r' -> all_hold r ps ins = all_hold r' ps ins.
Proof. induction ps as [|p ps IH]; intros [|s ins] r r' F B; cbn; auto. inversion F; subst. rewrite (holds_agree nr p r r' s), (IH ins r r'); auto. Qed.
Lemma all_hold_len r ps : forall ins, all_hold r ps ins = true -> length ps = length ins.
Proof. induction ps as [|p ps IH]; intros [|s ins] H; cbn in *; try discriminate; auto. apply andb_prop in H as [_ H]. f_equal; auto. Qed.
Lemma params_typed nr ps : forall g ins r, (nr <= g)%nat -> Forall (sann_ok nr) ps -> all_hold r ps ins = true ->
  typed (upds r g (witnesses ps ins)) (params ps g) ins.
Proof. induction ps as [|p ps IH]; intros g [|s ins] r L F H; try discriminate H; [apply Forall2_nil|].
  cbn [all_hold] in H. apply andb_prop in H as [H1 H2]. inversion F as [|? ? A B]; subst.
  destruct p as [|a]; cbn [params witnesses]; rewrite upds_app.
  - assert (E: length (shown true s s) = 2%nat) by auto. rewrite E. constructor.
    + apply (hasT_below (g + 2) _ (upds r g (shown true s s))); [apply supp_star|apply below_upds|apply hasT_star].
    + apply IH; auto; [lia|]. rewrite <- H2. symmetry. apply (all_hold_agree nr); auto. eapply below_le; [|apply below_upds]; auto.
  - assert (E: length s = length a) by (symmetry; eapply anns_len; eauto). rewrite E. constructor.
    + apply (hasT_below (g + length a) _ (upds r g s)); [|apply below_upds|].
      * intros d I. eapply supp_asc_out; eauto.
      * cbn. eapply ev_asc_out; eauto.
    + apply IH; auto; [lia|]. rewrite <- H2. symmetry. apply (all_hold_agree nr); auto. eapply below_le; [|apply below_upds]; auto. Qed.
Lemma finish_holds dc r a l e : forall vs s, dyn defs w dc r vs (finish (length vs) e a l) = Val s -> holds r a s = true.
Proof. assert (LS: forall vs (s:shape), S (length vs) = length (vs ++ [s])) by (intros; rewrite app_length; cbn; lia).
  induction e as [x|t xs l' e IH|x b l' e IH|c e1 IH1 e2 IH2 e IH]; intros vs s H; cbn [finish dyn] in H.
  - destruct (nth_error vs x) as [z|]; [|discriminate]. destruct (holds r a z) eqn:A; [|discriminate].
    rewrite nth_error_app2, Nat.sub_diag in H by auto. inversion H; subst; auto.
  - destruct (lookups vs xs) as [ins|]; [|discriminate]. destruct (interface defs t) as [o|]; [|discriminate].
    destruct (accepts o ins); [|discriminate]. destruct (perform w dc t l' ins) as [out|[us z]] eqn:PF.
    + subst out. exfalso. destruct t; cbn in PF; [discriminate|]. destruct (dc f ins); inversion PF.
    + rewrite (LS vs z) in H. eauto.
  - destruct (nth_error vs x) as [z|]; [|discriminate]. destruct (holds r b z); [|discriminate]. rewrite (LS vs z) in H. eauto.
  - destruct (cond_holds w vs c) as [q|]; [|discriminate]. destruct (if q then _ else _) as [z| | |]; try discriminate.
    rewrite (LS vs z) in H. eauto. Qed.
Lemma finish_ok nr a l e : forall n, exp_ok nr e -> sann_ok nr a -> exp_ok nr (finish n e a l).
Proof. induction e as [x|[o|f] xs l' e IH|x b l' e IH|c e1 IH1 e2 IH2 e IH]; cbn; intros n H A; intuition. Qed.

Record def_ok (d:def) := { do_where : supp (dnames d) (dwhere d); do_pars : Forall (sann_ok (dnames d)) (dpars d);
  do_res : sann_ok (dnames d) (dres d); do_body : exp_ok (dnames d) (dbody d) }.
Theorem program_correct cores : Forall def_ok defs -> Forall2 (fun d c => elab_def defs prove refute same d = Some c) defs cores ->
  forall fuel, callee_ok (calls defs w fuel) (core_calls defs cores w fuel).
Proof. intros OK EL fuel. induction fuel as [|fuel IH]; intros f d ins N A.
  { cbn. split; auto. split; discriminate. }
  destruct (Forall2_nth _ _ _ EL _ _ N) as (c & NC & EC). cbn [core_calls calls]. rewrite N, NC.
  pose proof (proj1 (Forall_forall _ _) OK d (nth_error_In _ _ N)) as [SW SP SR SB].
  unfold accepts in A. cbn in A. destruct (all_fit (dpars d) _); [|discriminate]. apply andb_prop in A as [AH AW].
  unfold elab_def in EC. destruct (refute [] (dwhere d)); [discriminate|]. set (nr := dnames d) in *.
  destruct (elab [dwhere d] [] (params (dpars d) nr) (past (dpars d) nr) 0 (whole d)) as [[[c' t] g']|] eqn:E; inversion EC; subst c'.
  set (r := upds (entry d ins) nr (witnesses (dpars d) ins)).
  assert (BN: below nr (entry d ins) r) by apply below_upds.
  assert (LV: live nr (fun _ => 0%nat) 0 (past (dpars d) nr) [dwhere d] [] (params (dpars d) nr) r ins).
  { split; [split|..].
    - split; [apply past_le|]. intros; levels.
    - apply suppF_cons; auto. eapply supp_le; [apply past_le|apply SW].
    - auto.
    - intros u I. destruct (params_supp nr _ _ (le_n _) SP u I) as [D S]. rewrite D. apply S.
    - intros p [<-|[]]. rewrite <- (SW _ _ BN). auto.
    - intros p [].
    - eapply params_typed; eauto. }
  assert (OW: exp_ok nr (whole d)) by (apply finish_ok; auto).
  destruct (elab_correct nr _ _ IH _ _ _ _ _ _ _ _ _ _ _ _ OW LV E) as (R1 & R2 & R3).
  cbn [fst]. rewrite R1 in *. rewrite <- (dyn_agree nr _ _ (entry d ins) r) in * by auto. split; auto. split; auto.
  intros s H. unfold whole in H. rewrite (all_hold_len _ _ _ AH) in H. eapply finish_holds; eauto. Qed.
End Sound.
