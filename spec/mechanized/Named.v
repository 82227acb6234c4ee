(* Named sizes are at least 1 [type.positive]: a [where] that a declaration has without writing it.

   [named sizes d] is the definition [d] with that promise for the sizes of its parameters in which names stand.  It is a
   definition like any other, and a less precise one promises no more of its own, so that every theorem of definitions is one
   of these.  [opted_out]: what is promised to be 0 too promises nothing. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Program ProgramScope ProgramSound ProgramPrecision ProgramGradual ProgramStrict Examples.
Import ListNotations.
Open Scope Z_scope.

Definition at_least_1 (sizes:list sdim) : spred := fun r => forallb (fun s => 1 <=? s r) sizes.
Definition named (sizes:list sdim) (d:def) : def := {| dbind := dbind d; dpars := dpars d;
  dwhere := fun r => at_least_1 sizes r && dwhere d r; dres := dres d; dlab := dlab d; dbody := dbody d |}.

Lemma at_least_1_supp n sizes : Forall (supp n) sizes -> supp n (at_least_1 sizes).
Proof. intros S r r' B. unfold at_least_1. induction S as [|s sizes H S IH]; cbn; auto. rewrite IH, (H r r' B); auto. Qed.
Lemma at_least_1_incl sizes sizes' r : incl sizes' sizes -> at_least_1 sizes r = true -> at_least_1 sizes' r = true.
Proof. unfold at_least_1. rewrite !forallb_forall. auto. Qed.

(* a definition stays one, and precision stays precision: the less precise one has no size that the other has not *)
Theorem named_ok sizes d : Forall (supp (dnames d)) sizes -> def_ok d -> def_ok (named sizes d).
Proof. intros S [W P R B]. split; auto. intros r r' H. cbn. rewrite (at_least_1_supp _ _ S r r' H), (W r r' H); auto. Qed.
Theorem named_prec sizes sizes' d d' : incl sizes' sizes -> dprec d d' -> dprec (named sizes d) (named sizes' d').
Proof. intros I [B P W R E]. split; cbn; auto. intros r H. apply andb_prop in H as [H1 H2].
  rewrite (at_least_1_incl _ _ _ I H1), (W _ H2); auto. Qed.
(* calls owe it, since it is a [where]; what is called is called with sizes of at least 1 *)
Theorem named_owed sizes d ins : opre (iface (named sizes d)) ins = true -> at_least_1 sizes (entry d ins) = true.
Proof. cbn. intros H. apply andb_prop in H as [_ H]. apply andb_prop in H as [H _]. exact H. Qed.
Theorem opted_out d r : dwhere (named [] d) r = dwhere d r.
Proof. reflexivity. Qed.

(* [@grow] with its [n] at least 1: well-formed, and related to the one whose [n] is unknown, which promises nothing *)
Lemma named_grow_ok : def_ok (named [fun r => r 1%nat] grow).
Proof. apply named_ok; [|apply grow_ok]. repeat constructor. intros r r' B. apply B. cbn. lia. Qed.
Lemma named_grow_precise : dprec (named [fun r => r 1%nat] grow) (named [] grow_unknown).
Proof. apply named_prec; [intros s []|apply grow_precise]. Qed.
