(* Programs (Program.v): who can be blamed, what a smaller budget changes, and what the static system accepts. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Program ProgramScope ProgramSound.
Import ListNotations.
Open Scope Z_scope.

(* ---------- only a check that was left is ever blamed *)
Definition left_over (nd:need) := nd <> Checked None.
Fixpoint residual (l:nat) (c:rexp) : Prop := match c with
  | RRet _ => False
  | RApp _ _ nd _ l' _ c => left_over nd /\ l = l' \/ residual l c
  | ROpen _ _ chk l' _ c => chk <> None /\ l = l' \/ residual l c
  | RAsc _ chk _ l' _ c => chk <> None /\ l = l' \/ residual l c
  | RIf _ c1 c2 _ _ c => residual l c1 \/ residual l c2 \/ residual l c end.
Lemma perform_blame w rc t l0 ins l : perform w rc t l0 ins = inl (Blame l) -> exists f, rc f ins = Blame l.
Proof. destruct t as [o|f]; cbn; [discriminate|]. destruct (rc f ins) eqn:E; intros H; inversion H; subst; eauto. Qed.
Lemma run_blame defs w rc l (Q:Prop) : (forall f ins, rc f ins = Blame l -> Q) ->
  forall c r vs, run defs w rc r vs c = Blame l -> residual l c \/ Q.
Proof. intros C. induction c as [x|t xs nd star l' g c IH|x n chk l' g c IH|x chk star l' g c IH|cn c1 IH1 c2 IH2 star g c IH]; intros r vs H; cbn [run] in H.
  - destruct (nth_error vs x); discriminate.
  - destruct (lookups vs xs) as [ins|]; [|discriminate]. destruct (interface defs t) as [o|]; [|discriminate].
    assert (GO: match perform w rc t l' ins with inl out => out | inr (us, s) => run defs w rc (upds r g (shown star us s)) (vs ++ [s]) c end = Blame l ->
      residual l (RApp t xs nd star l' g c) \/ Q).
    { destruct (perform w rc t l' ins) as [out|[us s]] eqn:P; intros X.
      - subst out. apply perform_blame in P as (f & P). eauto.
      - apply IH in X as [X|X]; cbn; auto. }
    destruct nd as [[p|]|]; cbn [guard] in H.
    + destruct (p r); [destruct (accepts o ins); [auto|discriminate]|]. inversion H; subst. left; left. split; auto. discriminate.
    + destruct (accepts o ins); [auto|discriminate].
    + destruct (accepts o ins); [auto|]. inversion H; subst. left; left. split; auto. discriminate.
  - destruct (nth_error vs x) as [s|]; [|discriminate]. destruct chk as [p|]; cbn [guard] in H; [destruct (p r)|];
      try (destruct (Nat.eqb n (length s)); [|discriminate]; apply IH in H as [H|H]; cbn; auto; fail).
    inversion H; subst. left; left. split; auto. discriminate.
  - destruct (nth_error vs x) as [s|]; [|discriminate]. destruct chk as [p|]; cbn [guard] in H; [destruct (p r)|];
      try (apply IH in H as [H|H]; cbn; auto; fail).
    inversion H; subst. left; left. split; auto. discriminate.
  - destruct (cond_holds w vs cn) as [b|]; [|discriminate].
    destruct (if b then run defs w rc r vs c1 else run defs w rc r vs c2) as [s|m| |] eqn:B; try discriminate.
    + apply IH in H as [H|H]; cbn; auto.
    + inversion H; subst. destruct b; [apply IH1 in B as [B|B]|apply IH2 in B as [B|B]]; cbn; auto. Qed.
Theorem blame_residual defs cores w fuel : forall f ins l, core_calls defs cores w fuel f ins = Blame l ->
  exists c, In c cores /\ residual l c.
Proof. induction fuel as [|fuel IH]; intros f ins l H; cbn [core_calls] in H; [discriminate|].
  destruct (nth_error defs f) as [d|]; [|discriminate]. destruct (nth_error cores f) as [c|] eqn:N; [|discriminate].
  apply (run_blame _ _ _ _ (exists c, In c cores /\ residual l c)) in H as [H|H]; auto; [|intros; eauto]. eauto using nth_error_In. Qed.

Section Oracles.
Variables (defs:list def) (prove refute:list spred -> spred -> bool) (same:sdim -> sdim -> bool).

(* a program without checks never blames, nor does its source with all of them: at no fuel, in no world, for no sizes *)
Theorem unchecked_never_blames cores w fuel f d ins : proves_soundly prove -> (forall a b, same a b = true -> forall r, a r = b r) ->
  world_ok w -> Forall def_ok defs -> Forall2 (fun d c => elab_def defs prove refute same d = Some c) defs cores ->
  (forall c l, In c cores -> ~ residual l c) -> nth_error defs f = Some d -> accepts (iface d) ins = true ->
  forall l, calls defs w fuel f ins <> Blame l.
Proof. intros PS SS WO OK EL NR N A l H. destruct (program_correct defs prove refute same w PS SS WO cores OK EL fuel f d ins N A) as (EQ & _).
  rewrite <- EQ in H. apply blame_residual in H as (c & I & R). exact (NR c l I R). Qed.

(* ---------- a smaller budget: an oracle that refutes less rejects no more, whatever it proves *)
Theorem budget_monotone prove' refute' : (forall F p, refute' F p = true -> refute F p = true) ->
  forall e F P G g k c t g1, elab defs prove refute same F P G g k e = Some (c, t, g1) ->
  exists c', elab defs prove' refute' same F P G g k e = Some (c', t, g1).
Proof. intros Less.
  assert (V: forall F P p chk, verdict prove refute F P p = Some chk -> exists chk', verdict prove' refute' F P p = Some chk').
  { unfold verdict. intros F P p chk H. destruct (refute' F p) eqn:R; [rewrite (Less _ _ R) in H; discriminate|]. destruct (prove' (P ++ F) p); eauto. }
  assert (AP: forall F P g k o es nd star Fn t g1, applied prove refute F P g k o es = Some (nd, star, Fn, t, g1) ->
    exists nd', applied prove' refute' F P g k o es = Some (nd', star, Fn, t, g1)).
  { unfold applied. intros F P g k o es nd star Fn t g1. destruct (all_known es) as [Ts|]; [|intros H; inversion H; eauto].
    destruct (orank o _) as [[n|]|]; try discriminate; destruct (verdict prove refute F P (pre_of o Ts)) as [chk|] eqn:E; try discriminate;
      destruct (V _ _ _ _ E) as (chk' & ->); intros H; inversion H; eauto. }
  assert (OP: forall F P g n T ds op Fo g1, opened prove refute F P g n T = Some (ds, op, Fo, g1) ->
    exists op', opened prove' refute' F P g n T = Some (ds, op', Fo, g1)).
  { unfold opened. intros F P g n T ds op Fo g1. destruct T as [Ts|rk nm]; [destruct (Nat.eqb _ _); intros H; inversion H; eauto|].
    destruct (verdict prove refute F P (rank_is rk n)) as [chk|] eqn:E; [|discriminate]. destruct (V _ _ _ _ E) as (chk' & ->). intros H; inversion H; cbn; eauto. }
  assert (JN: forall F k g p t1 t2 x, joined refute same F k g p t1 t2 = Some x -> joined refute' same F k g p t1 t2 = Some x).
  { intros F k g p [d1 [a|]] [d2 [b|]] x; cbn; auto. destruct (Nat.eqb _ _); auto. destruct (_ && _); auto.
    destruct (existsb (refute F) (map2 equal a b)) eqn:R; [discriminate|]. replace (existsb (refute' F) (map2 equal a b)) with false; auto.
    symmetry. revert R. generalize (map2 equal a b). induction l as [|q l IH]; cbn; auto. intros R. apply orb_false_iff in R as [R1 R2].
    rewrite IH, orb_false_r by auto. destruct (refute' F q) eqn:Q; auto. rewrite (Less _ _ Q) in R1. discriminate. }
  induction e as [x|tg xs l e IH|x a l e IH|cn e1 IH1 e2 IH2 e IH]; intros F P G g k c t g1 H; cbn [elab] in *.
  - destruct (nth_error G x); inversion H; subst; cbn; eauto.
  - destruct (lookups G xs) as [es|]; [|discriminate]. destruct (interface defs tg) as [o|]; [|discriminate].
    destruct (applied prove refute F P g k o es) as [[[[[nd star] Fn] t1] g2]|] eqn:A; [|discriminate]. destruct (AP _ _ _ _ _ _ _ _ _ _ _ A) as (nd' & ->).
    destruct (elab defs prove refute same _ _ _ _ _ e) as [[[c1 t2] g3]|] eqn:E; inversion H; subst. destruct (IH _ _ _ _ _ _ _ _ E) as (c' & ->). eauto.
  - destruct (nth_error G x) as [[d T]|]; [|discriminate]. destruct a as [|a].
    + destruct (elab defs prove refute same _ _ _ _ _ e) as [[[c1 t2] g3]|] eqn:E; inversion H; subst. destruct (IH _ _ _ _ _ _ _ _ E) as (c' & ->). eauto.
    + destruct (opened prove refute F P g (length a) T) as [[[[ds op] Fo] g2]|] eqn:O; [|discriminate]. destruct (OP _ _ _ _ _ _ _ _ _ O) as (op' & ->).
      destruct (verdict prove refute (Fo ++ F) P (asc_pred a ds)) as [chk|] eqn:Q; [|discriminate]. destruct (V _ _ _ _ Q) as (chk' & ->).
      destruct (elab defs prove refute same _ _ _ _ _ e) as [[[c1 t2] g3]|] eqn:E; inversion H; subst. destruct (IH _ _ _ _ _ _ _ _ E) as (c' & ->). eauto.
  - destruct (cond_read G cn) as [p|]; [|discriminate].
    destruct (elab defs prove refute same F (if_so p ++ P) G g (S k) e1) as [[[c1 t1] g2]|] eqn:E1; [|discriminate]. destruct (IH1 _ _ _ _ _ _ _ _ E1) as (c1' & ->).
    destruct (elab defs prove refute same F (if_not p ++ P) G g2 (S k) e2) as [[[c2 t2] g3]|] eqn:E2; [|discriminate]. destruct (IH2 _ _ _ _ _ _ _ _ E2) as (c2' & ->).
    destruct (joined refute same F k g3 p t1 t2) as [[[[star Fj] tj] g4]|] eqn:J; [|discriminate]. rewrite (JN _ _ _ _ _ _ _ J).
    destruct (elab defs prove refute same (Fj ++ F) P (G ++ [tj]) g4 k e) as [[[c3 t3] g5]|] eqn:E3; inversion H; subst. destruct (IH _ _ _ _ _ _ _ _ E3) as (c3' & ->). eauto. Qed.

(* ---------- a join that the facts decide: its ghost is what they say it is *)
Theorem join_determined F j a b r : (forall r, models r F -> a r = b r) -> models r (one_of j a b :: F) -> j r = a r.
Proof. intros E M. assert (MF: models r F) by (intros p I; apply M; right; auto).
  pose proof (M _ (or_introl eq_refl)) as O. apply orb_prop in O as [O|O]; apply Z.eqb_eq in O; auto. rewrite O. symmetry. auto. Qed.
End Oracles.
