(* Scopes of programs (Program.v): what each rule introduces mentions no ghost that is still to come, and what a branch
   hands out mentions none of the branch's unless its depth says so. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Program.
Import ListNotations.
Open Scope Z_scope.

(* ---------- scopes: at depth k, what has depth d mentions nothing from [lev d] on *)
Definition lev (lv:nat -> nat) (k g d:nat) := if Nat.ltb d k then lv d else g.
Definition frames nr lv k g := (nr <= lev lv k g 0)%nat /\ forall d d', (d <= d')%nat -> (lev lv k g d <= lev lv k g d')%nat.
Definition enter (lv:nat -> nat) k g : nat -> nat := fun d => if Nat.eqb d k then g else lv d.
Ltac levels := unfold lev, enter in *; repeat match goal with
  | |- context [Nat.ltb ?a ?b] => destruct (Nat.ltb_spec a b)
  | |- context [Nat.eqb ?a ?b] => destruct (Nat.eqb_spec a b)
  | H : context [Nat.ltb ?a ?b] |- _ => destruct (Nat.ltb_spec a b)
  | H : context [Nat.eqb ?a ?b] |- _ => destruct (Nat.eqb_spec a b) end; try lia.
Lemma lev_le nr lv k g d : frames nr lv k g -> (lev lv k g d <= g)%nat.
Proof. intros [_ M]. specialize (M d (max d k) ltac:(lia)). levels. Qed.
Lemma lev_step lv k g g' d : (g <= g')%nat -> (lev lv k g d <= lev lv k g' d)%nat.
Proof. levels. Qed.
Lemma lev_top lv k g : lev lv k g k = g.
Proof. levels. Qed.
Lemma frames_step nr lv k g g' : (g <= g')%nat -> frames nr lv k g -> frames nr lv k g'.
Proof. intros L [N M]. split; [pose proof (lev_step lv k g g' 0 L); lia|]. intros d d' D. specialize (M d d' D). levels. Qed.
Lemma frames_enter nr lv k g g' : (g <= g')%nat -> frames nr lv k g -> frames nr (enter lv k g) (S k) g'.
Proof. intros L [N M]. split; [|intros d d' D; specialize (M d d' D)]; levels. Qed.
Lemma lev_enter lv k g g' d : (d <= k)%nat -> lev (enter lv k g) (S k) g' d = lev lv k g d.
Proof. levels; subst; auto. Qed.
Lemma lev_enter_le nr lv k g g' d : frames nr lv k g -> (g <= g')%nat -> (lev lv k g d <= lev (enter lv k g) (S k) g' d)%nat.
Proof. intros F L. pose proof (lev_le _ _ _ _ d F). levels; subst; auto. Qed.

Definition suppL n (Ts:list (list sdim)) := forall T, In T Ts -> forall d, In d T -> supp n d.
Definition suppT n (T:ty) := match T with Known ds => forall d, In d ds -> supp n d | Star rk nm => supp n rk /\ supp n nm end.
Definition suppE lv k g (G:list entry_t) := forall t, In t G -> suppT (lev lv k g (fst t)) (snd t).
Record scoped nr lv k g F P G := { sc_fr : frames nr lv k g; sc_F : suppF g F; sc_P : suppF g P; sc_G : suppE lv k g G }.

Lemma suppT_le n m T : (n <= m)%nat -> suppT n T -> suppT m T.
Proof. destruct T; cbn; [|intros L []; split]; eauto using supp_le. Qed.
Lemma suppE_In nr lv k g G t : frames nr lv k g -> suppE lv k g G -> In t G -> suppT g (snd t).
Proof. intros F S I. eapply suppT_le; [eapply lev_le; eauto|apply S; auto]. Qed.
Lemma supp_var g n : (n < g)%nat -> supp g (fun r:env => r n).
Proof. intros L r r' B. apply B; auto. Qed.
Lemma supp_star g : suppT (g + 2) (star_at g).
Proof. split; apply supp_var; lia. Qed.
Lemma scoped_step nr lv k g g' F P G Fn t : scoped nr lv k g F P G -> (g <= g')%nat -> suppF g' Fn ->
  suppT (lev lv k g' (fst t)) (snd t) -> scoped nr lv k g' (Fn ++ F) P (G ++ [t]).
Proof. intros [A B C D] L SF ST. split; eauto using frames_step, suppF_le, suppF_app.
  intros u I. apply in_app_or in I as [I|[<-|[]]]; auto. eapply suppT_le; [apply lev_step; eauto|auto]. Qed.
Lemma scoped_enter nr lv k g g' F P G Q : scoped nr lv k g F P G -> (g <= g')%nat -> suppF g Q ->
  scoped nr (enter lv k g) (S k) g' F (Q ++ P) G.
Proof. intros [A B C D] L SQ. split; eauto using frames_enter, suppF_le, suppF_app.
  intros u I. eapply suppT_le; [eapply lev_enter_le; eauto|auto]. Qed.
Lemma suppL_ev g Ts r r' : suppL g Ts -> below g r r' -> map (ev r) Ts = map (ev r') Ts.
Proof. intros S B. eapply supp_evs; eauto. Qed.

(* ---------- what each rule introduces is in scope *)
Lemma lookups_incl {A} (G:list A) xs es : lookups G xs = Some es -> forall a, In a es -> In a G.
Proof. intros; eapply lookups_In; eauto. Qed.
Lemma all_known_In es : forall Ts, all_known es = Some Ts -> forall T, In T Ts -> exists d, In (d, Known T) es.
Proof. induction es as [|[d [T|rk nm]] es IH]; cbn; intros Ts H U I; inversion H; subst; [destruct I|].
  destruct (all_known es) as [Us|]; inversion H; subst. destruct I as [<-|I]; eauto. destruct (IH _ eq_refl _ I); eauto. Qed.
Lemma deps_le es t : In t es -> (fst t <= deps es)%nat.
Proof. intros I. pose proof (proj1 (list_max_le (map fst es) (deps es)) (le_n _)) as X. rewrite Forall_forall in X.
  apply X. apply in_map; auto. Qed.
Lemma known_supp nr lv k g G es Ts : frames nr lv k g -> suppE lv k g G -> (forall t, In t es -> In t G) ->
  all_known es = Some Ts -> suppL (lev lv k g (deps es)) Ts.
Proof. intros F S I K T J. destruct (all_known_In _ _ K _ J) as [d D]. pose proof (S _ (I _ D)) as X.
  apply (suppT_le _ (lev lv k g (deps es))) in X; auto. apply F. apply (deps_le _ _ D). Qed.
Lemma suppL_le n m Ts : (n <= m)%nat -> suppL n Ts -> suppL m Ts.
Proof. unfold suppL; eauto using supp_le. Qed.
Lemma supp_pre g o Ts : suppL g Ts -> supp g (pre_of o Ts).
Proof. intros S r r' B. unfold pre_of. rewrite (suppL_ev g Ts r r'); auto. Qed.
Lemma supp_bound g o Ts : suppL g Ts -> supp (g + nex o) (bound_of o Ts g).
Proof. intros S r r' B. unfold bound_of. rewrite (suppL_ev g Ts r r'); auto; [|eapply below_le; [|eauto]; lia].
  f_equal. eapply supp_ev; eauto using supp_ghosts. Qed.
Lemma supp_out g o Ts k d : suppL g Ts -> In d (out_of o Ts g k) -> supp (g + nex o) d.
Proof. unfold out_of. intros S I. apply in_map_iff in I as (i & <- & _). intros r r' B.
  rewrite (suppL_ev g Ts r r'); auto; [|eapply below_le; [|eauto]; lia].
  f_equal. f_equal. eapply supp_ev; eauto using supp_ghosts. Qed.
Lemma supp_out_closed n g o Ts k d : op_ok o -> oloc o = false -> suppL n Ts -> In d (out_of o Ts g k) -> supp n d.
Proof. unfold out_of. intros OK L S I. apply in_map_iff in I as (i & <- & _). intros r r' B.
  rewrite (suppL_ev n Ts r r'); auto. f_equal. apply ok_loc; auto. Qed.
Lemma suppF_nil g : suppF g [].
Proof. intros p []. Qed.
#[local] Hint Resolve suppF_nil suppF_cons : core.

Section Oracles.
Variables (defs:list def) (prove refute:list spred -> spred -> bool) (same:sdim -> sdim -> bool).
Lemma applied_scoped nr lv k g F P G o xs es nd star Fn t g' : scoped nr lv k g F P G -> op_ok o -> lookups G xs = Some es ->
  applied prove refute F P g k o es = Some (nd, star, Fn, t, g') ->
  (g <= g')%nat /\ suppF g' Fn /\ suppT (lev lv k g' (fst t)) (snd t).
Proof. intros [FR SF SP SG] OK L. unfold applied. destruct (all_known es) as [Ts|] eqn:K.
  2:{ intros H; inversion H; subst. cbn [fst snd]. rewrite lev_top. auto using supp_star with arith. }
  pose proof (known_supp _ _ _ _ _ _ _ FR SG (lookups_incl _ _ _ L) K) as SL.
  assert (SL': suppL g Ts) by (eapply suppL_le; [eapply lev_le; eauto|eauto]).
  destruct (orank o _) as [[n|]|]; try discriminate; destruct (verdict prove refute F P (pre_of o Ts)) as [chk|]; try discriminate;
    intros H; inversion H; subst; cbn [fst snd].
  - split; [lia|split]; [apply suppF_cons; [|apply suppF_cons; auto]|].
    + eapply supp_le; [|eapply supp_pre; eauto]; lia. + apply supp_bound; auto.
    + destruct (oloc o) eqn:OL; cbn; intros d I.
      * rewrite lev_top. eapply supp_out; eauto.
      * apply (supp_le (lev lv k g (deps es))); [apply lev_step; lia|eapply supp_out_closed; eauto].
  - rewrite lev_top. split; [lia|split]; auto using supp_star. apply suppF_cons; auto. eapply supp_le; [|eapply supp_pre; eauto]; lia. Qed.

Lemma opened_scoped nr lv k g F P G n t T op Fo ds g1 : scoped nr lv k g F P G -> In (t, T) G ->
  opened prove refute F P g n T = Some (ds, op, Fo, g1) ->
  (g <= g1)%nat /\ suppF g1 Fo /\ (forall d, In d ds -> supp g1 d) /\ length ds = n.
Proof. intros [FR SF SP SG] I. pose proof (suppE_In _ _ _ _ _ _ FR SG I) as ST. unfold opened. destruct T as [Ts|rk nm].
  - destruct (Nat.eqb_spec n (length Ts)); intros H; inversion H; subst. repeat split; auto.
  - destruct (verdict _ _ _ _ _); cbn; intros H; inversion H; subst. destruct ST as [S1 S2]. split; [lia|]. split; [|split].
    + apply suppF_cons; [|apply suppF_cons; auto]; intros r r' B; unfold numel_is, rank_is.
      * f_equal; [apply S2; eapply below_le; [|eauto]; lia|]. f_equal. eapply supp_ev; eauto using supp_ghosts.
      * f_equal. apply S1. eapply below_le; [|eauto]; lia.
    + intros d J. apply supp_ghosts; auto.
    + unfold ghosts. rewrite map_length, seq_length; auto. Qed.
Lemma closed_asc_out nr a : existsb is_q a = false -> Forall (ann_ok nr) a -> forall g d, In d (asc_out a g) -> supp nr d.
Proof. induction a as [|[|d] a IH]; cbn; intros Q O g e I; try discriminate; [destruct I|]. inversion O; subst.
  destruct I as [<-|I]; eauto. Qed.
Definition sann_ok nr a := match a with SAny => True | SDims a => Forall (ann_ok nr) a end.
Lemma asc_scoped nr lv k g a : frames nr lv k g -> Forall (ann_ok nr) a ->
  suppT (lev lv k (g + length a) (if existsb is_q a then k else 0%nat)) (Known (asc_out a g)).
Proof. intros FR OA. destruct (existsb is_q a) eqn:Q; cbn; intros d I.
  - rewrite lev_top. eapply supp_asc_out; eauto. destruct FR as [N M]. pose proof (M 0%nat k ltac:(lia)). rewrite lev_top in *. lia.
  - apply (supp_le nr); [|eapply closed_asc_out; eauto]. destruct FR as [N M]. pose proof (lev_step lv k g (g + length a) 0 ltac:(lia)). lia. Qed.

Lemma In_map2 {A B} (f:A -> A -> B) a : forall b z, In z (map2 f a b) -> exists x y, In x a /\ In y b /\ z = f x y.
Proof. induction a as [|x a IH]; intros [|y b] z I; cbn in I; try contradiction. destruct I as [<-|I]; [exists x, y; cbn; auto|].
  destruct (IH _ _ I) as (u & v & U & V & E). exists u, v; cbn; auto. Qed.
Lemma In_either g a : forall b n d, In d (either same n a b) -> (g <= n)%nat -> (forall e, In e a -> supp g e) -> supp (n + length a) d.
Proof. revert g. induction a as [|x a IH]; intros g [|y b] n d I L S; cbn in I; try contradiction. destruct I as [<-|I].
  - destruct (same x y); [eapply supp_le; [|apply S; left; auto]; lia|apply supp_var; cbn; lia].
  - eapply supp_le; [|eapply (IH g b (Datatypes.S n) d); eauto; intros; apply S; right; auto]. cbn; lia. Qed.
Lemma In_one_ofs g (j:list sdim) : forall a b p, In p (one_ofs j a b) -> (forall d, In d j \/ In d a \/ In d b -> supp g d) -> supp g p.
Proof. induction j as [|z j IH]; intros [|x a] [|y b] p I S; cbn in I; try contradiction. destruct I as [<-|I].
  - intros r r' B. unfold one_of. rewrite (S z ltac:(cbn; auto) r r' B), (S x ltac:(cbn; auto) r r' B), (S y ltac:(cbn; auto) r r' B); auto.
  - eapply IH; eauto. intros d D. apply S. cbn. tauto. Qed.

Lemma cond_scoped nr lv k g F P G c p : scoped nr lv k g F P G -> cond_read G c = Some p ->
  suppF g (if_so p) /\ suppF g (if_not p) /\ (forall q d, p = Some (q,d) -> supp (lev lv k g d) q).
Proof. intros [FR SF SP SG]. destruct c as [b|x i z]; cbn.
  - intros H; inversion H; subst; cbn. repeat split; auto. discriminate.
  - destruct (nth_error G x) as [[d [T|rk nm]]|] eqn:E; intros H; inversion H; subst; cbn; [|repeat split; auto; discriminate].
    assert (S: supp (lev lv k g d) (match nth_error T i with Some z0 => fun r => z0 r =? z | None => fun _ => false end)).
    { destruct (nth_error T i) eqn:E2; [|intros r r' _; auto]. intros r r' B. f_equal.
      eapply (SG _ (nth_error_In _ _ E)); eauto using nth_error_In. }
    assert (S': supp g (match nth_error T i with Some z0 => fun r => z0 r =? z | None => fun _ => false end)).
    { apply (supp_le (lev lv k g d)); [eapply lev_le; eauto|exact S]. }
    split; [apply suppF_cons; auto|split]; [apply suppF_cons; auto; intros r r' B; f_equal; apply S'; auto|].
    intros q e H0; inversion H0; subst; auto. Qed.
Lemma joined_scoped nr lv k g g1 g2 F P G p t1 t2 star Fj t g3 : scoped nr lv k g F P G -> (g <= g1)%nat -> (g1 <= g2)%nat ->
  (forall q d, p = Some (q,d) -> supp (lev lv k g d) q) ->
  suppT (lev (enter lv k g) (S k) g1 (fst t1)) (snd t1) -> suppT (lev (enter lv k g) (S k) g2 (fst t2)) (snd t2) ->
  joined refute same F k g2 p t1 t2 = Some (star, Fj, t, g3) ->
  (g2 <= g3)%nat /\ suppF g3 Fj /\ suppT (lev lv k g3 (fst t)) (snd t).
Proof. intros [FR SF SP SG] L1 L2 SQ S1 S2. destruct t1 as [d1 [a|? ?]], t2 as [d2 [b|? ?]]; cbn [joined];
    try (intros H; inversion H; subst; cbn [fst snd]; rewrite lev_top; auto using supp_star with arith; fail).
  destruct (Nat.eqb_spec (length a) (length b)) as [E|]; try discriminate.
  destruct (Nat.leb_spec d1 k) as [D1|D1], (Nat.leb_spec d2 k) as [D2|D2]; cbn [andb];
    [ |intros H; inversion H; subst; cbn [fst snd]; rewrite lev_top; split; [lia|split]; [auto|cbn; intros d I; apply supp_ghosts; auto]..].
  cbn [fst snd suppT] in S1, S2. rewrite lev_enter in S1, S2 by auto.
  assert (LT: forall d, (lev lv k g d <= g)%nat) by (intros; eapply lev_le; eauto).
  assert (A: forall d, In d a -> supp g d) by (intros; eapply supp_le; [apply LT|eauto]).
  assert (B: forall d, In d b -> supp g d) by (intros; eapply supp_le; [apply LT|eauto]).
  destruct (existsb (refute F) (map2 equal a b)); try discriminate.
  assert (M: forall d n, (d <= n)%nat -> (lev lv k g d <= lev lv k (g2 + length a) n)%nat).
  { intros d n LE. pose proof (proj2 FR d n LE). pose proof (lev_step lv k g (g2 + length a) n ltac:(lia)). lia. }
  destruct p as [[q dq]|]; intros H; inversion H; subst; cbn [fst snd suppT]; (split; [lia|]).
  - split; auto. intros d I. apply In_map2 in I as (x & y & X & Y & ->). intros r r' BL. unfold choice.
    rewrite (SQ q dq eq_refl r r') by (eapply below_le; [|eauto]; apply M; lia).
    rewrite (S1 x X r r'), (S2 y Y r r'); auto; eapply below_le; try eassumption; apply M; lia.
  - assert (J: forall d, In d (either same g2 a b) -> supp (g2 + length a) d) by (intros; eapply (In_either g); eauto; lia).
    split.
    + intros q I. eapply In_one_ofs; eauto. intros d [D|[D|D]]; auto; (apply (supp_le g); [lia|auto]).
    + intros d I. rewrite lev_top; auto. Qed.

Fixpoint exp_ok nr (e:exp) := match e with Ret _ => True
  | Let (Op o) _ _ e => op_ok o /\ exp_ok nr e
  | Let (Call _) _ _ e => exp_ok nr e
  | LetAsc _ a _ e => sann_ok nr a /\ exp_ok nr e
  | LetIf _ a b e => exp_ok nr a /\ exp_ok nr b /\ exp_ok nr e end.
End Oracles.

(* ---------- a definition's interface is a declaration like another *)
Lemma fill_len r a : forall us, length (fill r a us) = length a.
Proof. induction a as [|[|d] a IH]; cbn; auto. Qed.
Lemma fill_closed r a : existsb is_q a = false -> forall us us', fill r a us = fill r a us'.
Proof. induction a as [|[|d] a IH]; cbn; intros Q us us'; try discriminate; auto. f_equal; auto. Qed.
Lemma fill_holds r a : forall us, anns_hold r a (fill r a us) = true.
Proof. induction a as [|[|d] a IH]; cbn; intros us; auto. rewrite Z.eqb_refl; cbn; auto. Qed.
Lemma fill_id r a : forall s, anns_hold r a s = true -> fill r a s = s.
Proof. induction a as [|[|d] a IH]; intros [|z s] H; cbn in *; try discriminate; auto.
  - rewrite IH; auto. - apply andb_prop in H as [E H]. apply Z.eqb_eq in E. rewrite IH; congruence. Qed.
Lemma anns_len r a : forall s, anns_hold r a s = true -> length a = length s.
Proof. induction a as [|x a IH]; intros [|z s] H; cbn in *; try discriminate; auto. apply andb_prop in H as [_ H]; auto. Qed.
Lemma iface_ok d : op_ok (iface d).
Proof. split; cbn.
  - intros ins us k. destruct (all_fit _ _); try discriminate. destruct (dres d) as [|a]; intros H; inversion H; subst.
    intros _. apply fill_len.
  - intros ins _. destruct (dres d) as [|a]; [auto|]. rewrite fill_len. auto using fill_holds.
  - destruct (dres d) as [|a]; [discriminate|]. intros Q ins us us'. apply fill_closed; auto. Qed.
Lemma interface_ok defs nr t xs l e o : exp_ok nr (Let t xs l e) -> interface defs t = Some o -> op_ok o /\ exp_ok nr e.
Proof. destruct t as [p|f]; cbn; [intros [A B] H; inversion H; subst; auto|]. intros A H.
  destruct (nth_error defs f); inversion H; subst. split; auto. apply iface_ok. Qed.

(* ---------- what is elaborated is in scope *)
Section Scope.
Variables (defs:list def) (prove refute:list spred -> spred -> bool) (same:sdim -> sdim -> bool).
Notation elab := (elab defs prove refute same).
Lemma elab_scoped nr : forall e lv F P G g k c t g', exp_ok nr e -> scoped nr lv k g F P G ->
  elab F P G g k e = Some (c, t, g') -> (g <= g')%nat /\ suppT (lev lv k g' (fst t)) (snd t).
Proof. induction e as [x|tg xs l e IH|x a l e IH|cn e1 IH1 e2 IH2 e IH]; intros lv F P G g k c t g' OK SC H; cbn [Program.elab] in H.
  - destruct (nth_error G x) eqn:E; inversion H; subst. split; auto. apply (sc_G _ _ _ _ _ _ _ SC). eauto using nth_error_In.
  - destruct (lookups G xs) as [es|] eqn:L; [|discriminate]. destruct (interface defs tg) as [o|] eqn:I; [|discriminate].
    destruct (interface_ok _ _ _ _ _ _ _ OK I) as [OO OE].
    destruct (applied prove refute F P g k o es) as [[[[[nd star] Fn] t1] g1]|] eqn:A; [|discriminate].
    destruct (applied_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC OO L A) as (L1 & SF & ST).
    destruct (elab (Fn ++ F) P (G ++ [t1]) g1 k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst.
    destruct (IH _ _ _ _ _ _ _ _ _ OE (scoped_step _ _ _ _ _ _ _ _ _ _ SC L1 SF ST) E). split; auto; lia.
  - destruct OK as [OA OE]. destruct (nth_error G x) as [[d T]|] eqn:N; [|discriminate]. destruct a as [|a].
    + destruct (elab F P (G ++ [(k, star_at g)]) (g + 2) k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst.
      assert (SC': scoped nr lv k (g + 2) F P (G ++ [(k, star_at g)])).
      { apply (scoped_step _ _ _ g _ _ _ _ [] _ SC); auto; [lia|]. cbn [fst snd]. rewrite lev_top. apply supp_star. }
      destruct (IH _ _ _ _ _ _ _ _ _ OE SC' E). split; auto; lia.
    + destruct (opened prove refute F P g (length a) T) as [[[[ds op] Fo] g1]|] eqn:O; [|discriminate].
      destruct (opened_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC (nth_error_In _ _ N) O) as (L1 & SF & SD & LD).
      destruct (verdict prove refute (Fo ++ F) P (asc_pred a ds)) as [chk|]; [|discriminate].
      destruct (elab _ P _ (g1 + length a) k e) as [[[c1 t2] g2]|] eqn:E; inversion H; subst.
      pose proof (sc_fr _ _ _ _ _ _ _ SC) as FR. assert (FR1: frames nr lv k g1) by (eapply frames_step; eauto).
      assert (N1: (nr <= g1)%nat). { pose proof (proj2 FR1 0%nat k ltac:(lia)). destruct FR1. rewrite lev_top in *. lia. }
      change (asc_pred a ds :: Fo ++ F) with ((asc_pred a ds :: Fo) ++ F) in E.
      assert (SC': scoped nr lv k (g1 + length a) ((asc_pred a ds :: Fo) ++ F) P
          (G ++ [(if existsb is_q a then k else 0%nat, Known (asc_out a g1))])).
      { apply (scoped_step _ _ _ g); auto; [lia| |apply (asc_scoped nr); auto].
        apply suppF_cons; [apply (supp_le g1); [lia|apply (supp_anns nr a g1); auto]|apply (suppF_le g1); [lia|auto]]. }
      destruct (IH _ _ _ _ _ _ _ _ _ OE SC' E). split; auto; lia.
  - destruct OK as (O1 & O2 & OE). destruct (cond_read G cn) as [p|] eqn:C; [|discriminate].
    destruct (cond_scoped _ _ _ _ _ _ _ _ _ SC C) as (S1 & S2 & SQ).
    destruct (elab F (if_so p ++ P) G g (S k) e1) as [[[c1 t1] g1]|] eqn:E1; [|discriminate].
    destruct (elab F (if_not p ++ P) G g1 (S k) e2) as [[[c2 t2] g2]|] eqn:E2; [|discriminate].
    destruct (joined refute same F k g2 p t1 t2) as [[[[star Fj] tj] g3]|] eqn:J; [|discriminate].
    destruct (elab (Fj ++ F) P (G ++ [tj]) g3 k e) as [[[c3 t3] g4]|] eqn:E3; inversion H; subst.
    destruct (IH1 _ _ _ _ _ _ _ _ _ O1 (scoped_enter _ _ _ _ g _ _ _ _ SC (le_n _) S1) E1) as [L1 T1].
    destruct (IH2 _ _ _ _ _ _ _ _ _ O2 (scoped_enter _ _ _ _ g1 _ _ _ _ SC L1 S2) E2) as [L2 T2].
    destruct (joined_scoped _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ SC L1 L2 SQ T1 T2 J) as (L3 & SF & ST).
    assert (SC': scoped nr lv k g3 (Fj ++ F) P (G ++ [tj])) by (apply (scoped_step _ _ _ g); auto; lia).
    destruct (IH _ _ _ _ _ _ _ _ _ OE SC' E3). split; auto; lia. Qed.
End Scope.
