(* Closures (Closures.v): the dynamic guarantee, of casts that demand every size of their target.

   Where types are less precise, casts demand less; the program ends as the other does, on both machines, unless that one
   blames.  A cast here asks for all that its target says; leaving out what the source says already needs a type system. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Coerce Closures.
Import ListNotations.
Open Scope Z_scope.

Fixpoint demand_all (p i:nat) (to:list (option Z)) : list chk := match to with
  | [] => [] | Some k::to => (i,k,p) :: demand_all p (S i) to | None::to => demand_all p (S i) to end.
Fixpoint full_cast (flip:bool) (p n:nat) (a b:gty) : coe := match a,b with
  | GShape x, GShape y => CShape {| cs := demand_all p 0 (if flip then x else y); fl := None |}
  | GFun x u, GFun y v => CFun (full_cast (negb flip) n p x y) (full_cast flip p n u v)
  | _, _ => CShape {| cs := []; fl := None |} end.

(* ---------- precision: what passes the more precise coercion passes the other *)
Inductive cprec : coe -> coe -> Prop :=
| CP_shape c c' : (forall s, tapply c s = OK s -> tapply c' s = OK s) -> cprec (CShape c) (CShape c')
| CP_fun a a' b b' : cprec a a' -> cprec b b' -> cprec (CFun a b) (CFun a' b').
Inductive eprec : exp -> exp -> Prop :=
| EP_var x : eprec (Var x) (Var x) | EP_lit s : eprec (Lit s) (Lit s) | EP_lam b b' : eprec b b' -> eprec (Lam b) (Lam b')
| EP_app e1 e1' e2 e2' : eprec e1 e1' -> eprec e2 e2' -> eprec (App e1 e2) (App e1' e2')
| EP_cast c c' e e' : cprec c c' -> eprec e e' -> eprec (Cast c e) (Cast c' e')
| EP_prim pre out l e1 e1' e2 e2' : eprec e1 e1' -> eprec e2 e2' -> eprec (Prim pre out l e1 e2) (Prim pre out l e1' e2')
| EP_test p e e' e1 e1' e2 e2' : eprec e e' -> eprec e1 e1' -> eprec e2 e2' -> eprec (Test p e e1 e2) (Test p e' e1' e2').
Lemma demand_weaker p x y s : Forall2 (fun s t => t = None \/ s = t) x y -> forall i,
  test (demand_all p i x) s = OK s -> test (demand_all p i y) s = OK s.
Proof. induction 1 as [|u v x y H F IH]; intros i T; auto. destruct H as [->|<-].
  - apply IH. destruct u as [k|]; cbn in T; auto. destruct (nth i s 0 =? k); [auto|discriminate].
  - destruct u as [k|]; cbn in *; auto. destruct (nth i s 0 =? k); [auto|discriminate]. Qed.
Lemma tapply_checks c s : tapply {| cs := c; fl := None |} s = test c s.
Proof. unfold tapply. cbn. destruct (test c s); auto. Qed.
Theorem full_cast_prec a a' : gprec a a' -> forall b b' f p n, gprec b b' -> cprec (full_cast f p n a b) (full_cast f p n a' b').
Proof. induction 1 as [x y F|a a' u u' A IHA U IHU]; intros b b' f p n B; inversion B; subst; cbn; try (constructor; auto; fail).
  constructor. intros s. rewrite !tapply_checks. destruct f; apply demand_weaker; auto. Qed.

Inductive vprec : val -> val -> Prop :=
| VP_shape s : vprec (VT s) (VT s)
| VP_closure rho rho' b b' : Forall2 vprec rho rho' -> eprec b b' -> vprec (VC rho b) (VC rho' b')
| VP_proxy v v' c c' d d' : vprec v v' -> cprec c c' -> cprec d d' -> vprec (VP v c d) (VP v' c' d').
Inductive oprec : out -> out -> Prop :=
| OP_blame l o : oprec (Blames l) o
| OP_done v v' : vprec v v' -> oprec (Done v) (Done v') | OP_time : oprec Timeout Timeout | OP_stuck : oprec Stuck Stuck.
Lemma oprec_thn x x' f f' : oprec x x' -> (forall v v', vprec v v' -> oprec (f v) (f' v')) -> oprec (thn x f) (thn x' f').
Proof. intros [l o|v v' V| |] F; cbn; auto; constructor. Qed.
Lemma nest_prec c c' v v' : cprec c c' -> vprec v v' -> oprec (nest c v) (nest c' v').
Proof. intros [k k' W|a a' b b' A B] V.
  - inversion V; subst; cbn; try constructor. destruct (tapply k s) as [z|l] eqn:T; cbn; [|constructor].
    assert (z = s). { unfold tapply in T. destruct (test (cs k) s) eqn:E; cbn in T; [|discriminate]. apply test_id in E. destruct (fl k); inversion T; congruence. }
    subst. rewrite (W _ T). repeat constructor.
  - inversion V; subst; cbn; repeat constructor; auto. Qed.
Lemma app_prec n : (forall rho rho' e e', Forall2 vprec rho rho' -> eprec e e' -> oprec (eval nest n rho e) (eval nest n rho' e')) ->
  forall f f', vprec f f' -> forall x x', vprec x x' -> oprec (app nest (eval nest n) f x) (app nest (eval nest n) f' x').
Proof. intros EV f f' F. induction F as [s|rho rho' b b' R B|v v' c c' d d' V IH C D]; intros x x' X; cbn [app]; [constructor|apply EV; auto; repeat constructor; auto|].
  apply oprec_thn; [apply nest_prec; auto|]. intros y y' Y. apply oprec_thn; auto. intros z z' Z. apply nest_prec; auto. Qed.
Lemma eval_prec n : forall rho rho' e e', Forall2 vprec rho rho' -> eprec e e' -> oprec (eval nest n rho e) (eval nest n rho' e').
Proof. induction n as [|n IH]; intros rho rho' e e' R E; [constructor|]. cbn [eval]. revert rho rho' R.
  induction E as [x|s|b b' B IHB|e1 e1' e2 e2' E1 IH1 E2 IH2|c c' e e' C E IHE|pre out l e1 e1' e2 e2' E1 IH1 E2 IH2|p e e' e1 e1' e2 e2' E IHE E1 IH1 E2 IH2];
    intros rho rho' R; cbn [step].
  - revert x. induction R as [|v v' rho rho' V R IHR]; intros [|x]; cbn; try constructor; auto.
  - repeat constructor.
  - constructor. constructor; auto.
  - apply oprec_thn; auto. intros f f' F. apply oprec_thn; auto. intros x x' X. apply app_prec; auto.
  - apply oprec_thn; auto. intros v v' V. apply nest_prec; auto.
  - apply oprec_thn; auto. intros v v' V. apply oprec_thn; auto. intros u u' U.
    destruct V, U; try constructor. destruct (pre s s0); repeat constructor.
  - apply oprec_thn; auto. intros v v' V. destruct V; try constructor. destruct (p s); auto. Qed.

(* ---------- a shape stays the same shape; who blames where the program is less precise, blames where it is more precise *)
Theorem closure_dgg n e e' : eprec e e' ->
  (forall s, eval merge n [] e = Done (VT s) -> eval merge n [] e' = Done (VT s)) /\
  (forall l, eval merge n [] e' = Blames l -> exists l', eval merge n [] e = Blames l').
Proof. intros E. pose proof (eval_prec n [] [] e e' (Forall2_nil _) E) as O. split.
  - intros s H. apply composed_shape in H. apply composed_shape. rewrite H in O. inversion O as [|v v' V| |]; subst. inversion V; auto.
  - intros l H. apply composed_blame in H. rewrite H in O. inversion O as [m o X| | |]. exists m. apply composed_blame. auto. Qed.
(* id4, used as a function of vectors of 4 and as one of any vector *)
Example less_precise : let cast b := Cast (full_cast false 3 4 (GFun (GShape [Some 4]) (GShape [Some 4])) b) (Lam (Var 0)) in
  eprec (App (cast (GFun (GShape [Some 4]) (GShape [Some 4]))) (Lit [4])) (App (cast (GFun (GShape [None]) (GShape [None]))) (Lit [4])).
Proof. cbn. repeat constructor; auto. Qed.
