(* Operators: one declaration, read on symbolic sizes and on numbers; and vectors whose contents are known.

   A declaration over fixed ranks is data: needs, promises and sizes are terms over the operands' sizes.  The checker
   substitutes symbolic sizes into them, the run evaluates them on numbers, and the two agree ([square]).  Operators of
   every rank are functions.  An integer vector of known length is described by its contents, so [shape_of] hands on
   the sizes of its operand, and a consumer of contents makes sizes of them [type.contents]. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Dims Program.
Import ListNotations.
Open Scope Z_scope.

(* ---------- declarations as data: variables are the operands' sizes in their order, then the unknown sizes *)
Record decl := { ranks : list nat; unknowns : nat; needs : form; promise : form; witnessed : list dim; sizes : list dim }.
Definition numbers (l:list Z) : env := fun x => nth x l 0.
Definition put (ds:list dim) : nat -> dim := fun x => nth x ds (K 0).
Lemma put_numbers r ds x : eval r (put ds x) = numbers (map (eval r) ds) x.
Proof. unfold put, numbers. rewrite <- (map_nth (eval r)). auto. Qed.
Theorem square D ds r :
  truth r (substf (put ds) (needs D)) = truth (numbers (map (eval r) ds)) (needs D) /\
  truth r (substf (put ds) (promise D)) = truth (numbers (map (eval r) ds)) (promise D) /\
  map (eval r) (map (subst (put ds)) (sizes D)) = map (eval (numbers (map (eval r) ds))) (sizes D).
Proof. destruct (subst_correct (put ds) r) as [S F]. destruct (eval_ext _ _ (put_numbers r ds)) as [E T].
  split; [|split]; [rewrite F; apply T..|]. rewrite map_map. apply map_ext. intros d. rewrite S. apply E. Qed.

Definition rank_fits D (ins:list shape) : bool := if list_eq_dec Nat.eq_dec (map (@length Z) ins) (ranks D) then true else false.
Definition declared (D:decl) : op := {|
  orank := fun ns => if list_eq_dec Nat.eq_dec ns (ranks D) then Some (Some (length (sizes D))) else None;
  nex := unknowns D;
  oloc := negb (Nat.eqb (unknowns D) 0);
  opre := fun ins => rank_fits D ins && truth (numbers (concat ins)) (needs D);
  obound := fun ins us => truth (numbers (concat ins ++ us)) (promise D);
  owit := fun ins => map (eval (numbers (concat ins))) (witnessed D);
  oout := fun ins us => map (eval (numbers (concat ins ++ firstn (unknowns D) us))) (sizes D) |}.
Definition decl_ok D := length (witnessed D) = unknowns D /\ forall ins, opre (declared D) ins = true ->
  obound (declared D) ins (owit (declared D) ins) = true.
Theorem declared_ok D : decl_ok D -> op_ok (declared D).
Proof. intros [L W]. split; cbn.
  - intros ins us k. destruct (list_eq_dec _ _ _); [|discriminate]. intros H _. inversion H. apply map_length.
  - intros ins P. split; [rewrite map_length; auto|apply W; auto].
  - intros O ins us us'. apply negb_false_iff, Nat.eqb_eq in O. rewrite O. auto. Qed.

Definition nothing : form := B true.
Lemma no_promise_ok D : unknowns D = 0%nat -> witnessed D = [] -> promise D = nothing -> decl_ok D.
Proof. intros U E P. split; [rewrite E, U; auto|]. intros ins _. cbn. rewrite P. auto. Qed.
(* add of two vectors: equal sizes, or one of them 1; the size of the other then [op.broadcast.agree] *)
Definition broadcast : decl := {| ranks := [1; 1]%nat; unknowns := 0; promise := nothing; witnessed := [];
  needs := Con false (Cmp Equal (V 0) (V 1)) (Con false (Cmp Equal (V 0) (K 1)) (Cmp Equal (V 1) (K 1)));
  sizes := [Ite (Cmp Equal (V 0) (K 1)) (V 1) (V 0)] |}.
Definition joined_end : decl := {| ranks := [1; 1]%nat; unknowns := 0; promise := nothing; witnessed := []; needs := nothing;
  sizes := [Bin Add (V 0) (V 1)] |}.
(* the distinct elements of a vector: as many as there are at most, and one if there is any *)
Definition unique : decl := {| ranks := [1]%nat; unknowns := 1; witnessed := [V 0]; needs := nothing;
  promise := Con true (Cmp AtMost (V 1) (V 0)) (Cmp AtMost (Bin Min (V 0) (K 1)) (V 1)); sizes := [V 1] |}.
Lemma broadcast_ok : op_ok (declared broadcast).
Proof. apply declared_ok, no_promise_ok; auto. Qed.
Lemma joined_end_ok : op_ok (declared joined_end).
Proof. apply declared_ok, no_promise_ok; auto. Qed.
Lemma unique_ok : op_ok (declared unique).
Proof. apply declared_ok. split; auto. intros ins P. cbn in *. unfold rank_fits in P.
  destruct (list_eq_dec _ _ _) as [E|]; [|discriminate]. destruct ins as [|[|n [|]] [|]]; try discriminate E. cbn.
  rewrite Z.leb_refl. apply Z.leb_le. lia. Qed.

(* ---------- contents: the description of an integer vector of length k is its k contents *)
Definition simple (rank:list nat -> option (option nat)) (pre:list shape -> bool) (out:list shape -> shape) : op :=
  {| orank := rank; nex := 0; oloc := false; opre := pre; obound := fun _ _ => true; owit := fun _ => []; oout := fun ins _ => out ins |}.
Lemma simple_ok rank pre out : (forall ins k, rank (map (@length Z) ins) = Some (Some k) -> length (out ins) = k) -> op_ok (simple rank pre out).
Proof. intros L. split; cbn; auto. Qed.
Definition first (ins:list shape) := hd [] ins.
Definition second (ins:list shape) := hd [] (tl ins).
(* sizes become contents *)
Definition shape_of : op := simple (fun ns => match ns with [k] => Some (Some k) | _ => None end) (fun _ => true) first.
(* contents become sizes: reshape and full *)
Definition natural (s:shape) : bool := forallb (fun z => 0 <=? z) s.
Definition reshape : op := simple (fun ns => match ns with [_; k] => Some (Some k) | _ => None end)
  (fun ins => natural (second ins) && (numel (first ins) =? numel (second ins))) second.
Definition full : op := simple (fun ns => match ns with [k] => Some (Some k) | _ => None end) (fun ins => natural (first ins)) first.
(* arange(0, i): never fails, and is empty where i is at most 0 *)
Definition arange : op := simple (fun ns => match ns with [1%nat] => Some (Some 1%nat) | _ => None end) (fun _ => true)
  (fun ins => [Z.max 0 (hd 0 (first ins))]).
(* contents are computed with, put together, and taken out *)
Definition pointwise (f:Z -> Z -> Z) : op := simple (fun ns => match ns with [j; k] => if Nat.eqb j k then Some (Some k) else None | _ => None end)
  (fun _ => true) (fun ins => map2 f (first ins) (second ins)).
Definition concat_contents : op := simple (fun ns => match ns with [j; k] => Some (Some (j + k)%nat) | _ => None end)
  (fun _ => true) (fun ins => first ins ++ second ins).
Definition take (i:nat) : op := simple (fun ns => match ns with [k] => if Nat.ltb i k then Some (Some 1%nat) else None | _ => None end)
  (fun _ => true) (fun ins => [nth i (first ins) 0]).
Definition literal (s:list Z) : op := simple (fun ns => match ns with [] => Some (Some (length s)) | _ => None end) (fun _ => true) (fun _ => s).
(* contents that only data decide: opened as unknowns, within no bound *)
Definition data (k:nat) : op := {| orank := fun ns => match ns with [] => Some (Some k) | _ => None end; nex := k; oloc := true;
  opre := fun _ => true; obound := fun _ _ => true; owit := fun _ => repeat 0 k; oout := fun _ us => us |}.
Lemma map2_length {A} (f:A -> A -> A) s : forall t, length s = length t -> length (map2 f s t) = length t.
Proof. induction s as [|x s IH]; intros [|y t] E; cbn in *; try discriminate; auto. Qed.
Theorem contents_ok : op_ok shape_of /\ op_ok reshape /\ op_ok full /\ op_ok arange /\ (forall f, op_ok (pointwise f)) /\
  op_ok concat_contents /\ (forall i, op_ok (take i)) /\ (forall s, op_ok (literal s)) /\ (forall k, op_ok (data k)).
Proof. split; [|split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]]].
  - apply simple_ok. intros [|s [|]] k H; inversion H; auto.
  - apply simple_ok. intros [|s [|t [|]]] k H; inversion H; auto.
  - apply simple_ok. intros [|s [|]] k H; inversion H; auto.
  - apply simple_ok. intros [|s [|]] k H; try discriminate H; destruct s as [|z [|]]; inversion H; auto.
  - intros f. apply simple_ok. intros [|s [|t [|]]] k H; try discriminate H. cbn in *.
    destruct (Nat.eqb_spec (length s) (length t)) as [E|]; inversion H. apply map2_length; auto.
  - apply simple_ok. intros [|s [|t [|]]] k H; inversion H. apply app_length.
  - intros i. apply simple_ok. intros [|s [|]] k H; try discriminate H. cbn [map] in H. cbv beta iota in H.
    destruct (Nat.ltb i (length s)); inversion H; auto.
  - intros s. apply simple_ok. intros [|] k H; inversion H; auto.
  - intros k. split; cbn; [|intros ins _; rewrite repeat_length; auto|discriminate].
    intros [|] us n H; inversion H; auto. Qed.

(* sizes that went through contents are what they were: shape_of's result is the operand's sizes, symbolically too *)
Theorem shape_of_exact T g r : ev r (out_of shape_of [T] g (length T)) = ev r T.
Proof. unfold ev at 1, out_of. rewrite map_map. cbn. unfold first. cbn. apply nth_ext with 0 0; rewrite map_length, seq_length; unfold ev; rewrite ?map_length; auto.
  intros i H. rewrite nth_indep with (d':=nth 0%nat (map (fun d => d r) T) 0) by (rewrite map_length, seq_length; auto).
  rewrite map_nth with (d:=0%nat) (f:=fun i => nth i (map (fun d => d r) T) 0). rewrite seq_nth; auto. Qed.
(* reshape(reshape(x, s), shape_of(x)): what the first owes pays for the second, so that no check is needed *)
Theorem reshape_back x s : natural x = true -> opre reshape [x; s] = true -> opre reshape [s; x] = true.
Proof. intros N H. change (natural s && (numel x =? numel s) = true) in H. change (natural x && (numel s =? numel x) = true).
  apply andb_prop in H as [_ H]. apply Z.eqb_eq in H. rewrite N, H, Z.eqb_refl. auto. Qed.
