(* Coercions of data: eager, from left to right, a coercion for each field.

   Composed field by field, two coercions let the same data pass as one after the other ([dcomp_passes]), and are bounded by
   the data's type ([dwf_bound]); but they may blame another label ([order_matters]): in sequence the second begins when the
   first is through with every field.  So what casts data at a proxy is run in sequence, and only coercions of tensors are
   composed to one. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Coerce.
Import ListNotations.
Open Scope Z_scope.

Inductive data := Tensor (s:shape) | Pair (a b:data).
Inductive dty := DTensor (r:nat) | DPair (a b:dty).
Inductive dco := CTensor (c:tco) | CPair (c d:dco).
Inductive has : dty -> data -> Prop :=
| H_tensor r s : length s = r -> has (DTensor r) (Tensor s) | H_pair a b x y : has a x -> has b y -> has (DPair a b) (Pair x y).
Inductive of_type : dty -> dco -> Prop :=
| T_tensor r c : wf r c -> of_type (DTensor r) (CTensor c) | T_pair a b c d : of_type a c -> of_type b d -> of_type (DPair a b) (CPair c d).
(* data and coercions of one type; what does not fit is left alone *)
Fixpoint dapply (c:dco) (v:data) : res data := match c,v with
  | CTensor c, Tensor s => bind (tapply c s) (fun s => OK (Tensor s))
  | CPair c d, Pair x y => bind (dapply c x) (fun x => bind (dapply d y) (fun y => OK (Pair x y)))
  | _, v => OK v end.
Fixpoint dcomp (c d:dco) : dco := match c,d with
  | CTensor c, CTensor d => CTensor (tcomp c d) | CPair c d, CPair c' d' => CPair (dcomp c c') (dcomp d d') | c, _ => c end.

Lemma tapply_id c s s' : tapply c s = OK s' -> s' = s.
Proof. unfold tapply. destruct (test (cs c) s) eqn:T; cbn; [|discriminate]. apply test_id in T. destruct (fl c); intros H; inversion H; congruence. Qed.
(* casts of data look and do not touch *)
Theorem dapply_id c : forall v v', dapply c v = OK v' -> v' = v.
Proof. induction c as [c|c IHc d IHd]; intros [s|x y] v'; cbn; try (intros H; inversion H; auto; fail).
  - destruct (tapply c s) eqn:T; cbn; intros H; inversion H. apply tapply_id in T. congruence.
  - destruct (dapply c x) eqn:X; cbn; [|discriminate]. destruct (dapply d y) eqn:Y; cbn; intros H; inversion H.
    apply IHc in X. apply IHd in Y. congruence. Qed.
Theorem dcomp_passes t : forall c d v, of_type t c -> of_type t d -> has t v ->
  (dapply (dcomp c d) v = OK v <-> bind (dapply c v) (dapply d) = OK v).
Proof. induction t as [r|a IHa b IHb]; intros c d v C D H.
  - inversion C as [? c0|]; inversion D as [? c1|]; inversion H as [? s|]; subst; cbn.
    rewrite tcomp_correct. destruct (tapply c0 s) as [z|]; cbn; [|split; auto]. destruct (tapply c1 z); split; auto.
  - inversion C as [|? ? c0 d0 C0 D0]; inversion D as [|? ? c1 d1 C1 D1]; inversion H as [|? ? x y HX HY]; subst; cbn.
    specialize (IHa c0 c1 x C0 C1 HX). specialize (IHb d0 d1 y D0 D1 HY).
    split; intros E.
    + destruct (dapply (dcomp c0 c1) x) as [x1|] eqn:X; cbn in E; [|discriminate]. destruct (dapply (dcomp d0 d1) y) as [y1|] eqn:Y; cbn in E; [|discriminate].
      inversion E; subst. destruct IHa as [IHa _], IHb as [IHb _]. specialize (IHa eq_refl). specialize (IHb eq_refl).
      destruct (dapply c0 x) as [x2|] eqn:X2; cbn in IHa; [|discriminate]. destruct (dapply d0 y) as [y2|] eqn:Y2; cbn in IHb; [|discriminate].
      cbn. rewrite IHa, IHb. auto.
    + destruct (dapply c0 x) as [x2|] eqn:X2; cbn in E; [|discriminate]. destruct (dapply d0 y) as [y2|] eqn:Y2; cbn in E; [|discriminate].
      pose proof (dapply_id _ _ _ X2); pose proof (dapply_id _ _ _ Y2); subst.
      destruct (dapply c1 x) as [x3|] eqn:X3; cbn in E; [|discriminate]. destruct (dapply d1 y) as [y3|] eqn:Y3; cbn in E; [|discriminate].
      pose proof (dapply_id _ _ _ X3); pose proof (dapply_id _ _ _ Y3); subst.
      rewrite (proj2 IHa), (proj2 IHb); auto. Qed.
Theorem order_matters : exists c d v, bind (dapply c v) (dapply d) = Blame 2 /\ dapply (dcomp c d) v = Blame 3.
Proof. set (check k l := CTensor {| cs := [(0%nat, k, l)]; fl := None |}).
  exists (CPair (check 4 1%nat) (check 4 2%nat)), (CPair (check 5 3%nat) (check 5 4%nat)), (Pair (Tensor [4]) (Tensor [7])).
  split; reflexivity. Qed.
Fixpoint dsize (c:dco) : nat := match c with CTensor c => S (length (cs c)) | CPair c d => S (dsize c + dsize d) end.
Fixpoint dbound (t:dty) : nat := match t with DTensor r => S r | DPair a b => S (dbound a + dbound b) end.
Theorem dcomp_type t : forall c d, of_type t c -> of_type t d -> of_type t (dcomp c d).
Proof. induction t as [r|a IHa b IHb]; intros c d C D; inversion C; inversion D; subst; cbn; constructor; auto. apply tcomp_wf; auto. Qed.
Theorem dwf_bound t c : of_type t c -> (dsize c <= dbound t)%nat.
Proof. induction 1 as [r c W|a b c d C IHc D IHd]; cbn; [apply wf_size in W|]; lia. Qed.
