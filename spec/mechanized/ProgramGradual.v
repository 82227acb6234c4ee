(* Programs (Program.v): the static guarantee: less precise annotations reject nothing.

   Each state of the precise program is taken to one of the other, with the same concrete shapes ([embed]).  Sizes agree in
   every environment, facts in the models; a goal that some state of the precise program admits is admitted by its image.
   The precise program's oracles answer every question that it asks; of the other's, only soundness is needed. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Program ProgramScope ProgramSound ProgramPrecision.
Import ListNotations.
Open Scope Z_scope.

Section Static.
Variables (defs defs':list def) (prove refute prove' refute':list spred -> spred -> bool) (same same':sdim -> sdim -> bool).
Hypothesis D : Forall2 dprec defs defs'.
Hypothesis refute_complete : forall F p, refute F p = false -> exists r, models r F /\ p r = true.
Hypothesis same_complete : forall a b, same a b = false -> exists r, a r <> b r.
Hypothesis refute'_sound : refutes_soundly refute'.
Hypothesis same'_sound : forall a b, same' a b = true -> forall r, a r = b r.

(* a type and a less precise one, read in an environment each *)
Definition sim (r r':env) (T T':ty) : Prop := match T,T' with
  | Known a, Known b => ev r a = ev r' b
  | Known a, Star rk nm => rk r' = Z.of_nat (length a) /\ nm r' = numel (ev r a)
  | Star rk nm, Star rk' nm' => rk' r' = rk r /\ nm' r' = nm r
  | Star _ _, Known _ => False end.
Definition simE (s:env -> env) (G G':list entry_t) :=
  Forall2 (fun t t' => (fst t <= fst t')%nat /\ forall r, sim r (s r) (snd t) (snd t')) G G'.
(* s takes each state of the precise program to one of the other, with the same concrete shapes *)
Record embed nr k (s:env -> env) F G F' G' := { em_r : forall r, below nr r (s r);
  em_F : forall r, models r F -> models (s r) F'; em_G : simE s G G'; em_k : forall t, In t G -> (fst t <= k)%nat }.

Lemma sim_below n r r1 r2 T T' : suppT n T' -> below n r1 r2 -> sim r r1 T T' -> sim r r2 T T'.
Proof. destruct T as [a|rk nm], T' as [b|rk' nm']; cbn; intros S B H; auto.
  - rewrite H. eapply supp_ev; eauto.
  - destruct S as [S1 S2]. rewrite <- (S1 _ _ B), <- (S2 _ _ B); auto.
  - destruct S as [S1 S2]. rewrite <- (S1 _ _ B), <- (S2 _ _ B); auto. Qed.
Definition summary r (T:ty) : list Z := match T with Known a => shown true (ev r a) (ev r a) | Star rk nm => [rk r; nm r] end.
Lemma sim_star r r0 g T : sim r (upds r0 g (summary r T)) T (star_at g).
Proof. destruct T as [a|rk nm]; cbn; rewrite !Nat.eqb_refl; (destruct (Nat.eqb_spec g (S g)); [lia|]); auto.
  unfold ev at 1. rewrite map_length. auto. Qed.
Lemma sim_len r r' a b : sim r r' (Known a) (Known b) -> length a = length b.
Proof. cbn. intros H. apply (f_equal (@length Z)) in H. unfold ev in H. rewrite !map_length in H. auto. Qed.
Lemma em_step nr lv k s s' F P G F' G' g' g1' Fn Fn' t t' : embed nr k s F G F' G' -> scoped nr lv k g' F' P G' ->
  (forall r, below g' (s r) (s' r)) -> (forall r, models r (Fn ++ F) -> models (s' r) Fn') ->
  (fst t <= fst t')%nat -> (fst t <= k)%nat -> (forall r, sim r (s' r) (snd t) (snd t')) -> (g' <= g1')%nat ->
  embed nr k s' (Fn ++ F) (G ++ [t]) (Fn' ++ F') (G' ++ [t']).
Proof. intros [R EF EG K] [FR SF SP SG] B MN L LK ST LG.
  assert (N: (nr <= g')%nat). { destruct FR as [N M]. specialize (M 0%nat k ltac:(lia)). rewrite lev_top in M. lia. } split.
  - intros r n Hn. rewrite (R r) by auto. apply B. lia.
  - intros r M. apply models_app; auto. eapply models_below; eauto. apply EF. intros p I. apply M. apply in_or_app; auto.
  - apply Forall2_app; [|constructor; auto; constructor]. clear - EG SG FR B. revert SG. induction EG as [|u u' G G' [A H] EG IH]; intros SG; constructor.
    + split; auto. intros r. apply (sim_below g' r (s r) (s' r)); auto. eapply suppE_In; eauto. left; auto.
    + apply IH. intros v I. apply SG. right; auto.
  - intros u I. apply in_app_or in I as [I|[<-|[]]]; auto. Qed.
Lemma refute_mono (s:env -> env) F F' (p p':spred) : (forall r, models r F -> models (s r) F') ->
  (forall r, models r F -> p r = true -> p' (s r) = true) -> refute F p = false -> refute' F' p' = false.
Proof. intros EF I H. destruct (refute' F' p') eqn:R; auto. destruct (refute_complete _ _ H) as (r & M & P).
  pose proof (refute'_sound _ _ R (s r) (EF r M)) as X. rewrite (I r M P) in X. discriminate. Qed.
Lemma verdict_mono (s:env -> env) F P F' P' (p p':spred) chk : (forall r, models r F -> models (s r) F') ->
  (forall r, models r F -> p r = true -> p' (s r) = true) -> verdict prove refute F P p = Some chk ->
  exists chk', verdict prove' refute' F' P' p' = Some chk'.
Proof. unfold verdict. intros EF I H. destruct (refute F p) eqn:R; [discriminate|]. rewrite (refute_mono s F F' p p'); auto.
  destruct (prove' (P' ++ F') p'); eauto. Qed.

Lemma sim_nth s G G' x t : simE s G G' -> nth_error G x = Some t -> exists t', nth_error G' x = Some t' /\ (fst t <= fst t')%nat /\
  forall r, sim r (s r) (snd t) (snd t').
Proof. intros S E. destruct (Forall2_nth _ _ _ S _ _ E) as (t' & ? & ? & ?). eauto. Qed.
Lemma sim_lookups s G G' xs : simE s G G' -> forall es, lookups G xs = Some es -> exists es', lookups G' xs = Some es' /\ simE s es es'.
Proof. intros S. induction xs as [|x xs IH]; cbn; intros es H; [inversion H; exists []; repeat constructor|].
  destruct (nth_error G x) as [t|] eqn:E; try discriminate. destruct (lookups G xs) as [us|]; inversion H; subst.
  destruct (sim_nth _ _ _ _ _ S E) as (t' & -> & L & ST). destruct (IH _ eq_refl) as (es' & -> & SE). exists (t'::es'). split; auto.
  constructor; auto. Qed.
Lemma sim_known s es es' : simE s es es' -> forall Ts', all_known es' = Some Ts' -> exists Ts, all_known es = Some Ts /\
  map (@length sdim) Ts = map (@length sdim) Ts' /\ forall r, map (ev r) Ts = map (ev (s r)) Ts'.
Proof. induction 1 as [|[d T] [d' T'] es es' [L ST] SE IH]; cbn; intros Ts' H; [inversion H; exists []; auto|].
  destruct T' as [b|]; [|discriminate]. destruct (all_known es') as [Us'|]; inversion H; subst. destruct (IH _ eq_refl) as (Us & -> & LE & EE).
  destruct T as [a|]; [|destruct (ST (fun _ => 0))]. exists (a::Us). cbn. split; auto. split.
  - f_equal; auto. apply (sim_len (fun _ => 0) (s (fun _ => 0))); auto.
  - intros r. f_equal; auto. apply ST. Qed.
Lemma sim_deps s es es' : simE s es es' -> (deps es <= deps es')%nat.
Proof. induction 1 as [|t t' es es' [L _] SE IH]; auto.
  change (Nat.max (fst t) (deps es) <= Nat.max (fst t') (deps es'))%nat. lia. Qed.
Lemma deps_bound es k : (forall t, In t es -> (fst t <= k)%nat) -> (deps es <= k)%nat.
Proof. intros H. apply list_max_le. rewrite Forall_forall. intros x I. apply in_map_iff in I as (t & <- & I). auto. Qed.

Lemma applied_precise nr lv k s F P G F' P' G' g g' o o' es es' nd star Fn t g1 : embed nr k s F G F' G' -> scoped nr lv k g' F' P' G' ->
  op_ok o -> op_ok o' -> oprec o o' -> simE s es es' -> (forall t, In t es -> In t G) -> (forall t, In t es' -> In t G') ->
  applied prove refute F P g k o es = Some (nd, star, Fn, t, g1) ->
  exists nd' star' Fn' t' g1' u, applied prove' refute' F' P' g' k o' es' = Some (nd', star', Fn', t', g1') /\
    (fst t <= fst t')%nat /\ (fst t <= k)%nat /\ forall r, sim r (upds (s r) g' (u r)) (snd t) (snd t') /\
      (models r (Fn ++ F) -> models (upds (s r) g' (u r)) Fn').
Proof. intros EM [FR SF SP SG] OK OK' (OR & OP & OL & conv & OC) SE IG IG' A.
  assert (LK: (fst t <= k)%nat).
  { unfold applied in A. destruct (all_known es) as [Ts|]; [|inversion A; auto].
    destruct (orank o _) as [[n|]|]; try discriminate; destruct (verdict prove refute F P (pre_of o Ts)); inversion A; subst; cbn; auto.
    destruct (oloc o); auto. apply deps_bound. intros; apply EM; auto. }
  destruct (all_known es') as [Ts'|] eqn:K'.
  2:{ unfold applied at 1. rewrite K'. do 5 eexists. exists (fun r => summary r (snd t)). split; [reflexivity|]. cbn [fst snd].
      split; auto. split; auto. intros r. split; [apply sim_star|]. intros _ q []. }
  destruct (sim_known _ _ _ SE _ K') as (Ts & K & LE & EE). unfold applied in *. rewrite K in A. rewrite K'. rewrite <- LE.
  assert (PM: forall r, models r F -> pre_of o Ts r = true -> pre_of o' Ts' (s r) = true).
  { unfold pre_of. intros r _. rewrite EE. apply OP. }
  assert (SL: suppL g' Ts') by (apply (suppL_le (lev lv k g' (deps es'))); [eapply lev_le; eauto|eapply known_supp; eauto]).
  assert (PS: forall r u, models r (pre_of o Ts :: F) -> pre_of o' Ts' (upds (s r) g' u) = true).
  { intros r u M. rewrite <- (supp_pre g' o' Ts' SL (s r)) by apply below_upds. apply PM; [intros q I; apply M; right; auto|apply M; left; auto]. }
  destruct (orank o (map (@length sdim) Ts)) as [x|] eqn:R; [|discriminate].
  destruct (verdict prove refute F P (pre_of o Ts)) as [chk|] eqn:V; [|destruct x; discriminate].
  destruct (verdict_mono s F P F' P' _ (pre_of o' Ts') _ (em_F _ _ _ _ _ _ _ EM) PM V) as (chk' & V').
  assert (STAR: orank o' (map (@length sdim) Ts) = Some None -> (forall r, models r (Fn ++ F) -> models r (pre_of o Ts :: F)) ->
    exists nd' star' Fn' t' g1' u, match orank o' (map (@length sdim) Ts), verdict prove' refute' F' P' (pre_of o' Ts') with
      | Some None, Some chk => Some (Checked chk, true, [pre_of o' Ts'], (k, star_at g'), (g' + 2)%nat)
      | Some (Some n), Some chk => Some (Checked chk, false, [pre_of o' Ts'; bound_of o' Ts' g'],
          (if oloc o' then k else deps es', Known (out_of o' Ts' g' n)), (g' + nex o')%nat)
      | _, _ => None end = Some (nd', star', Fn', t', g1') /\
    (fst t <= fst t')%nat /\ (fst t <= k)%nat /\ forall r, sim r (upds (s r) g' (u r)) (snd t) (snd t') /\
      (models r (Fn ++ F) -> models (upds (s r) g' (u r)) Fn')).
  { intros R' MF. rewrite R', V'. do 5 eexists. exists (fun r => summary r (snd t)). split; [reflexivity|]. cbn [fst snd].
    split; auto. split; auto. intros r. split; [apply sim_star|]. intros M q [<-|[]]. auto. }
  destruct x as [n|]; inversion A; subst.
  - destruct (OR _ _ R) as [R'|R'].
    2:{ apply STAR; auto. intros r M q [<-|I]; apply M; cbn; auto. }
    rewrite R', V'. do 5 eexists. exists (fun r => conv (map (ev r) Ts) (ev r (ghosts g (nex o)))). split; [reflexivity|]. cbn [fst snd].
    assert (LG: forall r, length (ev r (ghosts g (nex o))) = nex o) by (intros; unfold ev, ghosts; rewrite !map_length, seq_length; auto).
    split; [|split; auto].
    { destruct (oloc o) eqn:O1; [rewrite OL; auto|]. destruct (oloc o'); [auto|eapply sim_deps; eauto]. }
    intros r. destruct (OC _ _ R R' (map (ev r) Ts) (ev r (ghosts g (nex o))) (LG r)) as (C1 & C2 & C3).
    set (r' := upds (s r) g' _).
    assert (EG: ev r' (ghosts g' (nex o')) = conv (map (ev r) Ts) (ev r (ghosts g (nex o)))) by (unfold r'; rewrite <- C1; apply ev_ghosts).
    assert (EI: map (ev r') Ts' = map (ev r) Ts) by (rewrite EE; symmetry; apply (suppL_ev g'); auto; apply below_upds).
    split.
    + cbn [sim]. rewrite (ev_out_of o Ts g n r OK R), (ev_out_of o' Ts' g' n r' OK'), EI, EG by congruence. auto.
    + intros M q [<-|[<-|[]]].
      * apply PS. intros q [<-|I]; apply M; cbn; auto.
      * unfold bound_of. rewrite EI, EG. apply C2. apply (M (bound_of o Ts g)). cbn; auto.
  - destruct (OR _ _ R) as [R'|R']; apply STAR; auto. Qed.

Lemma opened_precise nr lv k s F P G F' P' G' g g' n T T' ds op Fo g1 d' : embed nr k s F G F' G' -> scoped nr lv k g' F' P' G' ->
  In (d',T') G' -> (forall r, sim r (s r) T T') -> opened prove refute F P g n T = Some (ds, op, Fo, g1) ->
  (exists r, models r (Fo ++ F)) ->
  exists ds' op' Fo' g1' s', opened prove' refute' F' P' g' n T' = Some (ds', op', Fo', g1') /\ (forall r, below g' (s r) (s' r)) /\
    (forall r, models r (Fo ++ F) -> models (s' r) Fo') /\ forall r, ev (s' r) ds' = ev r ds.
Proof. intros EM SC I ST O (r0 & M0). pose proof SC as [FR SF SP SG]. pose proof (suppE_In _ _ _ _ _ _ FR SG I) as SU. unfold opened in *.
  assert (LD: length ds = n).
  { destruct T as [a|rk nm]; [destruct (Nat.eqb_spec n (length a)); inversion O; subst; auto|].
    destruct (verdict _ _ F P _); inversion O; subst. unfold ghosts. rewrite map_length, seq_length; auto. }
  destruct T' as [b|rk' nm'].
  - destruct T as [a|]; [|destruct (ST r0)]. rewrite <- (sim_len _ _ _ _ (ST r0)). destruct (Nat.eqb n (length a)); inversion O; subst.
    exists b, None, [], g', s. split; [auto|]. split; [intros r n Hn; auto|]. split; [intros r _ q []|]. intros r. symmetry. apply ST.
  - assert (HR: forall r, models r (Fo ++ F) -> rk' (s r) = Z.of_nat n /\ nm' (s r) = numel (ev r ds)).
    { intros r M. specialize (ST r). destruct T as [a|rk nm]; cbn in ST; destruct ST as [S1 S2].
      - destruct (Nat.eqb_spec n (length a)); inversion O; subst. auto.
      - destruct (verdict _ _ F P _); [|discriminate O].
        assert (E: Fo = [numel_is nm (ghosts g n); rank_is rk n] /\ ds = ghosts g n) by (inversion O; auto). destruct E as [EF ED].
        pose proof (M (rank_is rk n) ltac:(rewrite EF; cbn; auto)) as X1. pose proof (M (numel_is nm (ghosts g n)) ltac:(rewrite EF; cbn; auto)) as X2.
        apply Z.eqb_eq in X1, X2. rewrite S1, S2, ED. auto. }
    assert (V: exists chk', verdict prove' refute' F' P' (rank_is rk' n) = Some chk').
    { unfold verdict. destruct (refute' F' (rank_is rk' n)) eqn:R; [|destruct (prove' _ _); eauto].
      assert (X: rank_is rk' n (s r0) = false).
      { apply (refute'_sound _ _ R). apply EM. intros q J. apply M0. apply in_or_app; auto. }
      apply Z.eqb_neq in X. destruct X. apply HR; auto. }
    destruct V as (chk' & V). rewrite V. cbn. do 4 eexists. exists (fun r => upds (s r) g' (ev r ds)). split; [reflexivity|].
    assert (EG: forall r, ev (upds (s r) g' (ev r ds)) (ghosts g' n) = ev r ds).
    { intros r. rewrite <- LD. replace (length ds) with (length (ev r ds)) at 1 by apply map_length. apply ev_ghosts. }
    split; [intros; apply below_upds|]. split; auto. intros r M. destruct (HR r M) as [H1 H2]. destruct SU as [S1 S2].
    intros q [<-|[<-|[]]]; unfold numel_is, rank_is.
    + rewrite EG, <- H2. apply Z.eqb_eq. symmetry. apply S2. apply below_upds.
    + rewrite <- H1. apply Z.eqb_eq. symmetry. apply S1. apply below_upds. Qed.

Lemma cond_precise k s G G' c p : simE s G G' -> (forall t, In t G -> (fst t <= k)%nat) -> cond_read G c = Some p ->
  exists p', cond_read G' c = Some p' /\ (forall q d, p = Some (q,d) -> (d <= k)%nat) /\
    forall q' d', p' = Some (q',d') -> exists q d, p = Some (q,d) /\ (d <= d')%nat /\ forall r, q r = q' (s r).
Proof. intros SE K. destruct c as [b|x i z]; cbn.
  - intros H; inversion H; subst. exists None. repeat split; discriminate.
  - destruct (nth_error G x) as [[d T]|] eqn:E; [|discriminate]. destruct (sim_nth _ _ _ _ _ SE E) as ([d' T'] & -> & L & ST).
    pose proof (K _ (nth_error_In _ _ E)) as KD. cbn [fst snd] in *. destruct T' as [b|]; intros H.
    + destruct T as [a|]; [|destruct (ST (fun _ => 0))]. inversion H; subst. eexists. split; [reflexivity|]. split.
      * intros q e X; inversion X; subst; auto.
      * intros q' e X; inversion X; subst. do 2 eexists. split; [reflexivity|]. split; auto. intros r. specialize (ST r). cbn in ST.
        pose proof (f_equal (fun l => nth_error l i) ST) as N. cbn in N. rewrite !nth_error_ev in N.
        destruct (nth_error a i), (nth_error b i); inversion N; auto.
    + exists None. split; auto. split; [|discriminate]. destruct T; inversion H; subst; [|discriminate].
      intros q e X; inversion X; subst; auto. Qed.

(* sizes that agree in each state *)
Definition agree (s:env -> env) := Forall2 (fun x x':sdim => forall r, x r = x' (s r)).
Lemma agree_ev s a a' : (forall r, ev r a = ev (s r) a') -> agree s a a'.
Proof. revert a'. induction a as [|x a IH]; intros [|x' a'] H; try (specialize (H (fun _ => 0)); discriminate H); constructor.
  - intros r. specialize (H r). inversion H; auto. - apply IH. intros r. specialize (H r). inversion H; auto. Qed.
Lemma ev_agree s a a' r : agree s a a' -> ev r a = ev (s r) a'.
Proof. induction 1; auto. cbn. f_equal; auto. Qed.
Lemma never_agree s F F' a a' : (forall r, models r F -> models (s r) F') -> agree s a a' -> forall b b', agree s b b' ->
  existsb (refute F) (map2 equal a b) = false -> existsb (refute' F') (map2 equal a' b') = false.
Proof. intros EF. induction 1 as [|x x' a a' X A IH]; intros b b' B H; [auto|]. destruct B as [|y y' b b' Y B]; auto.
  cbn in *. apply orb_false_iff in H as [H1 H2]. rewrite (IH _ _ B H2), orb_false_r.
  apply (refute_mono s F F' (equal x y)); auto. intros r _. unfold equal. rewrite X, Y. auto. Qed.
Lemma choice_agree s q q' a a' : (forall r, q r = q' (s r)) -> agree s a a' -> forall b b', agree s b b' ->
  agree s (map2 (choice q) a b) (map2 (choice q') a' b').
Proof. intros Q. induction 1 as [|x x' a a' X A IH]; intros b b' B; [constructor|]. destruct B; constructor; [|apply IH; auto].
  intros r. unfold choice. rewrite <- Q, X, H. auto. Qed.

(* an opaque join of the less precise program follows a list of sizes that is one of its two *)
Fixpoint kept r0 (vs:list Z) (a b:list sdim) : Prop := match vs,a,b with
  | v::vs,x::a,y::b => (same' x y = true -> v = x r0) /\ kept r0 vs a b | _,_,_ => True end.
Fixpoint either_of r0 (vs:list Z) (a b:list sdim) : Prop := match vs,a,b with
  | v::vs,x::a,y::b => (v = x r0 \/ v = y r0) /\ either_of r0 vs a b | _,_,_ => True end.
Lemma either_follows g0 r0 r' : below g0 r0 r' -> forall a b vs g, length vs = length a -> length a = length b ->
  (forall d, In d a \/ In d b -> supp g0 d) -> (forall i, (i < length vs)%nat -> r' (g + i)%nat = nth i vs 0) -> kept r0 vs a b ->
  ev r' (either same' g a b) = vs /\ (either_of r0 vs a b -> models r' (one_ofs (either same' g a b) a b)).
Proof. intros B. induction a as [|x a IH]; intros [|y b] [|v vs] g LV LB S H K; try discriminate; [split; auto; intros _ p []|].
  destruct K as [K1 K2]. assert (X: x r' = x r0) by (symmetry; apply (S x); cbn; auto). assert (Y: y r' = y r0) by (symmetry; apply (S y); cbn; auto).
  destruct (IH b vs (Datatypes.S g)) as [A M]; auto.
  { intros d [I|I]; apply S; cbn; auto. }
  { intros i I. replace (Datatypes.S g + i)%nat with (g + Datatypes.S i)%nat by lia. exact (H (Datatypes.S i) (proj1 (Nat.succ_lt_mono _ _) I)). }
  assert (J: (if same' x y then x else fun r => r g) r' = v).
  { destruct (same' x y); [rewrite X; symmetry; auto|]. specialize (H 0%nat ltac:(cbn; lia)). rewrite Nat.add_0_r in H. auto. }
  split.
  - transitivity ((if same' x y then x else fun r => r g) r' :: ev r' (either same' (Datatypes.S g) a b)); [reflexivity|]. congruence.
  - intros [O1 O2]. assert (O: forall j:sdim, j r' = v -> one_of j x y r' = true).
    { intros j E. unfold one_of. rewrite E, X, Y. destruct O1 as [<-|<-]; rewrite Z.eqb_refl; auto using orb_true_r. }
    intros p [<-|I]; [apply O; exact J|apply M; auto]. Qed.
Lemma choice_follows s q r a a' : agree s a a' -> forall b b', agree s b b' ->
  kept (s r) (ev r (map2 (choice q) a b)) a' b' /\ either_of (s r) (ev r (map2 (choice q) a b)) a' b'.
Proof. induction 1 as [|x x' a a' X A IH]; intros b b' B; [cbn; auto|]. destruct B as [|y y' b b' Y B]; [cbn; auto|].
  destruct (IH _ _ B) as [I1 I2]. split; (split; [|auto]).
  - intros E. pose proof (same'_sound _ _ E (s r)) as Q. unfold choice. rewrite X, Y. destruct (q r); congruence.
  - unfold choice. rewrite X, Y. destruct (q r); auto. Qed.
Lemma either_follows_either s r a a' : agree s a a' -> forall b b' g, agree s b b' ->
  kept (s r) (ev r (either same g a b)) a' b' /\
  (models r (one_ofs (either same g a b) a b) -> either_of (s r) (ev r (either same g a b)) a' b').
Proof. induction 1 as [|x x' a a' X A IH]; intros b b' g B; [cbn; auto|]. destruct B as [|y y' b b' Y B]; [cbn; auto|].
  destruct (IH _ _ (S g) B) as [I1 I2]. split; [split; auto|].
  - intros E. destruct (same x y) eqn:Q; [rewrite X; auto|]. destruct (same_complete _ _ Q) as (r1 & N). destruct N. rewrite X, Y. apply same'_sound; auto.
  - intros M. split; [|apply I2; intros p I; apply M; cbn; auto].
    assert (O: one_of (if same x y then x else fun r => r g) x y r = true) by (apply M; left; auto).
    unfold one_of in O. apply orb_prop in O as [O|O]; apply Z.eqb_eq in O; rewrite <- X, <- Y; auto. Qed.
Lemma map2_len {A B} (f:A -> A -> B) a : forall b, length a = length b -> length (map2 f a b) = length a.
Proof. induction a as [|x a IH]; intros [|y b] H; cbn in *; try discriminate; auto. Qed.
Lemma either_len a : forall b g, length a = length b -> length (either same g a b) = length a.
Proof. induction a as [|x a IH]; intros [|y b] g H; cbn in *; try discriminate; auto. Qed.

Lemma joined_precise nr lv k s s1 s2 F G F' P' G' g' g1' g2' p p' t1 t2 t1' t2' star Fj t g2 g3 :
  embed nr k s F G F' G' -> scoped nr lv k g' F' P' G' -> (g' <= g1')%nat -> (g1' <= g2')%nat ->
  (forall q d, p = Some (q,d) -> (d <= k)%nat) ->
  (forall q' d', p' = Some (q',d') -> exists q d, p = Some (q,d) /\ (d <= d')%nat /\ forall r, q r = q' (s r)) ->
  (forall r, below g' (s r) (s1 r)) -> (forall r, below g' (s r) (s2 r)) -> (fst t1 <= fst t1')%nat -> (fst t2 <= fst t2')%nat ->
  (forall r, sim r (s1 r) (snd t1) (snd t1')) -> (forall r, sim r (s2 r) (snd t2) (snd t2')) ->
  suppT (lev (enter lv k g') (S k) g1' (fst t1')) (snd t1') -> suppT (lev (enter lv k g') (S k) g2' (fst t2')) (snd t2') ->
  joined refute same F k g2 p t1 t2 = Some (star, Fj, t, g3) ->
  exists star' Fj' t' g3' u, joined refute' same' F' k g2' p' t1' t2' = Some (star', Fj', t', g3') /\
    (fst t <= fst t')%nat /\ (fst t <= k)%nat /\ forall r, sim r (upds (s r) g2' (u r)) (snd t) (snd t') /\
      (models r (Fj ++ F) -> models (upds (s r) g2' (u r)) Fj').
Proof. intros EM SC L1 L2 PK PC B1 B2 D1 D2 S1 S2 U1 U2 J. pose proof (sc_fr _ _ _ _ _ _ _ SC) as FR.
  assert (LK: (fst t <= k)%nat).
  { destruct t1 as [d1 [a|]], t2 as [d2 [b|]]; cbn [joined] in J; try (inversion J; subst; auto; fail).
    destruct (Nat.eqb (length a) (length b)); [|discriminate]. destruct (Nat.leb_spec d1 k), (Nat.leb_spec d2 k); cbn [andb] in J;
      try (inversion J; subst; auto; fail). destruct (existsb _ _); [discriminate|]. destruct p as [[q d]|]; inversion J; subst; cbn; auto.
    specialize (PK q d eq_refl). lia. }
  destruct t1' as [d1' T1'], t2' as [d2' T2'].
  assert (STAR: (forall b, T1' = Known b -> exists rk nm, T2' = Star rk nm) ->
    exists star' Fj' t' g3' u, joined refute' same' F' k g2' p' (d1',T1') (d2',T2') = Some (star', Fj', t', g3') /\
    (fst t <= fst t')%nat /\ (fst t <= k)%nat /\ forall r, sim r (upds (s r) g2' (u r)) (snd t) (snd t') /\
      (models r (Fj ++ F) -> models (upds (s r) g2' (u r)) Fj')).
  { intros X. exists true, [], (k, star_at g2'), (g2' + 2)%nat, (fun r => summary r (snd t)).
    split; [|split; [auto|split; auto]; intros r; split; [apply sim_star|intros _ q []]].
    destruct T1' as [b|]; [destruct (X b eq_refl) as (rk & nm & ->)|]; auto. }
  destruct T1' as [a'|]; [|apply STAR; discriminate]. destruct T2' as [b'|]; [|apply STAR; eauto]. clear STAR.
  destruct t1 as [d1 [a|]]; [|destruct (S1 (fun _ => 0))]. destruct t2 as [d2 [b|]]; [|destruct (S2 (fun _ => 0))]. cbn [fst snd] in *.
  pose proof (sim_len _ _ _ _ (S1 (fun _ => 0))) as LA. pose proof (sim_len _ _ _ _ (S2 (fun _ => 0))) as LB. cbn [joined sim] in *.
  rewrite <- LA, <- LB. destruct (Nat.eqb_spec (length a) (length b)) as [E|]; [|discriminate].
  destruct (Nat.leb d1' k && Nat.leb d2' k) eqn:VIS.
  2:{ assert (DS: exists ds, snd t = Known ds /\ length ds = length a).
      { destruct (Nat.leb d1 k && Nat.leb d2 k); [destruct (existsb _ _); [discriminate|]; destruct p as [[q d]|]|]; inversion J; subst; cbn [snd];
          (eexists; split; [reflexivity|]); [apply map2_len; auto|apply either_len; auto|unfold ghosts; rewrite map_length, seq_length; auto]. }
      destruct DS as (ds & DS & LD). do 4 eexists. exists (fun r => ev r ds). split; [reflexivity|]. cbn [fst snd]. split; auto. split; auto.
      intros r. split; [|intros _ q []]. rewrite DS. cbn. rewrite <- LD. replace (length ds) with (length (ev r ds)) by apply map_length.
      symmetry. apply ev_ghosts. }
  apply andb_prop in VIS as [V1 V2]. apply Nat.leb_le in V1, V2.
  rewrite (proj2 (Nat.leb_le d1 k)), (proj2 (Nat.leb_le d2 k)) in J by lia. cbn [andb] in J.
  rewrite lev_enter in U1, U2 by auto.
  assert (LT: forall d, (lev lv k g' d <= g')%nat) by (intros; eapply lev_le; eauto).
  assert (SA: forall d, In d a' -> supp g' d) by (intros; eapply supp_le; [apply LT|eauto]).
  assert (SB: forall d, In d b' -> supp g' d) by (intros; eapply supp_le; [apply LT|eauto]).
  assert (A: agree s a a') by (apply agree_ev; intros r; rewrite S1; symmetry; eapply supp_ev; eauto).
  assert (B: agree s b b') by (apply agree_ev; intros r; rewrite S2; symmetry; eapply supp_ev; eauto).
  destruct (existsb (refute F) (map2 equal a b)) eqn:NV; [discriminate|]. rewrite (never_agree s F F' _ _ (em_F _ _ _ _ _ _ _ EM) A _ _ B NV).
  destruct p' as [[q' d']|].
  - destruct (PC q' d' eq_refl) as (q & d & -> & LD & Q). inversion J; subst. do 4 eexists. exists (fun _ => []). split; [reflexivity|].
    cbn [fst snd] in *. split; [lia|]. split; auto. intros r. split; [|intros _ u []]. cbn [upds sim]. apply ev_agree. apply choice_agree; auto.
  - do 4 eexists. exists (fun r => match snd t with Known ds => ev r ds | _ => [] end). split; [reflexivity|]. cbn [fst snd].
    split; auto. split; auto. intros r.
    assert (F2: forall ds, length ds = length a -> kept (s r) (ev r ds) a' b' ->
      ev (upds (s r) g2' (ev r ds)) (either same' g2' a' b') = ev r ds /\
      (either_of (s r) (ev r ds) a' b' -> models (upds (s r) g2' (ev r ds)) (one_ofs (either same' g2' a' b') a' b'))).
    { intros ds LD K. apply (either_follows g' (s r)); auto.
      - eapply below_le; [|apply below_upds]; lia. - unfold ev. rewrite map_length. exact (eq_trans LD LA). - exact (eq_trans (eq_sym LA) (eq_trans E LB)).
      - intros d [I|I]; auto. - intros i I. apply upds_hit; auto. }
    destruct p as [[q d]|]; inversion J; subst; cbn [snd sim].
    + destruct (choice_follows s q r _ _ A _ _ B) as [K O]. destruct (F2 (map2 (choice q) a b)) as [E1 M]; auto using map2_len.
    + destruct (either_follows_either s r _ _ A _ _ g2 B) as [K O]. destruct (F2 (either same g2 a b)) as [E1 M]; auto using either_len.
      split; auto. intros X. apply M, O. intros v I. apply X. apply in_or_app; auto. Qed.

Lemma embed_enter nr k s F G F' G' : embed nr k s F G F' G' -> embed nr (S k) s F G F' G'.
Proof. intros [R EF EG K]. split; auto. Qed.
Lemma below_trans g r1 r2 r3 : below g r1 r2 -> below g r2 r3 -> below g r1 r3.
Proof. intros A B n Hn. rewrite A; auto. Qed.

Ltac use E := match type of E with _ = ?v => match goal with |- context [elab defs' prove' refute' same' ?F ?P ?G ?g ?k ?e] =>
  replace (elab defs' prove' refute' same' F P G g k e) with v by (symmetry; exact E); cbv beta iota end end.
Theorem sgg nr e e' : eprec e e' -> forall lv s F P G g k c t g1 F' P' G' g', exp_ok nr e -> exp_ok nr e' ->
  scoped nr lv k g' F' P' G' -> embed nr k s F G F' G' -> elab defs prove refute same F P G g k e = Some (c, t, g1) ->
  exists c' t' g1' s', elab defs' prove' refute' same' F' P' G' g' k e' = Some (c', t', g1') /\
    (forall r, below g' (s r) (s' r)) /\ (fst t <= fst t')%nat /\ (fst t <= k)%nat /\ forall r, sim r (s' r) (snd t) (snd t').
Proof. induction 1 as [x|tg xs l e e' PR IH|x a a' l l' e e' A PR IH|cn e1 e1' e2 e2' e e' P1 IH1 P2 IH2 PR IH];
    intros lv s F P G g k c t g1 F' P' G' g' OK OK' SC EM H; cbn [Program.elab] in *.
  - destruct (nth_error G x) as [t0|] eqn:E; inversion H; subst. destruct (sim_nth _ _ _ _ _ (em_G _ _ _ _ _ _ _ EM) E) as (t' & -> & L & ST).
    exists (RRet x), t', g', s. split; auto. split; [intros r n _; auto|]. split; auto. split; auto. apply EM. eauto using nth_error_In.
  - destruct (lookups G xs) as [es|] eqn:L; [|discriminate]. destruct (interface defs tg) as [o|] eqn:I; [|discriminate].
    destruct (sim_lookups _ _ _ _ (em_G _ _ _ _ _ _ _ EM) _ L) as (es' & L' & SE). rewrite L'.
    destruct (interface_prec _ _ _ _ D I) as (o' & I' & OP). rewrite I'.
    destruct (interface_ok _ _ _ _ _ _ _ OK I) as [OO OE]. destruct (interface_ok _ _ _ _ _ _ _ OK' I') as [OO' OE'].
    destruct (applied prove refute F P g k o es) as [[[[[nd star] Fn] t1] g2]|] eqn:AP; [|discriminate].
    destruct (applied_precise _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ EM SC OO OO' OP SE (lookups_incl _ _ _ L) (lookups_incl _ _ _ L') AP)
      as (nd' & star' & Fn' & t1' & g2' & u & AP' & LT & LK & ST). rewrite AP'; cbv beta iota.
    destruct (applied_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC OO' L' AP') as (L1 & SF & SU).
    destruct (elab defs prove refute same (Fn ++ F) P (G ++ [t1]) g2 k e) as [[[c1 t2] g3]|] eqn:E; inversion H; subst.
    set (s1 := fun r => upds (s r) g' (u r)).
    assert (B: forall r, below g' (s r) (s1 r)) by (intros; apply below_upds).
    assert (EM': embed nr k s1 (Fn ++ F) (G ++ [t1]) (Fn' ++ F') (G' ++ [t1'])).
    { apply (em_step nr lv k s s1 F P' G F' G' g' g2'); auto; intros r; apply ST. }
    destruct (IH _ _ _ _ _ _ _ _ _ _ _ _ _ _ OE OE' (scoped_step _ _ _ _ _ _ _ _ _ _ SC L1 SF SU) EM' E)
      as (c' & t' & g1' & s' & E' & B' & R). use E'. do 3 eexists. exists s'. split; [reflexivity|]. split; auto.
    intros r. eapply below_trans; [apply B|]. eapply below_le; [|apply B']. auto.
  - destruct OK as [OA OE], OK' as [OA' OE']. destruct (nth_error G x) as [[d T]|] eqn:N; [|discriminate].
    destruct (sim_nth _ _ _ _ _ (em_G _ _ _ _ _ _ _ EM) N) as ([d' T'] & N' & LD & ST). rewrite N'. cbn [fst snd] in *.
    destruct A as [a|a a' AP].
    + assert (X: exists Fn t0 g0 c0, elab defs prove refute same (Fn ++ F) P (G ++ [t0]) g0 k e = Some (c0, t, g1) /\ (fst t0 <= k)%nat).
      { destruct a as [|a].
        - destruct (elab defs prove refute same F P (G ++ [(k, star_at g)]) (g + 2) k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst.
          exists [], (k, star_at g), (g + 2)%nat, c1. auto.
        - destruct (opened prove refute F P g (length a) T) as [[[[ds op] Fo] g2]|]; [|discriminate].
          destruct (verdict prove refute (Fo ++ F) P (asc_pred a ds)) as [chk|]; [|discriminate].
          destruct (elab _ prove refute same _ P _ (g2 + length a) k e) as [[[c1 t2] g3]|] eqn:E; inversion H; subst.
          exists (asc_pred a ds :: Fo). do 3 eexists. split; [exact E|]. cbn. destruct (existsb _ _); auto; lia. }
      destruct X as (Fn & t0 & g0 & c0 & E & LK). set (s1 := fun r => upds (s r) g' (summary r (snd t0))).
      assert (B: forall r, below g' (s r) (s1 r)) by (intros; apply below_upds).
      assert (EM': embed nr k s1 (Fn ++ F) (G ++ [t0]) ([] ++ F') (G' ++ [(k, star_at g')])).
      { apply (em_step nr lv k s s1 F P' G F' G' g' (g' + 2)); auto; [intros r _ q []|intros r; apply sim_star|lia]. }
      assert (SC': scoped nr lv k (g' + 2) ([] ++ F') P' (G' ++ [(k, star_at g')])).
      { apply (scoped_step _ _ _ g'); auto; [lia|apply suppF_nil|]. cbn [fst snd]. rewrite lev_top. apply supp_star. }
      destruct (IH _ _ _ _ _ _ _ _ _ _ _ _ _ _ OE OE' SC' EM' E) as (c' & t' & g1' & s' & E' & B' & R). use E'.
      do 3 eexists. exists s'. split; [reflexivity|]. split; auto.
      intros r. eapply below_trans; [apply B|]. eapply below_le; [|apply B']. lia.
    + destruct (opened prove refute F P g (length a) T) as [[[[ds op] Fo] g2]|] eqn:O; [|discriminate].
      destruct (verdict prove refute (Fo ++ F) P (asc_pred a ds)) as [chk|] eqn:V; [|discriminate].
      destruct (elab _ prove refute same _ P _ (g2 + length a) k e) as [[[c1 t2] g3]|] eqn:E; inversion H; subst.
      assert (RF: refute (Fo ++ F) (asc_pred a ds) = false) by (unfold verdict in V; destruct (refute _ _); [discriminate|auto]).
      destruct (refute_complete _ _ RF) as (r0 & M0 & _). pose proof (F2len _ _ _ AP) as LA.
      destruct (opened_precise _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ EM SC (nth_error_In _ _ N') ST O (ex_intro _ r0 M0))
        as (ds' & op' & Fo' & g2' & s1 & O' & B1 & MO & ED). rewrite LA in O'. rewrite O'; cbv beta iota.
      destruct (opened_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC (nth_error_In _ _ N') O') as (L1 & SF & SD & LDS).
      pose proof (sc_fr _ _ _ _ _ _ _ SC) as FR.
      assert (NG: (nr <= g')%nat). { pose proof (proj2 FR 0%nat k ltac:(lia)) as X. destruct FR. rewrite lev_top in X. lia. }
      assert (BN: forall r, below nr r (s1 r)).
      { intros r. eapply below_trans; [apply (em_r _ _ _ _ _ _ _ EM)|eapply below_le; [|apply B1]; auto]. }
      assert (EF: forall r, models r (Fo ++ F) -> models (s1 r) (Fo' ++ F')).
      { intros r M. apply models_app; auto. eapply models_below; [apply SC|apply B1|]. apply EM. intros q I. apply M. apply in_or_app; auto. }
      assert (PM: forall r, models r (Fo ++ F) -> asc_pred a ds r = true -> asc_pred a' ds' (s1 r) = true).
      { intros r _. unfold asc_pred. rewrite ED. intros X. rewrite <- (anns_agree nr a' r (s1 r)); auto. eapply anns_mono; eauto. }
      destruct (verdict_mono s1 _ P _ P' _ (asc_pred a' ds') _ EF PM V) as (chk' & V'). rewrite V'; cbv beta iota.
      set (s2 := fun r => upds (s1 r) g2' (ev r (asc_out a g2))).
      assert (B: forall r, below g' (s r) (s2 r)).
      { intros r. eapply below_trans; [apply B1|]. eapply below_le; [|apply below_upds]; auto. }
      assert (SA: supp g2' (asc_pred a' ds')) by (apply (supp_anns nr a' g2'); auto; lia).
      assert (EM': embed nr k s2 ((asc_pred a ds :: Fo) ++ F) (G ++ [(if existsb is_q a then k else 0%nat, Known (asc_out a g2))])
          ((asc_pred a' ds' :: Fo') ++ F') (G' ++ [(if existsb is_q a' then k else 0%nat, Known (asc_out a' g2'))])).
      { apply (em_step nr lv k s s2 F P' G F' G' g' (g2' + length a')); auto; cbn [fst snd].
        - intros r M. assert (MF: models r (Fo ++ F)) by (intros q I; apply M; right; auto).
          intros q [<-|I].
          + rewrite <- (SA (s1 r) (s2 r)) by apply below_upds. apply PM; auto. apply M; left; auto.
          + exact (models_below g2' Fo' (s1 r) (s2 r) SF (below_upds _ _ _) (MO r MF) q I).
        - destruct (existsb is_q a) eqn:Q; [rewrite (existsb_q _ _ AP Q); auto|lia].
        - destruct (existsb is_q a); lia.
        - intros r. cbn [sim]. symmetry. apply (asc_embed nr _ _ AP); auto. lia.
        - lia. }
      assert (SC': scoped nr lv k (g2' + length a') ((asc_pred a' ds' :: Fo') ++ F') P'
          (G' ++ [(if existsb is_q a' then k else 0%nat, Known (asc_out a' g2'))])).
      { apply (scoped_step _ _ _ g'); auto; [lia| |apply (asc_scoped nr); auto; eapply frames_step; eauto].
        apply suppF_cons; [apply (supp_le g2'); [lia|auto]|apply (suppF_le g2'); [lia|auto]]. }
      destruct (IH _ _ _ _ _ _ _ _ _ _ _ _ _ _ OE OE' SC' EM' E) as (c' & t' & g3' & s' & E' & B' & R). use E'.
      do 3 eexists. exists s'. split; [reflexivity|]. split; auto.
      intros r. eapply below_trans; [apply B|]. eapply below_le; [|apply B']. lia.
  - destruct OK as (O1 & O2 & OE), OK' as (O1' & O2' & OE'). destruct (cond_read G cn) as [p|] eqn:C; [|discriminate].
    destruct (cond_precise _ _ _ _ _ _ (em_G _ _ _ _ _ _ _ EM) (em_k _ _ _ _ _ _ _ EM) C) as (p' & C' & PK & PC). rewrite C'.
    destruct (cond_scoped _ _ _ _ _ _ _ _ _ SC C') as (S1 & S2 & SQ).
    destruct (elab defs prove refute same F (if_so p ++ P) G g (S k) e1) as [[[c1 t1] g2]|] eqn:E1; [|discriminate].
    destruct (elab defs prove refute same F (if_not p ++ P) G g2 (S k) e2) as [[[c2 t2] g3]|] eqn:E2; [|discriminate].
    destruct (joined refute same F k g3 p t1 t2) as [[[[star Fj] tj] g4]|] eqn:J; [|discriminate].
    destruct (elab defs prove refute same (Fj ++ F) P (G ++ [tj]) g4 k e) as [[[c3 t3] g5]|] eqn:E3; inversion H; subst.
    pose proof (scoped_enter _ _ _ _ g' _ _ _ _ SC (le_n _) S1) as SC1.
    destruct (IH1 _ _ _ _ _ _ _ _ _ _ _ _ _ _ O1 O1' SC1 (embed_enter _ _ _ _ _ _ _ EM) E1) as (c1' & t1' & g1' & s1 & E1' & B1 & D1 & K1 & T1).
    use E1'. destruct (elab_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ O1' SC1 E1') as [L1 U1].
    pose proof (scoped_enter _ _ _ _ g1' _ _ _ _ SC L1 S2) as SC2.
    destruct (IH2 _ _ _ _ _ _ _ _ _ _ _ _ _ _ O2 O2' SC2 (embed_enter _ _ _ _ _ _ _ EM) E2) as (c2' & t2' & g2' & s2 & E2' & B2 & D2 & K2 & T2).
    use E2'. destruct (elab_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ O2' SC2 E2') as [L2 U2].
    assert (B2': forall r, below g' (s r) (s2 r)) by (intros r; eapply below_le; [|apply B2]; auto).
    destruct (joined_precise _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ EM SC L1 L2 PK PC B1 B2' D1 D2 T1 T2 U1 U2 J)
      as (star' & Fj' & tj' & g3' & u & J' & LT & LK & ST). rewrite J'; cbv beta iota.
    destruct (joined_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC L1 L2 SQ U1 U2 J') as (L3 & SF & SU).
    set (s3 := fun r => upds (s r) g2' (u r)).
    assert (B: forall r, below g' (s r) (s3 r)) by (intros r; eapply below_le; [|apply below_upds]; lia).
    assert (EM': embed nr k s3 (Fj ++ F) (G ++ [tj]) (Fj' ++ F') (G' ++ [tj'])).
    { apply (em_step nr lv k s s3 F P' G F' G' g' g3'); auto; try lia; intros r; apply ST. }
    assert (SC3: scoped nr lv k g3' (Fj' ++ F') P' (G' ++ [tj'])) by (apply (scoped_step _ _ _ g'); auto; lia).
    destruct (IH _ _ _ _ _ _ _ _ _ _ _ _ _ _ OE OE' SC3 EM' E3) as (c' & t' & g4' & s' & E' & B' & R). use E'.
    do 3 eexists. exists s'. split; [reflexivity|]. split; auto.
    intros r. eapply below_trans; [apply B|]. eapply below_le; [|apply B']. lia.
Qed.

(* ---------- definitions: what is accepted stays accepted *)
Lemma params_precise nr ps ps' : Forall2 sprec ps ps' -> forall g g' s0, (nr <= g')%nat -> Forall (sann_ok nr) ps' ->
  (forall r, below nr r (s0 r)) -> exists s, (forall r, below g' (s0 r) (s r)) /\ simE s (params ps g) (params ps' g').
Proof. induction 1 as [|p p' ps ps' A F IH]; intros g g' s0 L OK B; [exists s0; split; [intros r n _; auto|constructor]|].
  inversion OK as [|? ? O1 O2]; subst. destruct A as [a|a a' P]; cbn [params].
  - set (T := match a with SAny => star_at g | SDims a => Known (asc_out a g) end).
    set (s1 := fun r => upds (s0 r) g' (summary r T)).
    assert (B1: forall r, below g' (s0 r) (s1 r)) by (intros; apply below_upds).
    destruct (IH (match a with SAny => g + 2 | SDims a => g + length a end)%nat (g' + 2)%nat s1) as (s & B2 & SE); auto; [lia|intros r n Hn; rewrite (B r) by auto; apply B1; lia|].
    exists s. split; [intros r; eapply below_trans; [apply B1|eapply below_le; [|apply B2]; lia]|].
    assert (X: simE s ((0%nat, T) :: params ps (match a with SAny => g + 2 | SDims a => g + length a end)%nat) ((0%nat, star_at g') :: params ps' (g' + 2))).
    { constructor; auto. cbn [fst snd]. split; auto. intros r. apply (sim_below (g' + 2) r (s1 r)); auto using supp_star. apply sim_star. }
    unfold T in X. destruct a; exact X.
  - set (s1 := fun r => upds (s0 r) g' (ev r (asc_out a g))).
    assert (B1: forall r, below g' (s0 r) (s1 r)) by (intros; apply below_upds).
    destruct (IH (g + length a)%nat (g' + length a')%nat s1) as (s & B2 & SE); auto; [lia|intros r n Hn; rewrite (B r) by auto; apply B1; lia|].
    exists s. split; [intros r; eapply below_trans; [apply B1|eapply below_le; [|apply B2]; lia]|].
    constructor; auto. cbn [fst snd]. split; auto. intros r. apply (sim_below (g' + length a') r (s1 r)); auto.
    + intros d I. eapply supp_asc_out; eauto.
    + cbn [sim]. symmetry. apply (asc_embed nr _ _ P); auto. Qed.
Theorem sgg_def d d' : dprec d d' -> def_ok d -> def_ok d' ->
  elab_def defs prove refute same d <> None -> elab_def defs' prove' refute' same' d' <> None.
Proof. intros PR [SW SP SR SB] [SW' SP' SR' SB'] H. pose proof (whole_prec _ _ PR) as WP. pose proof PR as [PB PP PW PRS PE].
  assert (NR: dnames d = dnames d') by (unfold dnames; rewrite PB; auto). unfold elab_def in *. rewrite <- NR in *.
  destruct (refute [] (dwhere d)) eqn:RW; [congruence|].
  assert (RW': refute' [] (dwhere d') = false).
  { destruct (refute' [] (dwhere d')) eqn:R; auto. destruct (refute_complete _ _ RW) as (r & M & W). apply PW in W.
    rewrite (refute'_sound _ _ R r M) in W. discriminate. }
  rewrite RW'. destruct (elab defs prove refute same _ _ _ _ _ _) as [[[c t] g1]|] eqn:E; [clear H|cbn in H; congruence].
  destruct (params_precise (dnames d) _ _ PP (dnames d) (dnames d) (fun r => r)) as (s & B & SE); auto; [intros r n _; auto|].
  assert (OW: exp_ok (dnames d) (whole d)) by (apply finish_ok; auto).
  assert (OW': exp_ok (dnames d) (whole d')) by (apply finish_ok; auto).
  assert (SC: scoped (dnames d) (fun _ => 0%nat) 0 (past (dpars d') (dnames d)) [dwhere d'] [] (params (dpars d') (dnames d))).
  { split.
    - split; [apply past_le|]. intros; levels.
    - apply suppF_cons; [eapply supp_le; [apply past_le|apply SW']|apply suppF_nil].
    - apply suppF_nil.
    - intros u I. destruct (params_supp (dnames d) _ _ (le_n _) SP' u I) as [Z0 S0]. rewrite Z0. apply S0. }
  assert (EM: embed (dnames d) 0 s [dwhere d] (params (dpars d) (dnames d)) [dwhere d'] (params (dpars d') (dnames d))).
  { split; auto.
    - intros r M p [<-|[]]. apply PW. rewrite <- (SW r (s r)); [apply M; left; auto|apply B].
    - intros u I. destruct (params_supp (dnames d) _ _ (le_n _) SP u I) as [Z0 _]. lia. }
  destruct (sgg _ _ _ WP _ _ _ _ _ _ _ _ _ _ _ _ _ _ OW OW' SC EM E) as (c' & t' & g1' & s' & E' & _). use E'. discriminate. Qed.
End Static.

(* ---------- the oracles that [sgg] asks of the precise program exist where excluded middle does *)
Lemma perfect_same : (forall P:Prop, {P} + {~P}) -> exists same:sdim -> sdim -> bool,
  (forall a b, same a b = true -> forall r, a r = b r) /\ (forall a b, same a b = false -> exists r, a r <> b r).
Proof. intros EM. exists (fun a b => if EM (exists r, a r <> b r) then false else true).
  split; intros a b; destruct (EM _) as [Y|N]; try discriminate; auto.
  intros _ r. destruct (Z.eq_dec (a r) (b r)); auto. destruct N; eauto. Qed.
