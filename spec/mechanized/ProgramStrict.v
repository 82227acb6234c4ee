(* Programs (Program.v): the conservative extension.  The static system has no oracle, no verdict and no check: it asks of
   each obligation that it hold in every model of the facts and the path, and in some model of the facts at all.  Complete
   oracles elaborate a program to core without checks exactly if the static system accepts it. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Program ProgramScope ProgramSound ProgramBlame.
Import ListNotations.
Open Scope Z_scope.

Definition plausible F (p:spred) := exists r, models r F /\ p r = true.
Definition owed F P (p:spred) := plausible F p /\ forall r, models r (P ++ F) -> p r = true.
(* what an application and an opening make, where nothing is dynamic *)
Inductive makes F P g k (o:op) (es:list entry_t) : bool -> list spred -> entry_t -> nat -> Prop :=
| M_ranked Ts n : all_known es = Some Ts -> orank o (map (@length sdim) Ts) = Some (Some n) -> owed F P (pre_of o Ts) ->
    makes F P g k o es false [pre_of o Ts; bound_of o Ts g] (if oloc o then k else deps es, Known (out_of o Ts g n)) (g + nex o)
| M_unranked Ts : all_known es = Some Ts -> orank o (map (@length sdim) Ts) = Some None -> owed F P (pre_of o Ts) ->
    makes F P g k o es true [pre_of o Ts] (k, star_at g) (g + 2).
Inductive opens F P g n : ty -> list sdim -> list spred -> nat -> Prop :=
| O_known ds : n = length ds -> opens F P g n (Known ds) ds [] g
| O_star rk nm : owed F P (rank_is rk n) -> opens F P g n (Star rk nm) (ghosts g n) [numel_is nm (ghosts g n); rank_is rk n] (g + n).
Fixpoint no_check (c:rexp) : Prop := match c with
  | RRet _ => True
  | RApp _ _ nd _ _ _ c => nd = Checked None /\ no_check c
  | ROpen _ _ chk _ _ c => chk = None /\ no_check c
  | RAsc _ chk _ _ _ c => chk = None /\ no_check c
  | RIf _ c1 c2 _ _ c => no_check c1 /\ no_check c2 /\ no_check c end.
Lemma no_check_residual l c : no_check c -> ~ residual l c.
Proof. induction c; cbn; unfold left_over; intuition. Qed.

Section Static.
Variables (defs:list def) (same:sdim -> sdim -> bool).
(* branches agree where each pair of sizes can be equal *)
Inductive joins F k g (p:option (spred * nat)) : entry_t -> entry_t -> bool -> list spred -> entry_t -> nat -> Prop :=
| J_choice d1 a d2 b q d : p = Some (q,d) -> length a = length b -> (d1 <= k)%nat -> (d2 <= k)%nat -> Forall (plausible F) (map2 equal a b) ->
    joins F k g p (d1, Known a) (d2, Known b) false [] (max d (max d1 d2), Known (map2 (choice q) a b)) (g + length a)
| J_either d1 a d2 b : p = None -> length a = length b -> (d1 <= k)%nat -> (d2 <= k)%nat -> Forall (plausible F) (map2 equal a b) ->
    joins F k g p (d1, Known a) (d2, Known b) false (one_ofs (either same g a b) a b) (k, Known (either same g a b)) (g + length a)
| J_local d1 a d2 b : length a = length b -> (k < d1)%nat \/ (k < d2)%nat ->
    joins F k g p (d1, Known a) (d2, Known b) false [] (k, Known (ghosts g (length a))) (g + length a)
| J_star t1 t2 : (forall a b, snd t1 = Known a -> snd t2 <> Known b) -> joins F k g p t1 t2 true [] (k, star_at g) (g + 2).
Inductive static : list spred -> list spred -> list entry_t -> nat -> nat -> exp -> entry_t -> nat -> Prop :=
| S_ret F P G g k x t : nth_error G x = Some t -> static F P G g k (Ret x) t g
| S_let F P G g k tg xs l e es o star Fn t1 g1 t g' : lookups G xs = Some es -> interface defs tg = Some o ->
    makes F P g k o es star Fn t1 g1 -> static (Fn ++ F) P (G ++ [t1]) g1 k e t g' -> static F P G g k (Let tg xs l e) t g'
| S_any F P G g k x l e u t g' : nth_error G x = Some u -> static F P (G ++ [(k, star_at g)]) (g + 2) k e t g' ->
    static F P G g k (LetAsc x SAny l e) t g'
| S_dims F P G g k x a l e d T ds Fo g1 t g' : nth_error G x = Some (d,T) -> opens F P g (length a) T ds Fo g1 ->
    owed (Fo ++ F) P (asc_pred a ds) ->
    static (asc_pred a ds :: Fo ++ F) P (G ++ [(if existsb is_q a then k else 0%nat, Known (asc_out a g1))]) (g1 + length a) k e t g' ->
    static F P G g k (LetAsc x (SDims a) l e) t g'
| S_if F P G g k c e1 e2 e p t1 g1 t2 g2 star Fj tj g3 t g' : cond_read G c = Some p ->
    static F (if_so p ++ P) G g (S k) e1 t1 g1 -> static F (if_not p ++ P) G g1 (S k) e2 t2 g2 ->
    joins F k g2 p t1 t2 star Fj tj g3 -> static (Fj ++ F) P (G ++ [tj]) g3 k e t g' -> static F P G g k (LetIf c e1 e2 e) t g'.

Section Complete.
Variables prove refute : list spred -> spred -> bool.
Hypothesis prove_sound : proves_soundly prove.
Hypothesis prove_complete : forall F p, (forall r, models r F -> p r = true) -> prove F p = true.
Hypothesis refute_sound : refutes_soundly refute.
Hypothesis refute_complete : forall F p, refute F p = false -> exists r, models r F /\ p r = true.
Notation elab := (elab defs prove refute same).

Lemma refute_iff F p : refute F p = false <-> plausible F p.
Proof. split; [apply refute_complete|]. intros (r & M & H). destruct (refute F p) eqn:R; auto. rewrite (refute_sound _ _ R r M) in H. discriminate. Qed.
Lemma verdict_iff F P p : verdict prove refute F P p = Some None <-> owed F P p.
Proof. unfold verdict, owed. rewrite <- refute_iff. split.
  - destruct (refute F p); [discriminate|]. destruct (prove (P ++ F) p) eqn:E; [|discriminate]. intros _. split; auto. apply prove_sound; auto.
  - intros [-> V]. rewrite (prove_complete _ _ V). auto. Qed.
Lemma existsb_plausible F ps : existsb (refute F) ps = false <-> Forall (plausible F) ps.
Proof. induction ps as [|p ps IH]; cbn; [split; auto|]. rewrite orb_false_iff, IH, refute_iff. split; [intros []; constructor; auto|intros H; inversion H; auto]. Qed.
Lemma makes_iff F P g k o es star Fn t g1 : applied prove refute F P g k o es = Some (Checked None, star, Fn, t, g1) <-> makes F P g k o es star Fn t g1.
Proof. unfold applied. split.
  - destruct (all_known es) as [Ts|] eqn:K; [|discriminate]. destruct (orank o _) as [[n|]|] eqn:R; try discriminate;
      destruct (verdict prove refute F P (pre_of o Ts)) as [[chk|]|] eqn:V; try discriminate; apply verdict_iff in V; intros H; inversion H; subst; constructor; auto.
  - intros [Ts n K R V|Ts K R V]; rewrite K, R, (proj2 (verdict_iff _ _ _) V); auto. Qed.
Lemma opens_iff F P g n T ds Fo g1 : (exists op, opened prove refute F P g n T = Some (ds, op, Fo, g1) /\ (op = None \/ op = Some None)) <-> opens F P g n T ds Fo g1.
Proof. unfold opened. split.
  - intros (op & H & O). destruct T as [a|rk nm].
    + destruct (Nat.eqb_spec n (length a)); inversion H; subst. constructor; auto.
    + destruct (verdict prove refute F P (rank_is rk n)) as [[chk|]|] eqn:V; inversion H; subst; [destruct O; discriminate|]. constructor. apply verdict_iff; auto.
  - intros [a ->|rk nm V]; [rewrite Nat.eqb_refl; eauto|]. rewrite (proj2 (verdict_iff _ _ _) V). cbn. eauto. Qed.
Lemma joins_iff F k g p t1 t2 star Fj t g1 : joined refute same F k g p t1 t2 = Some (star, Fj, t, g1) <-> joins F k g p t1 t2 star Fj t g1.
Proof. split.
  - destruct t1 as [d1 [a|]], t2 as [d2 [b|]]; cbn [joined]; try (intros H; inversion H; subst; apply J_star; cbn; congruence).
    destruct (Nat.eqb_spec (length a) (length b)); [|discriminate]. destruct (Nat.leb_spec d1 k), (Nat.leb_spec d2 k); cbn [andb];
      try (intros X; inversion X; subst; apply J_local; auto; fail).
    destruct (existsb (refute F) (map2 equal a b)) eqn:E; [discriminate|]. apply existsb_plausible in E.
    destruct p as [[q d]|]; intros X; inversion X; subst; constructor; auto.
  - intros [d1 a d2 b q d -> L D1 D2 E|d1 a d2 b -> L D1 D2 E|d1 a d2 b L D|u v N]; cbn [joined].
    + apply existsb_plausible in E. rewrite (proj2 (Nat.eqb_eq _ _) L), (proj2 (Nat.leb_le _ _) D1), (proj2 (Nat.leb_le _ _) D2), E. auto.
    + apply existsb_plausible in E. rewrite (proj2 (Nat.eqb_eq _ _) L), (proj2 (Nat.leb_le _ _) D1), (proj2 (Nat.leb_le _ _) D2), E. auto.
    + rewrite (proj2 (Nat.eqb_eq _ _) L). destruct (Nat.leb_spec d1 k), (Nat.leb_spec d2 k); cbn; auto; lia.
    + destruct u as [d1 [a|]], v as [d2 [b|]]; auto. destruct (N a b); auto. Qed.

Ltac use E := match type of E with _ = ?v => match goal with |- context [Program.elab defs prove refute same ?F ?P ?G ?g ?k ?e] =>
  replace (Program.elab defs prove refute same F P G g k e) with v by (symmetry; exact E); cbv beta iota end end.
Ltac found N v := match goal with |- context [@nth_error ?A ?l ?i] => replace (@nth_error A l i) with v by (symmetry; exact N); cbv beta iota end.
Theorem conservative e : forall F P G g k t g', static F P G g k e t g' <-> exists c, elab F P G g k e = Some (c, t, g') /\ no_check c.
Proof. induction e as [x|tg xs l e IH|x a l e IH|cn e1 IH1 e2 IH2 e IH]; intros F P G g k t g'; split.
  - intros S; inversion S as [? ? ? ? ? ? ? N| | | |]; subst. cbn. rewrite N. cbn. eexists; split; eauto; exact I.
  - cbn. intros (c & H & _). destruct (nth_error G x) eqn:N; inversion H; subst. constructor; auto.
  - intros S; inversion S as [|? ? ? ? ? ? ? ? ? es o star Fn t1 g1 ? ? L N M S'| | |]; subst. cbn [Program.elab]. rewrite L, N, (proj2 (makes_iff _ _ _ _ _ _ _ _ _ _) M); cbv beta iota.
    apply IH in S' as (c & E & NC). use E. eexists; split; [reflexivity|]. cbn; auto.
  - cbn [Program.elab]. intros (c & H & NC). destruct (lookups G xs) as [es|] eqn:L; [|discriminate]. destruct (interface defs tg) as [o|] eqn:N; [|discriminate].
    destruct (applied prove refute F P g k o es) as [[[[[nd star] Fn] t1] g1]|] eqn:A; [|discriminate].
    destruct (elab (Fn ++ F) P (G ++ [t1]) g1 k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst. cbn in NC. destruct NC as [-> NC].
    econstructor; eauto; [apply makes_iff; eauto|apply IH; eauto].
  - intros S; inversion S as [| |? ? ? ? ? ? ? ? u ? ? N S'|? ? ? ? ? ? b ? ? d T ds Fo g1 ? ? N O V S'|]; subst; cbn [Program.elab].
    + found N (Some u). destruct u. apply IH in S' as (c & E & NC). use E. eexists; split; [reflexivity|]. cbn; auto.
    + found N (Some (d, T)). apply opens_iff in O as (op & OE & OP). rewrite OE; cbv beta iota. rewrite (proj2 (verdict_iff _ _ _) V); cbv beta iota. apply IH in S' as (c & E & NC). use E.
      eexists; split; [reflexivity|]. destruct OP as [-> | ->]; cbn; auto.
  - cbn [Program.elab]. intros (c & H & NC). destruct (nth_error G x) as [[d T]|] eqn:N; [|discriminate]. destruct a as [|a].
    + destruct (elab F P (G ++ [(k, star_at g)]) (g + 2) k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst. cbn in NC. destruct NC.
      econstructor; eauto. apply IH; eauto.
    + destruct (opened prove refute F P g (length a) T) as [[[[ds op] Fo] g1]|] eqn:O; [|discriminate].
      destruct (verdict prove refute (Fo ++ F) P (asc_pred a ds)) as [chk|] eqn:V; [|discriminate].
      destruct (elab (asc_pred a ds :: Fo ++ F) P _ (g1 + length a) k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst.
      assert (NC': (op = None \/ op = Some None) /\ chk = None /\ no_check c1).
      { destruct op as [chk0|]; cbn in NC; [destruct NC as (-> & -> & NC)|destruct NC as (-> & NC)]; auto. }
      destruct NC' as (OP & -> & NC1). econstructor; eauto; [apply opens_iff; eauto|apply verdict_iff; auto|apply IH; eauto].
  - intros S; inversion S as [| | | |? ? ? ? ? ? ? ? ? p t1 g1 t2 g2 star Fj tj g3 ? ? C S1 S2 J S3]; subst. cbn [Program.elab]. rewrite C.
    apply IH1 in S1 as (c1 & E1 & N1). use E1. apply IH2 in S2 as (c2 & E2 & N2). use E2. rewrite (proj2 (joins_iff _ _ _ _ _ _ _ _ _ _) J); cbv beta iota.
    apply IH in S3 as (c3 & E3 & N3). use E3. eexists; split; [reflexivity|]. cbn; auto.
  - cbn [Program.elab]. intros (c & H & NC). destruct (cond_read G cn) as [p|] eqn:C; [|discriminate].
    destruct (elab F (if_so p ++ P) G g (S k) e1) as [[[c1 t1] g1]|] eqn:E1; [|discriminate].
    destruct (elab F (if_not p ++ P) G g1 (S k) e2) as [[[c2 t2] g2]|] eqn:E2; [|discriminate].
    destruct (joined refute same F k g2 p t1 t2) as [[[[star Fj] tj] g3]|] eqn:J; [|discriminate].
    destruct (elab (Fj ++ F) P (G ++ [tj]) g3 k e) as [[[c3 t3] g4]|] eqn:E3; inversion H; subst. cbn in NC. destruct NC as (N1 & N2 & N3).
    econstructor; eauto; [apply IH1; eauto|apply IH2; eauto|apply joins_iff; eauto|apply IH; eauto]. Qed.

(* a definition that the static system accepts *)
Definition static_def d := plausible [] (dwhere d) /\ exists t g,
  static [dwhere d] [] (params (dpars d) (dnames d)) (past (dpars d) (dnames d)) 0 (whole d) t g.
Theorem conservative_def d : static_def d <-> exists c, elab_def defs prove refute same d = Some c /\ no_check c.
Proof. unfold static_def, elab_def. rewrite <- refute_iff. split.
  - intros (R & t & g & S). rewrite R. apply conservative in S as (c & -> & NC). cbn. eauto.
  - intros (c & H & NC). destruct (refute [] (dwhere d)); [discriminate|]. split; auto.
    destruct (elab _ _ _ _ _ _) as [[[c1 t] g]|] eqn:E; cbn in H; inversion H; subst. exists t, g. apply conservative; eauto. Qed.
End Complete.
End Static.

(* ---------- a static program never blames: whatever its names stand for, whatever the world, with every check in place *)
Theorem static_never_blames defs same w : (forall P:Prop, {P} + {~P}) -> (forall a b, same a b = true -> forall r, a r = b r) -> world_ok w ->
  Forall def_ok defs -> Forall (static_def defs same) defs ->
  forall fuel f d ins l, nth_error defs f = Some d -> accepts (iface d) ins = true -> calls defs w fuel f ins <> Blame l.
Proof. intros EM SS WO OK ST. destruct (perfect_oracles EM) as (prove & refute & PS & PC & RS & RC & _).
  assert (X: forall ds, Forall (static_def defs same) ds ->
    exists cores, Forall2 (fun d c => elab_def defs prove refute same d = Some c) ds cores /\ forall c, In c cores -> no_check c).
  { induction 1 as [|d ds S D IH]; [exists []; split; [constructor|intros c []]|]. destruct IH as (cs & F & NC).
    apply (conservative_def defs same prove refute PS PC RS RC) in S as (c & EC & N).
    exists (c::cs). split; [constructor; auto|]. intros c' [<-|I]; auto. }
  destruct (X _ ST) as (cores & EL & NC). intros fuel f d ins l N A.
  apply (unchecked_never_blames defs prove refute same cores w fuel f d ins); auto. intros c m I. apply no_check_residual; auto. Qed.
