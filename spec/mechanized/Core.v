(* The first-order core: operators with needs, unknown results and bounds; ascription; branches on booleans and on sizes.

   A program is in A-normal form.  [dyn] makes every check on concrete shapes; [elab] decides each obligation
   (Verdicts.v) and leaves the rest as checks over ghosts, which [run] makes.  Proved here: the elaborated program does
   what the one with all checks does, label for label, and no operator is reached with its needs unmet
   ([elab_correct]); less precise annotations change no value and add no blame ([dgg]); a budget that decides less
   rejects no more ([budget_monotone]). *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts.
Import ListNotations.
Open Scope Z_scope.

Record op := {
  orank : list nat -> option nat;                   (* rank is static *)
  nex   : nat;                                      (* number of existential dims *)
  opre  : list shape -> bool;                       (* ONE rule: read concretely here ...   *)
  obound: list shape -> list Z -> bool;             (* what is known of them, e.g. u <= n *)
  owit  : list shape -> list Z;                     (* ... and a witness: the bound is inhabited *)
  oout  : list shape -> list Z -> shape }.
Definition op_ok (o:op) := (forall ins us k, orank o (map (@length Z) ins) = Some k ->
  length us = nex o -> length (oout o ins us) = k) /\
  (forall ins, opre o ins = true -> length (owit o ins) = nex o /\ obound o ins (owit o ins) = true).

Inductive cond := CB (b:nat) | CD (x i:nat) (k:Z).
Inductive exp :=
| Ret (x:nat)
| LetOp (o:op) (xs:list nat) (l:nat) (e:exp)
| LetAsc (x:nat) (a:list ann) (l:nat) (e:exp)
| If (c:cond) (e1 e2:exp).

(* ---------- worlds: booleans and data-dependent sizes; pure, keyed by the program point *)
Record world := { wb : nat -> bool; wu : op -> nat -> list shape -> list Z }.
Definition world_ok (w:world) := forall (o:op) l ins, op_ok o -> opre o ins = true ->
  length (wu w o l ins) = nex o /\ obound o ins (wu w o l ins) = true.
Lemma world_inhabited b : world_ok {| wb := b; wu := fun o _ ins => owit o ins |}.
Proof. intros o l ins [_ W] P. apply W; auto. Qed.


Inductive outcome := Val (s:shape) | Blame (l:nat) | Stuck.

(* ---------- source semantics: every check is made, on concrete shapes *)
Definition cond_holds (w:world) (vs:list shape) (c:cond) : option bool := match c with
  | CB b => Some (wb w b)
  | CD x i k => match nth_error vs x with Some s => match nth_error s i with Some z => Some (z =? k) | None => None end | None => None end end.
Fixpoint dyn (w:world) (r:env) (vs:list shape) (e:exp) : outcome := match e with
  | Ret x => match nth_error vs x with Some s => Val s | None => Stuck end
  | LetOp o xs l e => match lookups vs xs with
      | None => Stuck
      | Some ins => if opre o ins then dyn w r (vs ++ [oout o ins (wu w o l ins)]) e else Blame l end
  | LetAsc x a l e => match nth_error vs x with
      | None => Stuck
      | Some s => if Nat.eqb (length a) (length s) then (if anns_hold r a s then dyn w r (vs ++ [s]) e else Blame l) else Stuck end
  | If c e1 e2 => match cond_holds w vs c with None => Stuck | Some true => dyn w r vs e1 | Some false => dyn w r vs e2 end end.

(* ---------- target: residual checks are predicates over ghosts; kernels get stuck on a violated pre-condition *)
Inductive rexp :=
| RRet (x:nat)
| ROp (o:op) (xs:list nat) (chk:option spred) (l g:nat) (e:rexp)
| RAsc (x:nat) (chk:option spred) (l g:nat) (e:rexp)
| RIf (c:cond) (e1 e2:rexp).
Fixpoint run (w:world) (r:env) (vs:list shape) (e:rexp) : outcome := match e with
  | RRet x => match nth_error vs x with Some s => Val s | None => Stuck end
  | ROp o xs chk l g e => match lookups vs xs with
      | None => Stuck
      | Some ins => if guard r chk then
            (if opre o ins then run w (upds r g (wu w o l ins)) (vs ++ [oout o ins (wu w o l ins)]) e else Stuck)
          else Blame l end
  | RAsc x chk l g e => match nth_error vs x with
      | None => Stuck
      | Some s => if guard r chk then run w (upds r g s) (vs ++ [s]) e else Blame l end
  | RIf c e1 e2 => match cond_holds w vs c with None => Stuck | Some true => run w r vs e1 | Some false => run w r vs e2 end end.

(* ---------- elaboration *)
Section Elab.
Variables prove refute : list spred -> spred -> bool.
Definition pre_of (o:op) (ins:list (list sdim)) : spred := fun r => opre o (map (ev r) ins).
Definition bound_of o ins g : spred := fun r => obound o (map (ev r) ins) (ev r (ghosts g (nex o))).
Definition out_of (o:op) (ins:list (list sdim)) g k : list sdim :=
  map (fun i => fun r => nth i (oout o (map (ev r) ins) (ev r (ghosts g (nex o)))) 0) (seq 0 k).
Definition cond_pred (G:list (list sdim)) (c:cond) : option (list spred * list spred) := match c with
  | CB _ => Some ([],[])
  | CD x i k => match nth_error G x with Some T => match nth_error T i with
      | Some d => Some ([fun r => d r =? k],[fun r => negb (d r =? k)]) | None => None end | None => None end end.
(* Fnp = type facts + accepted checks, Fpath = facts learnt from conditions *)
Fixpoint elab (Fnp Fpath:list spred) (G:list (list sdim)) (g:nat) (e:exp) : option rexp := match e with
  | Ret x => match nth_error G x with Some _ => Some (RRet x) | None => None end
  | LetOp o xs l e => match lookups G xs with
      | None => None
      | Some ins => match orank o (map (@length sdim) ins) with
          | None => None
          | Some k => match verdict prove refute Fnp Fpath (pre_of o ins) with
              | None => None
              | Some chk => match elab (pre_of o ins :: bound_of o ins g :: Fnp) Fpath (G ++ [out_of o ins g k]) (g + nex o) e with
                  | None => None | Some e' => Some (ROp o xs chk l g e') end end end end
  | LetAsc x a l e => match nth_error G x with
      | None => None
      | Some T => if Nat.eqb (length a) (length T) then
          match verdict prove refute Fnp Fpath (asc_pred a T) with
          | None => None
          | Some chk => match elab (asc_pred a T :: Fnp) Fpath (G ++ [asc_out a g]) (g + length a) e with
              | None => None | Some e' => Some (RAsc x chk l g e') end end
          else None end
  | If c e1 e2 => match cond_pred G c with
      | None => None
      | Some (f1,f2) => match elab Fnp (f1 ++ Fpath) G g e1, elab Fnp (f2 ++ Fpath) G g e2 with
          | Some a, Some b => Some (RIf c a b) | _,_ => None end end end.
End Elab.

(* annotations only mention rigid variables: indices below nr *)
Fixpoint exp_ok nr (e:exp) := match e with Ret _ => True
  | LetOp o _ _ e => op_ok o /\ exp_ok nr e
  | LetAsc _ a _ e => Forall (ann_ok nr) a /\ exp_ok nr e
  | If _ a b => exp_ok nr a /\ exp_ok nr b end.

Lemma ev_out_of o ins g k r : op_ok o -> orank o (map (@length sdim) ins) = Some k ->
  ev r (out_of o ins g k) = oout o (map (ev r) ins) (ev r (ghosts g (nex o))).
Proof. intros OK R. unfold ev at 1, out_of. rewrite map_map.
  assert (L: length (oout o (map (ev r) ins) (ev r (ghosts g (nex o)))) = k).
  { apply (proj1 OK). rewrite map_len_ev; auto. unfold ev, ghosts. rewrite !map_length, seq_length; auto. }
  apply nth_ext with 0 0. rewrite map_length, seq_length; auto.
  intros i H. rewrite map_length, seq_length in H.
  rewrite nth_indep with (d':=nth 0 (oout o (map (ev r) ins) (ev r (ghosts g (nex o)))) 0) by (rewrite map_length, seq_length; auto).
  rewrite map_nth with (d:=0%nat) (f:=fun i => nth i (oout o (map (ev r) ins) (ev r (ghosts g (nex o)))) 0).
  rewrite seq_nth; auto. Qed.
Lemma supp_pre o ins g G xs : lookups G xs = Some ins -> suppG g G -> supp g (pre_of o ins).
Proof. intros L S r r' B. unfold pre_of. f_equal. apply map_ext_in. intros T I. eapply supp_ev; eauto using lookups_In. Qed.
Lemma supp_bound o ins g G xs : lookups G xs = Some ins -> suppG g G -> supp (g + nex o) (bound_of o ins g).
Proof. intros L S r r' B. unfold bound_of. f_equal.
  - apply map_ext_in. intros T I. eapply supp_ev; eauto using lookups_In, below_le with arith.
  - eapply supp_ev; eauto using supp_ghosts. Qed.
Lemma supp_out o ins g G xs k : lookups G xs = Some ins -> suppG g G -> forall d, In d (out_of o ins g k) -> supp (g + nex o) d.
Proof. unfold out_of. intros L S d I. apply in_map_iff in I as (i & <- & _). intros r r' B. f_equal. f_equal.
  - apply map_ext_in. intros T I. eapply supp_ev; eauto using lookups_In, below_le with arith.
  - eapply supp_ev; eauto using supp_ghosts. Qed.
Lemma cond_supp g G c f1 f2 : suppG g G -> cond_pred G c = Some (f1,f2) -> suppF g f1 /\ suppF g f2.
Proof. destruct c as [b|x i k]; cbn; intros S H; [inversion H; subst; split; intros p []|].
  destruct (nth_error G x) as [T|] eqn:E; try discriminate. destruct (nth_error T i) as [d|] eqn:E2; try discriminate.
  inversion H; subst. assert (supp g d) by (eapply S; eauto using nth_error_In).
  split; intros p [<-|[]] r r' B; rewrite (H0 r r' B); auto. Qed.
Lemma cond_sound w G c f1 f2 r : cond_pred G c = Some (f1,f2) -> exists b, cond_holds w (map (ev r) G) c = Some b /\
  (if b then models r f1 else models r f2).
Proof. destruct c as [b|x i k]; cbn; intros H; [inversion H; subst; exists (wb w b); split; auto; destruct (wb w b); intros p []|].
  destruct (nth_error G x) as [T|] eqn:E; try discriminate. destruct (nth_error T i) as [d|] eqn:E2; try discriminate.
  inversion H; subst. rewrite (map_nth_error (ev r) _ _ E). unfold ev at 1. rewrite (map_nth_error (fun d => d r) _ _ E2).
  exists (d r =? k). split; auto. destruct (d r =? k) eqn:E3; intros p [<-|[]]; rewrite E3; auto. Qed.

(* ================= Theorem 1: check elimination, preservation, no stuck kernels ================= *)
Lemma dyn_agree nr w e : forall r r' vs, exp_ok nr e -> below nr r r' -> dyn w r vs e = dyn w r' vs e.
Proof. induction e as [x|o xs l e IH|x a l e IH|c e1 IH1 e2 IH2]; intros r r' vs OK B; cbn in *; auto.
  - destruct OK. destruct (lookups vs xs); auto. destruct (opre o l0); auto.
  - destruct OK as [OA OK]. destruct (nth_error vs x); auto. destruct (Nat.eqb _ _); auto.
    rewrite (anns_agree nr a r r' s OA B). destruct (anns_hold r' a s); auto.
  - destruct OK. destruct (cond_holds w vs c) as [[]|]; auto. Qed.
Record state_ok nr r Fnp Fpath G g := { so_le : (nr <= g)%nat; so_np : suppF g Fnp; so_path : suppF g Fpath; so_G : suppG g G;
  so_m : models r Fnp; so_mp : models r Fpath }.
Lemma op_step nr w (WO:world_ok w) r Fnp Fpath G g o xs ins k l : state_ok nr r Fnp Fpath G g -> op_ok o ->
  lookups G xs = Some ins -> orank o (map (@length sdim) ins) = Some k -> opre o (map (ev r) ins) = true ->
  let r' := upds r g (wu w o l (map (ev r) ins)) in
  state_ok nr r' (pre_of o ins :: bound_of o ins g :: Fnp) Fpath (G ++ [out_of o ins g k]) (g + nex o) /\ below g r r' /\
  map (ev r') (G ++ [out_of o ins g k]) = map (ev r) G ++ [oout o (map (ev r) ins) (wu w o l (map (ev r) ins))].
Proof. intros [L SF SP SG M MP] OO E R P r'. destruct (WO o l _ OO P) as [LU BU].
  assert (BL: below g r r') by apply below_upds.
  assert (EI: map (ev r') ins = map (ev r) ins) by (apply map_ext_in; intros T I; symmetry; eapply supp_ev; eauto using lookups_In).
  assert (EG: ev r' (ghosts g (nex o)) = wu w o l (map (ev r) ins)) by (unfold r'; rewrite <- LU; apply ev_ghosts).
  split; [split|split]; auto.
  - lia.
  - apply suppF_cons; [eapply supp_le; [|eapply supp_pre; eauto]; lia|apply suppF_cons; [eapply supp_bound; eauto|eapply suppF_le; [|eauto]; lia]].
  - eapply suppF_le; [|eauto]; lia.
  - apply (suppG_snoc g); [lia|assumption|]. intros; eapply supp_out; eauto.
  - intros q [<-|[<-|I]]. * unfold pre_of; rewrite EI; auto. * unfold bound_of; rewrite EI, EG; auto. * exact (models_below g Fnp r r' SF BL M q I).
  - exact (models_below g Fpath r r' SP BL MP).
  - rewrite map_app; cbn. f_equal; [symmetry; eapply supp_evs; eauto|]. rewrite ev_out_of by auto. rewrite EI, EG; auto. Qed.
Lemma asc_step nr r Fnp Fpath G g x T a : state_ok nr r Fnp Fpath G g -> Forall (ann_ok nr) a -> nth_error G x = Some T ->
  length a = length T -> anns_hold r a (ev r T) = true -> let r' := upds r g (ev r T) in
  state_ok nr r' (asc_pred a T :: Fnp) Fpath (G ++ [asc_out a g]) (g + length a) /\ below g r r' /\
  map (ev r') (G ++ [asc_out a g]) = map (ev r) G ++ [ev r T].
Proof. intros [L SF SP SG M MP] OA E EL HA r'. assert (BL: below g r r') by apply below_upds.
  assert (ST: forall d, In d T -> supp g d) by (intros; eapply SG; eauto using nth_error_In).
  split; [split|split]; auto.
  - lia.
  - apply suppF_cons; [eapply supp_le; [|eapply supp_anns; eauto]; lia|eapply suppF_le; [|eauto]; lia].
  - eapply suppF_le; [|eauto]; lia.
  - apply (suppG_snoc g); [lia|assumption|]. eapply supp_asc_out; eauto.
  - intros q [<-|I]; [|exact (models_below g Fnp r r' SF BL M q I)]. unfold asc_pred in *. rewrite <- HA. symmetry. apply (supp_anns nr a g T OA L ST r r' BL).
  - exact (models_below g Fpath r r' SP BL MP).
  - rewrite map_app; cbn. f_equal; [symmetry; eapply supp_evs; eauto|]. f_equal. unfold r'. eapply ev_asc_out; eauto. unfold ev; rewrite map_length; auto. Qed.
Lemma if_step nr w r Fnp Fpath G g c f1 f2 : state_ok nr r Fnp Fpath G g -> cond_pred G c = Some (f1,f2) ->
  exists b, cond_holds w (map (ev r) G) c = Some b /\ state_ok nr r Fnp ((if b then f1 else f2) ++ Fpath) G g.
Proof. intros [L SF SP SG M MP] C. destruct (cond_sound w _ _ _ _ r C) as (b & H & MM). destruct (cond_supp _ _ _ _ _ SG C) as [S1 S2].
  exists b. split; auto. split; auto; destruct b; auto using suppF_app; intros q I; apply in_app_or in I as [I|I]; auto. Qed.

Section Sound.
Variables prove refute : list spred -> spred -> bool.
Hypothesis prove_sound : proves_soundly prove.
(* the elaborated program computes exactly what the all-checks source semantics computes, label for label;
   and kernels never see a violated pre-condition *)
Theorem elab_correct nr w (WO:world_ok w) : forall e Fnp Fpath G g re r, exp_ok nr e -> state_ok nr r Fnp Fpath G g ->
  elab prove refute Fnp Fpath G g e = Some re ->
  run w r (map (ev r) G) re = dyn w r (map (ev r) G) e /\ run w r (map (ev r) G) re <> Stuck.
Proof. induction e as [x|o xs l e IH|x a l e IH|c e1 IH1 e2 IH2]; intros Fnp Fpath G g re r OK SO H; cbn in H, OK.
  - destruct (nth_error G x) eqn:E; inversion H. cbn. rewrite (map_nth_error (ev r) _ _ E). split; auto; discriminate.
  - destruct OK as [OO OK]. destruct (lookups G xs) as [ins|] eqn:E; try discriminate. destruct (orank o (map (@length sdim) ins)) as [k|] eqn:R; try discriminate.
    destruct (verdict prove refute Fnp Fpath (pre_of o ins)) as [chk|] eqn:V; try discriminate.
    destruct (elab prove refute (pre_of o ins :: bound_of o ins g :: Fnp) Fpath (G ++ [out_of o ins g k]) (g + nex o) e) as [e'|] eqn:E2; inversion H; subst; clear H.
    cbn. rewrite (lookups_map _ _ _ _ E), (verdict_ok _ _ prove_sound _ _ _ _ _ V (so_m _ _ _ _ _ _ SO) (so_mp _ _ _ _ _ _ SO)). change (pre_of o ins r) with (opre o (map (ev r) ins)).
    destruct (opre o (map (ev r) ins)) eqn:P; [|split; auto; discriminate].
    destruct (op_step nr w WO r Fnp Fpath G g o xs ins k l SO OO E R P) as (SO' & BL & EV). rewrite <- EV.
    rewrite (dyn_agree nr w e r (upds r g (wu w o l (map (ev r) ins)))); auto. eapply IH; eauto.
    eapply below_le; [apply (so_le _ _ _ _ _ _ SO)|auto].
  - destruct OK as [OA OK]. destruct (nth_error G x) as [T|] eqn:E; try discriminate. destruct (Nat.eqb_spec (length a) (length T)) as [EL|]; try discriminate.
    destruct (verdict prove refute Fnp Fpath (asc_pred a T)) as [chk|] eqn:V; try discriminate.
    destruct (elab prove refute (asc_pred a T :: Fnp) Fpath (G ++ [asc_out a g]) (g + length a) e) as [e'|] eqn:E2; inversion H; subst; clear H.
    cbn. rewrite (map_nth_error (ev r) _ _ E), (verdict_ok _ _ prove_sound _ _ _ _ _ V (so_m _ _ _ _ _ _ SO) (so_mp _ _ _ _ _ _ SO)). change (asc_pred a T r) with (anns_hold r a (ev r T)).
    assert (LE: length (ev r T) = length T) by apply map_length. rewrite LE, EL, Nat.eqb_refl.
    destruct (anns_hold r a (ev r T)) eqn:HA; [|split; auto; discriminate].
    destruct (asc_step nr r Fnp Fpath G g x T a SO OA E EL HA) as (SO' & BL & EV). rewrite <- EV.
    rewrite (dyn_agree nr w e r (upds r g (ev r T))); auto. eapply IH; eauto.
    eapply below_le; [apply (so_le _ _ _ _ _ _ SO)|auto].
  - destruct OK as [O1 O2]. destruct (cond_pred G c) as [[f1 f2]|] eqn:C; try discriminate.
    destruct (elab prove refute Fnp (f1 ++ Fpath) G g e1) as [a|] eqn:A1; try discriminate.
    destruct (elab prove refute Fnp (f2 ++ Fpath) G g e2) as [b|] eqn:A2; inversion H; subst.
    destruct (if_step nr w r Fnp Fpath G g c f1 f2 SO C) as (bb & CH & SO'). cbn. rewrite CH. destruct bb; eauto. Qed.
End Sound.

(* ================= precision ================= *)
Inductive eprec : exp -> exp -> Prop :=
| EP_ret x : eprec (Ret x) (Ret x)
| EP_op o xs l e e' : eprec e e' -> eprec (LetOp o xs l e) (LetOp o xs l e')
| EP_asc x a a' l e e' : Forall2 aprec a a' -> eprec e e' -> eprec (LetAsc x a l e) (LetAsc x a' l e')
| EP_if c e1 e2 e1' e2' : eprec e1 e1' -> eprec e2 e2' -> eprec (If c e1 e2) (If c e1' e2').

(* ================= Theorem 2: dynamic gradual guarantee (on the all-checks semantics; Theorem 1 transfers it) *)
Theorem dgg w r e e' : eprec e e' -> forall vs,
  (forall v, dyn w r vs e = Val v -> dyn w r vs e' = Val v) /\
  (forall l, dyn w r vs e' = Blame l -> exists l', dyn w r vs e = Blame l').
Proof. induction 1 as [x|o xs l e e' P IH|x a a' l e e' F P IH|c e1 e2 e1' e2' P1 IH1 P2 IH2]; intros vs; cbn.
  - split; eauto.
  - destruct (lookups vs xs) as [ins|]; [|split; intros; discriminate]. destruct (opre o ins); auto. split; intros; [discriminate|eauto].
  - destruct (nth_error vs x) as [s|]; [|split; intros; discriminate]. rewrite <- (F2len _ _ _ F).
    destruct (Nat.eqb (length a) (length s)); [|split; intros; discriminate].
    destruct (anns_hold r a s) eqn:H. + rewrite (anns_mono _ _ F _ _ H). auto.
    + split; intros; [discriminate|eauto].
  - destruct (cond_holds w vs c) as [[]|]; auto. split; intros; discriminate. Qed.

(* ================= A smaller budget rejects no more: whatever is proved, what is refuted less often is accepted *)
Theorem budget_monotone prove prove' refute refute' :
  (forall F p, refute' F p = true -> refute F p = true) ->
  forall e F P G g, elab prove refute F P G g e <> None -> elab prove' refute' F P G g e <> None.
Proof. intros Less. assert (V: forall F P p, verdict prove refute F P p <> None -> verdict prove' refute' F P p <> None).
  { unfold verdict. intros F P p H. destruct (refute' F p) eqn:R; [rewrite (Less _ _ R) in H; congruence|].
    destruct (prove' (P ++ F) p); discriminate. }
  induction e as [x|o xs l e IH|x a l e IH|c e1 IH1 e2 IH2]; intros F P G g H; cbn in *; auto.
  - destruct (lookups G xs) as [ins|]; auto. destruct (orank o _) as [k|]; auto.
    destruct (verdict prove refute F P (pre_of o ins)) eqn:E; [|congruence].
    destruct (verdict prove' refute' F P (pre_of o ins)) eqn:E'; [|eapply V in E'; auto; congruence].
    destruct (elab prove refute (pre_of o ins :: _) _ _ _ e) eqn:X; [|congruence].
    destruct (elab prove' refute' (pre_of o ins :: _) _ _ _ e) eqn:X'; [discriminate|]. eapply IH in X'; auto. congruence.
  - destruct (nth_error G x) as [T|]; auto. destruct (Nat.eqb _ _); auto.
    destruct (verdict prove refute F P (asc_pred a T)) eqn:E; [|congruence].
    destruct (verdict prove' refute' F P (asc_pred a T)) eqn:E'; [|eapply V in E'; auto; congruence].
    destruct (elab prove refute (asc_pred a T :: _) _ _ _ e) eqn:X; [|congruence].
    destruct (elab prove' refute' (asc_pred a T :: _) _ _ _ e) eqn:X'; [discriminate|]. eapply IH in X'; auto. congruence.
  - destruct (cond_pred G c) as [[f1 f2]|]; auto.
    destruct (elab prove refute F (f1 ++ P) G g e1) eqn:A1; [|congruence].
    destruct (elab prove refute F (f2 ++ P) G g e2) eqn:A2; [|congruence].
    destruct (elab prove' refute' F (f1 ++ P) G g e1) eqn:B1; [|eapply IH1 in B1; auto; congruence].
    destruct (elab prove' refute' F (f2 ++ P) G g e2) eqn:B2; [discriminate|]. eapply IH2 in B2; auto. congruence. Qed.
