(* Programs that the theorems of Program.v speak of: definitions that are well-formed, accepted and executed, under an
   oracle that never answers, so that every obligation is a check; and one that owes nothing. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts Dims Program ProgramScope ProgramSound ProgramPrecision
  ProgramGradual ProgramBlame ProgramStrict Operators.
Import ListNotations.
Open Scope Z_scope.

Definition silent (_:list spred) (_:spred) := false.
Definition apart (_ _:sdim) := false.
Definition some_world : world := {| wb := fun b _ => Nat.eqb b 0; wu := fun o _ ins => owit o ins |}.
Definition name (n:nat) : sdim := fun r => r n.
Definition core_of defs d := match elab_def defs silent silent apart d with Some c => c | None => RRet 0 end.
Definition accepted defs d := match elab_def defs silent silent apart d with Some _ => true | None => false end.
Definition outcome_of d ins := core_calls [d] [core_of [d] d] some_world 9 0 ins.

(* def @grow[k, n](%i: Int[k], %x: Tensor[(n,)]) -> Tensor[(n + k,)] where 0 <= k
     { if (%i == 0) { %x } else { @grow(%i - 1, concatenate(%x, ones(1))) } } *)
Definition grow_with (par res:ann) : def := {| dbind := [(0,0); (1,0)]%nat; dpars := [SDims [AD (name 0)]; SDims [par]];
  dwhere := fun r => 0 <=? r 0%nat; dres := SDims [res]; dlab := 1;
  dbody := LetIf (CD 0 0 0) (Ret 1)
    (Let (Op (literal [1])) [] 2 (Let (Op (pointwise Z.sub)) [0;2]%nat 3 (Let (Op (declared joined_end)) [1;2]%nat 4
      (Let (Call 0) [3;4]%nat 5 (Ret 5)))))
    (Ret 2) |}.
Definition grow := grow_with (AD (name 1)) (AD (fun r => r 1%nat + r 0%nat)).
Definition grow_unknown := grow_with AQ AQ.
Example grow_accepted : accepted [grow] grow = true /\ accepted [grow_unknown] grow_unknown = true.
Proof. split; reflexivity. Qed.
Example grow_runs : outcome_of grow [[3]; [2]] = Val [5] /\ outcome_of grow_unknown [[3]; [2]] = Val [5].
Proof. split; reflexivity. Qed.
Lemma grow_ok : def_ok grow /\ def_ok grow_unknown.
Proof. assert (W: supp 2 (fun r:env => 0 <=? r 0%nat)) by (intros r r' B; rewrite (B 0%nat ltac:(lia)); auto).
  assert (N0: supp 2 (name 0)) by (intros r r' B; apply B; lia). assert (N1: supp 2 (name 1)) by (intros r r' B; apply B; lia).
  assert (NS: supp 2 (fun r:env => r 1%nat + r 0%nat)) by (intros r r' B; rewrite (B 0%nat), (B 1%nat) by lia; auto).
  assert (E: exp_ok 2 (dbody grow)).
  { cbn. pose proof contents_ok as (_ & _ & _ & _ & PW & _ & _ & LIT & _). pose proof joined_end_ok. auto 20. }
  split; (split; cbn; auto); repeat constructor; auto. Qed.
Lemma grow_precise : dprec grow grow_unknown.
Proof. split; auto; cbn; repeat constructor. Qed.
(* the theorem, of it: at every fuel and all arguments that keep the interface *)
Example grow_correct fuel ins : accepts (iface grow) ins = true ->
  core_calls [grow] [core_of [grow] grow] some_world fuel 0 ins = calls [grow] some_world fuel 0 ins.
Proof. intros A. assert (S: forall a b, apart a b = true -> forall r, a r = b r) by (intros a b H; discriminate H).
  assert (OK: Forall def_ok [grow]) by (constructor; [apply grow_ok|constructor]).
  assert (EL: Forall2 (fun d c => elab_def [grow] silent silent apart d = Some c) [grow] [core_of [grow] grow]) by (repeat constructor).
  exact (proj1 (program_correct _ _ _ _ _ (proj1 silent_sound) S (world_inhabited _) _ OK EL fuel 0%nat grow ins eq_refl A)). Qed.
Example grow_interface : accepts (iface grow) [[3]; [2]] = true /\ accepts (iface grow) [[-1]; [2]] = false.
Proof. split; reflexivity. Qed.

(* def @f(%x: Tensor[(?,)]) -> Tensor[(?,)] { %x as Tensor[(4,)] } *)
Definition four : def := {| dbind := []; dpars := [SDims [AQ]]; dwhere := fun _ => true; dres := SDims [AQ]; dlab := 1;
  dbody := LetAsc 0 (SDims [AD (fun _ => 4)]) 2 (Ret 1) |}.
Example four_runs : outcome_of four [[4]] = Val [4] /\ outcome_of four [[5]] = Blame 2.
Proof. split; reflexivity. Qed.
(* def @f(%x: Tensor[*]) -> Tensor[(?, 3)] { %x }: rank and size are each a check, blamed on the result *)
Definition ranked : def := {| dbind := []; dpars := [SAny]; dwhere := fun _ => true; dres := SDims [AQ; AD (fun _ => 3)]; dlab := 1;
  dbody := Ret 0 |}.
Example ranked_runs : outcome_of ranked [[2; 3]] = Val [2; 3] /\ outcome_of ranked [[2; 4]] = Blame 1 /\ outcome_of ranked [[3]] = Blame 1.
Proof. repeat split; reflexivity. Qed.
(* def @f(%b: bool, %x: Tensor[(10,)], %y: Tensor[(?,)]) { (if (%b) { %x } else { %y }) as Tensor[(10,)] }: the join owes nothing *)
Definition chosen (b:nat) : def := {| dbind := []; dpars := [SDims [AD (fun _ => 10)]; SDims [AQ]]; dwhere := fun _ => true;
  dres := SDims [AD (fun _ => 10)]; dlab := 1; dbody := LetIf (CB b) (Ret 0) (Ret 1) (Ret 2) |}.
Example chosen_runs : outcome_of (chosen 0) [[10]; [7]] = Val [10] /\ outcome_of (chosen 1) [[10]; [7]] = Blame 1 /\
  outcome_of (chosen 1) [[10]; [10]] = Val [10].
Proof. repeat split; reflexivity. Qed.
(* an operator on an operand of unknown rank is executed as it is, and blames where it refuses *)
Definition dynamic : def := {| dbind := []; dpars := [SAny; SDims [AQ]]; dwhere := fun _ => true; dres := SAny; dlab := 1;
  dbody := Let (Op (declared broadcast)) [0;1]%nat 2 (Ret 2) |}.
Example dynamic_runs : outcome_of dynamic [[1]; [4]] = Val [4] /\ outcome_of dynamic [[3]; [4]] = Blame 2 /\ outcome_of dynamic [[1; 1]; [4]] = Blame 2.
Proof. repeat split; reflexivity. Qed.
(* unique(%x) has an unknown size within its bound, which the world decides *)
Definition distinct : def := {| dbind := []; dpars := [SDims [AQ]]; dwhere := fun _ => true; dres := SDims [AQ]; dlab := 1;
  dbody := Let (Op (declared unique)) [0]%nat 2 (Ret 1) |}.
Example distinct_runs : accepted [distinct] distinct = true /\ outcome_of distinct [[6]] = Val [6].
Proof. split; reflexivity. Qed.

(* ---------- @grow owes nothing: the static system accepts it, so that complete oracles leave no check, and it never blames.
   The base case pays with k == 0, the recursive call's 0 <= k - 1 with k != 0, the result with both. *)
Ltac holds_at k := exists (fun _ => k); split; [intros p I; cbn in I; repeat destruct I as [<-|I]; try contradiction; reflexivity|reflexivity].
Lemma grow_static same : static_def [grow] same grow.
Proof. split; [holds_at 1|]. do 2 eexists. cbn [grow grow_with dpars dnames dbind dwhere params past whole finish dbody dres dlab length].
  eapply S_if; [reflexivity|apply S_ret; reflexivity| | |].
  - eapply S_let; [reflexivity|reflexivity|eapply M_ranked; [reflexivity|reflexivity|split; [holds_at 1|reflexivity]]|].
    eapply S_let; [reflexivity|reflexivity|eapply M_ranked; [reflexivity|reflexivity|split; [holds_at 1|reflexivity]]|].
    eapply S_let; [reflexivity|reflexivity|eapply M_ranked; [reflexivity|reflexivity|split; [holds_at 1|reflexivity]]|].
    eapply S_let; [reflexivity|reflexivity|eapply M_ranked; [reflexivity|reflexivity|split; [holds_at 1|]]|].
    + intros r M. pose proof (M _ (or_introl eq_refl)) as N0. assert (W: (0 <=? r 0%nat) = true) by (apply (M (dwhere grow)); cbn; tauto).
      cbn in N0. unfold name in N0. apply Z.leb_le in W. apply negb_true_iff, Z.eqb_neq in N0.
      unfold pre_of. cbn. unfold name. rewrite !Z.eqb_refl. cbn. apply Z.leb_le. lia.
    + apply S_ret; reflexivity.
  - eapply J_choice; [reflexivity|reflexivity|cbn; lia|cbn; lia|]. repeat constructor. holds_at 0.
  - eapply S_dims; [reflexivity|apply O_known; reflexivity|split; [holds_at 1|]|apply S_ret; reflexivity].
    intros r M. unfold asc_pred. cbn. unfold choice, name. cbn.
    destruct (r 0%nat =? 0) eqn:E; cbn; rewrite ?andb_true_r; apply Z.eqb_eq; [apply Z.eqb_eq in E|]; lia. Qed.
Theorem grow_never_blames (EM:forall P:Prop, {P} + {~P}) w : world_ok w -> forall fuel ins l,
  accepts (iface grow) ins = true -> calls [grow] w fuel 0 ins <> Blame l.
Proof. intros WO fuel ins l A. apply (static_never_blames [grow] apart w EM) with (d:=grow); auto.
  - intros a b H; discriminate H.
  - constructor; [apply grow_ok|constructor].
  - constructor; [apply grow_static|constructor]. Qed.
(* the guarantee, of it: with [?] for its sizes it is accepted by every oracle that refutes soundly *)
Theorem grow_unknown_accepted (EM:forall P:Prop, {P} + {~P}) prove refute : refutes_soundly refute ->
  elab_def [grow_unknown] prove refute apart grow_unknown <> None.
Proof. intros RS. destruct (perfect_oracles EM) as (prove0 & refute0 & PS & PC & RS0 & RC & _). destruct (perfect_same EM) as (same0 & _ & SC).
  assert (D: Forall2 dprec [grow] [grow_unknown]) by (constructor; [apply grow_precise|constructor]).
  apply (sgg_def [grow] [grow_unknown] prove0 refute0 prove refute same0 apart D RC SC RS) with (d:=grow);
    [intros a b H; discriminate H|apply grow_precise|apply grow_ok|apply grow_ok|].
  destruct (conservative_def [grow] same0 prove0 refute0 PS PC RS0 RC grow) as [C _].
  destruct (C (grow_static same0)) as (c & -> & _). discriminate. Qed.
