(* Programs (Program.v): precision, and the dynamic guarantee: less precise annotations change no value and add no blame. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Program ProgramScope ProgramSound.
Import ListNotations.
Open Scope Z_scope.

(* ---------- precision: [?] for a size, [*] for a shape; labels of ascriptions are free; a [where] may demand less [type.precision] *)
Inductive sprec : sann -> sann -> Prop :=
| SP_any a : sprec a SAny
| SP_dims a a' : Forall2 aprec a a' -> sprec (SDims a) (SDims a').
Inductive eprec : exp -> exp -> Prop :=
| EP_ret x : eprec (Ret x) (Ret x)
| EP_let t xs l e e' : eprec e e' -> eprec (Let t xs l e) (Let t xs l e')
| EP_asc x a a' l l' e e' : sprec a a' -> eprec e e' -> eprec (LetAsc x a l e) (LetAsc x a' l' e')
| EP_if c e1 e1' e2 e2' e e' : eprec e1 e1' -> eprec e2 e2' -> eprec e e' -> eprec (LetIf c e1 e2 e) (LetIf c e1' e2' e').
Record dprec (d d':def) : Prop := { dp_bind : dbind d = dbind d'; dp_pars : Forall2 sprec (dpars d) (dpars d');
  dp_where : forall r, dwhere d r = true -> dwhere d' r = true; dp_res : sprec (dres d) (dres d'); dp_body : eprec (dbody d) (dbody d') }.

Lemma finish_prec a a' l l' : sprec a a' -> forall e e', eprec e e' -> forall n, eprec (finish n e a l) (finish n e' a' l').
Proof. intros A. induction 1; intros n; cbn; constructor; auto. constructor. Qed.
Lemma whole_prec d d' : dprec d d' -> eprec (whole d) (whole d').
Proof. intros [B P W R E]. unfold whole. rewrite (F2len _ _ _ P). apply finish_prec; auto. Qed.
Lemma holds_mono r a a' s : sprec a a' -> holds r a s = true -> holds r a' s = true.
Proof. intros [b|b b' F]; cbn; auto. apply anns_mono; auto. Qed.
Lemma all_hold_mono r ps ps' : Forall2 sprec ps ps' -> forall ins, all_hold r ps ins = true -> all_hold r ps' ins = true.
Proof. induction 1 as [|p p' ps ps' A F IH]; intros [|s ins] H; cbn in *; try discriminate; auto.
  apply andb_prop in H as [H1 H2]. rewrite (holds_mono _ _ _ _ A H1); cbn; auto. Qed.
Lemma all_fit_mono ps ps' : Forall2 sprec ps ps' -> forall ns, all_fit ps ns = true -> all_fit ps' ns = true.
Proof. induction 1 as [|p p' ps ps' A F IH]; intros [|n ns] H; cbn in *; try discriminate; auto.
  apply andb_prop in H as [H1 H2]. rewrite IH, andb_true_r by auto. destruct A as [b|b b' X]; cbn in *; auto.
  rewrite <- (F2len _ _ _ X); auto. Qed.
Lemma entry_prec d d' ins : dprec d d' -> entry d ins = entry d' ins.
Proof. intros [B _ _ _ _]. unfold entry, measured. rewrite B; auto. Qed.

(* ---------- precision of declarations *)
Definition oprec (o o':op) := 
  (forall ns x, orank o ns = Some x -> orank o' ns = Some x \/ orank o' ns = Some None) /\
  (forall ins, opre o ins = true -> opre o' ins = true) /\ (oloc o = true -> oloc o' = true) /\
  exists conv, forall ns n, orank o ns = Some (Some n) -> orank o' ns = Some (Some n) -> forall ins us,
    length us = nex o -> length (conv ins us) = nex o' /\ (obound o ins us = true -> obound o' ins (conv ins us) = true) /\
    oout o' ins (conv ins us) = oout o ins us.
Lemma fill_prec r a a' us : Forall2 aprec a a' -> fill r a' (fill r a us) = fill r a us.
Proof. intros F. revert us. induction F as [|x y a a' P F IH]; intros us; cbn; auto. destruct P as [[|d]|d]; cbn; f_equal; auto. Qed.
Lemma existsb_q a a' : Forall2 aprec a a' -> existsb is_q a = true -> existsb is_q a' = true.
Proof. induction 1 as [|x y a a' P F IH]; cbn; auto. destruct P as [[|d]|d]; cbn; auto. Qed.
Lemma iface_prec d d' : dprec d d' -> oprec (iface d) (iface d').
Proof. intros D. pose proof D as [B P W R E]. split; [|split; [|split]]; cbn.
  - intros ns x H. destruct (all_fit (dpars d) ns) eqn:A; [|discriminate]. rewrite (all_fit_mono _ _ P _ A).
    destruct R as [a|a a' F]; auto. rewrite <- (F2len _ _ _ F); auto.
  - intros ins H. rewrite <- (entry_prec d d') by auto. apply andb_prop in H as [H1 H2].
    rewrite (all_hold_mono _ _ _ P _ H1), (W _ H2); auto.
  - destruct R as [a|a a' F]; auto. apply existsb_q; auto.
  - exists (fun ins us => match dres d with SAny => [] | SDims a => fill (entry d ins) a us end).
    intros ns n H H' ins us _. rewrite <- (entry_prec d d') by auto. destruct (all_fit (dpars d) ns), (all_fit (dpars d') ns); try discriminate.
    destruct R as [a|a a' F]; [discriminate|]. rewrite fill_len. split; [apply F2len in F; auto|]. split.
    + intros _. eapply anns_mono; eauto. apply fill_holds.
    + apply fill_prec; auto. Qed.
Lemma accepts_prec o o' ins : oprec o o' -> accepts o ins = true -> accepts o' ins = true.
Proof. intros (R & P & _). unfold accepts. destruct (orank o _) as [x|] eqn:E; [|discriminate]. intros H.
  destruct (R _ _ E) as [-> | ->]; auto. Qed.
Lemma oprec_refl o : oprec o o.
Proof. split; [|split; [|split]]; auto. exists (fun _ us => us). auto. Qed.
(* an operator is as precise as itself; a call, as the interfaces *)
Lemma interface_prec defs defs' t o : Forall2 dprec defs defs' -> interface defs t = Some o ->
  exists o', interface defs' t = Some o' /\ oprec o o'.
Proof. intros D. destruct t as [p|f]; cbn; intros H; [eauto using oprec_refl|]. destruct (nth_error defs f) as [d|] eqn:E; inversion H; subst.
  destruct (Forall2_nth _ _ _ D _ _ E) as (d' & -> & P). cbn. eauto using iface_prec. Qed.

(* ---------- the dynamic guarantee: the less precise program ends as the other does, unless that one blames *)
Definition refines (out out':outcome) := out' = out \/ exists l, out = Blame l.
Section Dynamic.
Variables (defs defs':list def) (w:world).
Hypothesis D : Forall2 dprec defs defs'.
Lemma dyn_refines dc dc' : (forall f ins, refines (dc f ins) (dc' f ins)) ->
  forall e e', eprec e e' -> forall r vs, refines (dyn defs w dc r vs e) (dyn defs' w dc' r vs e').
Proof. intros C. induction 1 as [x|t xs l e e' P IH|x a a' l l' e e' A P IH|c e1 e1' e2 e2' e e' P1 IH1 P2 IH2 P IH]; intros r vs; cbn [dyn].
  - left; auto.
  - destruct (lookups vs xs) as [ins|]; [|left; auto]. destruct (interface defs t) as [o|] eqn:I.
    2:{ left. destruct t; cbn in *; [discriminate|]. destruct (nth_error defs f) eqn:E; [discriminate|].
        destruct (nth_error defs' f) eqn:E'; auto. apply nth_error_None in E. apply F2len in D.
        assert (f < length defs')%nat by (apply nth_error_Some; congruence). lia. }
    destruct (interface_prec _ _ _ _ D I) as (o' & -> & OP). destruct (accepts o ins) eqn:AC; [|right; eauto].
    assert (AC': accepts o' ins = true) by (eapply accepts_prec; eauto). rewrite AC'.
    destruct t as [p|f]; cbn [perform].
    + cbn in I. inversion I; subst p. apply IH.
    + destruct (C f ins) as [->|(b & ->)]; [|right; eauto]. destruct (dc f ins); auto; left; auto.
  - destruct (nth_error vs x) as [s|]; [|left; auto]. destruct (holds r a s) eqn:H; [|right; eauto].
    rewrite (holds_mono _ _ _ _ A H). auto.
  - destruct (cond_holds w vs c) as [b|]; [|left; auto].
    assert (B: refines (if b then dyn defs w dc r vs e1 else dyn defs w dc r vs e2) (if b then dyn defs' w dc' r vs e1' else dyn defs' w dc' r vs e2'))
      by (destruct b; auto).
    destruct B as [->|(l & ->)]; [|right; eauto]. destruct (if b then dyn defs w dc r vs e1 else dyn defs w dc r vs e2); auto; left; auto. Qed.
Theorem dgg fuel : forall f ins, refines (calls defs w fuel f ins) (calls defs' w fuel f ins).
Proof. induction fuel as [|fuel IH]; intros f ins; [left; auto|]. cbn [calls]. destruct (nth_error defs f) as [d|] eqn:E.
  - destruct (Forall2_nth _ _ _ D _ _ E) as (d' & -> & P). rewrite <- (entry_prec d d') by auto. apply dyn_refines; auto using whole_prec.
  - destruct (nth_error defs' f) eqn:E'; [|left; auto]. apply nth_error_None in E. apply F2len in D.
    assert (f < length defs')%nat by (apply nth_error_Some; congruence). lia. Qed.
End Dynamic.
