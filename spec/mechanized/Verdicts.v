(* Obligations and their three fates.

   Plausibility looks at the facts alone, validity at the path's too: a refutation that may look at the path breaks the
   static gradual guarantee ([naive_breaks_sgg]).  The solver is a pair of oracles, of which each theorem asks only
   what it needs; [silent_sound] and [perfect_oracles] show that what is asked can be had. *)
From Coq Require Import ZArith List Bool.
From Gradual Require Import Shapes.
Import ListNotations.
Open Scope Z_scope.

(* A run-time check, [None] where it was proved. *)
Definition guard (r:env) (chk:option spred) := match chk with None => true | Some p => p r end.

(* [None]: refuted.  [Some None]: proved.  [Some (Some p)]: residual [dim.decide.plausible] [dim.decide.valid]. *)
Definition verdict (prove refute:list spred -> spred -> bool) (Fnp Fpath:list spred) (p:spred) : option (option spred) :=
  if refute Fnp p then None
  else if prove (Fpath ++ Fnp) p then Some None
  else Some (Some p).

Definition proves_soundly (prove:list spred -> spred -> bool) :=
  forall F p, prove F p = true -> forall r, models r F -> p r = true.
Definition refutes_soundly (refute:list spred -> spred -> bool) :=
  forall F p, refute F p = true -> forall r, models r F -> p r = false.

Lemma verdict_ok prove refute (S:proves_soundly prove) Fnp Fpath p chk r :
  verdict prove refute Fnp Fpath p = Some chk -> models r Fnp -> models r Fpath -> guard r chk = p r.
Proof. unfold verdict. destruct (refute Fnp p); try discriminate.
  destruct (prove (Fpath ++ Fnp) p) eqn:E; intros H M1 M2; inversion H; subst; cbn; auto.
  symmetry. eapply S; eauto. intros q I. apply in_app_or in I as [I|I]; auto. Qed.

(* ---------- the oracles exist: one that never answers, and, with excluded middle, one that always does *)
Lemma silent_sound : proves_soundly (fun _ _ => false) /\ refutes_soundly (fun _ _ => false).
Proof. split; intros F p H; discriminate. Qed.
Lemma perfect_oracles : (forall P:Prop, {P} + {~P}) -> exists prove refute,
  proves_soundly prove /\ (forall F p, (forall r, models r F -> p r = true) -> prove F p = true) /\
  refutes_soundly refute /\ (forall F p, refute F p = false -> exists r, models r F /\ p r = true) /\
  (forall F p, (forall r, models r F -> p r = false) -> refute F p = true).
Proof. intros EM.
  exists (fun F p => if EM (forall r, models r F -> p r = true) then true else false).
  exists (fun F p => if EM (exists r, models r F /\ p r = true) then false else true).
  repeat split; intros F p; destruct (EM _) as [Y|N]; try discriminate; try contradiction; auto.
  - intros _ r M. destruct (p r) eqn:P; auto. destruct N; eauto.
  - intros H. destruct Y as (r & M & P). rewrite (H r M) in P. discriminate. Qed.

(* ---------- a refutation that may look at path facts breaks the static guarantee:
   x : [3] (or [?]);  if x.shape[0] == 4 { x as [5] } *)
Section Naive.
Definition verdict_naive (prove refute:list spred -> spred -> bool) Fnp Fpath p : option (option spred) :=
  if prove (Fpath ++ Fnp) p then Some None else if refute (Fpath ++ Fnp) p then None else Some (Some p).
Variables prove refute : list spred -> spred -> bool.
Hypothesis prove_sound : forall F p, prove F p = true -> forall r, models r F -> p r = true.
Hypothesis prove_complete : forall F p, (forall r, models r F -> p r = true) -> prove F p = true.
Hypothesis refute_complete : forall F p, (forall r, models r F -> p r = false) -> refute F p = true.
Definition goal (d:sdim) : spred := fun r => d r =? 5.
Definition path (d:sdim) : list spred := [fun r => d r =? 4].
Theorem naive_breaks_sgg : verdict_naive prove refute [] (path (fun _ => 3)) (goal (fun _ => 3)) <> None
  /\ verdict_naive prove refute [] (path (fun r => r 0%nat)) (goal (fun r => r 0%nat)) = None.
Proof. split; unfold verdict_naive.
  - rewrite prove_complete; [discriminate|]. intros r M. specialize (M _ (or_introl eq_refl)). discriminate.
  - destruct (prove _ _) eqn:P.
    + pose proof (prove_sound _ _ P (fun _ => 4)) as X. cbv in X. discriminate X. intros p [<-|[]]; auto.
    + rewrite refute_complete; auto. intros r M. specialize (M _ (or_introl eq_refl)). unfold goal. apply Z.eqb_eq in M. rewrite M. auto. Qed.
End Naive.

(* ---------- so does a join that keeps a size which the path makes both sides read: it forgets that they may differ.
   y : [?] with y.shape[0] >= 6, x : [5] (or [?]);  if x.shape[0] == y.shape[0] { (if b { y } else { x }) as [5] } *)
Section Kept.
Variables prove refute : list spred -> spred -> bool.
Hypothesis refute_sound : refutes_soundly refute.
Hypothesis refute_complete : forall F p, (forall r, models r F -> p r = false) -> refute F p = true.
Definition size_of (n:nat) : sdim := fun r => r n.
Definition at_least_6 : list spred := [fun r => 6 <=? r 1%nat].
Definition same_as_y (x:sdim) : list spred := [fun r => x r =? r 1%nat].
Definition read_as (P:list spred) (a b d:sdim) := forall r, models r (P ++ at_least_6) -> a r = d r /\ b r = d r.
Theorem kept_breaks_sgg : let five := fun _ => 5 in
  (read_as (same_as_y five) (size_of 1) five five /\ verdict prove refute at_least_6 (same_as_y five) (goal five) <> None) /\
  (read_as (same_as_y (size_of 0)) (size_of 1) (size_of 0) (size_of 1) /\
    verdict prove refute at_least_6 (same_as_y (size_of 0)) (goal (size_of 1)) = None).
Proof. unfold verdict, read_as, goal. split; split.
  - intros r M. specialize (M _ (or_introl eq_refl)). apply Z.eqb_eq in M. auto.
  - destruct (refute _ _) eqn:R; [|destruct (prove _ _); discriminate].
    assert (M: models (fun _ => 6) at_least_6) by (intros p [<-|[]]; auto). pose proof (refute_sound _ _ R _ M) as X. discriminate X.
  - intros r M. specialize (M _ (or_introl eq_refl)). apply Z.eqb_eq in M. auto.
  - rewrite refute_complete; auto. intros r M. specialize (M _ (or_introl eq_refl)). apply Z.leb_le in M. apply Z.eqb_neq. unfold size_of.
    intros E. rewrite E in M. apply M. reflexivity. Qed.
End Kept.
