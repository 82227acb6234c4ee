(* Dims and constraints as terms, their meaning, and a normal form that keeps it.

   A dim is brought to a polynomial over names and over the terms that are no polynomial (floor divisions, maxima,
   choices), which are kept in the same form inside [dim.normal-form].  Constraints are simplified with it: a comparison
   becomes one of a polynomial with 0, free of a common factor [dim.form] [dim.reduce].  [norm_correct] says that both
   keep their value in every environment, and [same_sound] that dims with one form are equal: the hypothesis that
   Program.v has of its test.  The order of terms decides only where a monomial stands; that it is an order is not needed. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes.
Import ListNotations.
Open Scope Z_scope.

Inductive binop := Add | Sub | Mul | Div | Mod | Max | Min.
Inductive cmpop := Equal | AtMost.
Inductive dim := K (k:Z) | V (x:nat) | Bin (o:binop) (a b:dim) | Ite (f:form) (a b:dim)
with form := B (b:bool) | Cmp (c:cmpop) (a b:dim) | Not (f:form) | Con (conj:bool) (f g:form).
Scheme dim_rec2 := Induction for dim Sort Prop with form_rec2 := Induction for form Sort Prop.
Combined Scheme dim_form_ind from dim_rec2, form_rec2.

(* ---------- meaning: integers that neither wrap nor round; division goes to the floor [dim.meaning] *)
Definition apply (o:binop) (x y:Z) : Z := match o with
  | Add => x + y | Sub => x - y | Mul => x * y | Div => x / y | Mod => x mod y | Max => Z.max x y | Min => Z.min x y end.
Definition compare (c:cmpop) (x y:Z) : bool := match c with Equal => x =? y | AtMost => x <=? y end.
Definition connect (conj:bool) (x y:bool) : bool := if conj then x && y else x || y.
Fixpoint eval (r:env) (d:dim) : Z := match d with
  | K k => k | V x => r x | Bin o a b => apply o (eval r a) (eval r b)
  | Ite f a b => if truth r f then eval r a else eval r b end
with truth (r:env) (f:form) : bool := match f with
  | B b => b | Cmp c a b => compare c (eval r a) (eval r b) | Not f => negb (truth r f)
  | Con j f g => connect j (truth r f) (truth r g) end.

(* [dim.floor] [dim.remainder]: for divisors of at least 1 *)
Lemma floor_greatest r a b q : 1 <= eval r b -> (q <= eval r (Bin Div a b) <-> q * eval r b <= eval r a).
Proof. cbn. intros L. split; intros H.
  - pose proof (Z.mul_div_le (eval r a) (eval r b) ltac:(lia)). nia.
  - apply Z.div_le_lower_bound; lia. Qed.
Lemma remainder_range r a b : 1 <= eval r b -> 0 <= eval r (Bin Mod a b) < eval r b.
Proof. cbn. intros L. apply Z.mod_pos_bound; lia. Qed.
Lemma remainder_rest r a b : eval r (Bin Mod a b) = eval r (Bin Sub a (Bin Mul b (Bin Div a b))).
Proof. cbn. destruct (Z.eq_dec (eval r b) 0) as [->|N]; [rewrite Zmod_0_r; lia|]. rewrite Z.mod_eq; auto. Qed.
(* what is no simplification: quotients may agree where dividends do not, and a common factor may be 0 *)
Lemma floor_forgets : exists r, truth r (Cmp Equal (Bin Div (V 0) (K 2)) (Bin Div (V 1) (K 2))) = true /\ r 0%nat <> r 1%nat.
Proof. exists (fun x => if Nat.eqb x 0 then 4 else 5). split; auto. discriminate. Qed.
Lemma factor_forgets : exists r, truth r (Cmp Equal (Bin Mul (V 2) (V 0)) (Bin Mul (V 2) (V 1))) = true /\ r 0%nat <> r 1%nat.
Proof. exists (fun x => if Nat.eqb x 1 then 1 else 0). split; auto. discriminate. Qed.

(* [dim.substitute] *)
Fixpoint subst (s:nat -> dim) (d:dim) : dim := match d with
  | K k => K k | V x => s x | Bin o a b => Bin o (subst s a) (subst s b) | Ite f a b => Ite (substf s f) (subst s a) (subst s b) end
with substf s f := match f with
  | B b => B b | Cmp c a b => Cmp c (subst s a) (subst s b) | Not f => Not (substf s f) | Con j f g => Con j (substf s f) (substf s g) end.
Theorem subst_correct s r : (forall d, eval r (subst s d) = eval (fun x => eval r (s x)) d) /\
  (forall f, truth r (substf s f) = truth (fun x => eval r (s x)) f).
Proof. apply dim_form_ind; cbn; intros; auto;
  repeat match goal with H : _ = _ |- _ => rewrite H; clear H end; auto. Qed.
Lemma eval_ext r r' : (forall x, r x = r' x) -> (forall d, eval r d = eval r' d) /\ (forall f, truth r f = truth r' f).
Proof. intros E. apply dim_form_ind; cbn; intros; auto; repeat match goal with H : _ = _ |- _ => rewrite H; clear H end; auto. Qed.
(* a dim mentions its variables only *)
Fixpoint below_d (g:nat) (d:dim) : Prop := match d with
  | K _ => True | V x => (x < g)%nat | Bin _ a b => below_d g a /\ below_d g b | Ite f a b => below_f g f /\ below_d g a /\ below_d g b end
with below_f g f := match f with
  | B _ => True | Cmp _ a b => below_d g a /\ below_d g b | Not f => below_f g f | Con _ f h => below_f g f /\ below_f g h end.
Theorem supp_eval g : (forall d, below_d g d -> supp g (fun r => eval r d)) /\ (forall f, below_f g f -> supp g (fun r => truth r f)).
Proof. apply dim_form_ind; cbn.
  - intros k _ r r' _; auto. - intros x L r r' B. apply B; auto.
  - intros o a A b Bb [L1 L2] r r' X. rewrite (A L1 r r' X), (Bb L2 r r' X). auto.
  - intros f F a A b Bb (L0 & L1 & L2) r r' X. rewrite (F L0 r r' X), (A L1 r r' X), (Bb L2 r r' X). auto.
  - intros b _ r r' _; auto.
  - intros c a A b Bb [L1 L2] r r' X. rewrite (A L1 r r' X), (Bb L2 r r' X). auto.
  - intros f F L r r' X. rewrite (F L r r' X). auto.
  - intros j f F h H [L1 L2] r r' X. rewrite (F L1 r r' X), (H L2 r r' X). auto. Qed.

(* ---------- an order of terms *)
Definition op_code o : nat := match o with Add => 0 | Sub => 1 | Mul => 2 | Div => 3 | Mod => 4 | Max => 5 | Min => 6 end.
Definition lex (c d:comparison) := match c with Eq => d | _ => c end.
Definition bool_code (b:bool) : nat := if b then 1 else 0.
Definition cmp_code c : nat := match c with Equal => 0 | AtMost => 1 end.
Fixpoint dcmp (a b:dim) : comparison := match a,b with
  | K x, K y => Z.compare x y | K _, _ => Lt | _, K _ => Gt
  | V x, V y => Nat.compare x y | V _, _ => Lt | _, V _ => Gt
  | Bin o x y, Bin p u v => lex (Nat.compare (op_code o) (op_code p)) (lex (dcmp x u) (dcmp y v)) | Bin _ _ _, _ => Lt | _, Bin _ _ _ => Gt
  | Ite f x y, Ite g u v => lex (fcmp f g) (lex (dcmp x u) (dcmp y v)) end
with fcmp (f g:form) : comparison := match f,g with
  | B x, B y => Nat.compare (bool_code x) (bool_code y) | B _, _ => Lt | _, B _ => Gt
  | Cmp c x y, Cmp e u v => lex (Nat.compare (cmp_code c) (cmp_code e)) (lex (dcmp x u) (dcmp y v)) | Cmp _ _ _, _ => Lt | _, Cmp _ _ _ => Gt
  | Not f, Not g => fcmp f g | Not _, _ => Lt | _, Not _ => Gt
  | Con j x y, Con k u v => lex (Nat.compare (bool_code j) (bool_code k)) (lex (fcmp x u) (fcmp y v)) end.
Lemma lex_eq c d : lex c d = Eq -> c = Eq /\ d = Eq.
Proof. destruct c; cbn; auto; discriminate. Qed.
Lemma cmp_eq : (forall a b, dcmp a b = Eq -> a = b) /\ (forall f g, fcmp f g = Eq -> f = g).
Proof. apply dim_form_ind.
  - intros k [] H; try discriminate H. apply Z.compare_eq in H. congruence.
  - intros x [] H; try discriminate H. apply Nat.compare_eq in H. congruence.
  - intros o a IHa b IHb [] H; try discriminate H. apply lex_eq in H as [O H]. apply lex_eq in H as [A Q].
    f_equal; auto. destruct o, o0; auto; discriminate O.
  - intros f IHf a IHa b IHb [] H; try discriminate H. apply lex_eq in H as [O H]. apply lex_eq in H as [A Q]. f_equal; auto.
  - intros b [] H; try discriminate H. destruct b, b0; auto; discriminate H.
  - intros c a IHa b IHb [] H; try discriminate H. apply lex_eq in H as [O H]. apply lex_eq in H as [A Q].
    f_equal; auto. destruct c, c0; auto; discriminate O.
  - intros f IHf [] H; try discriminate H. f_equal; auto.
  - intros j f IHf g IHg [] H; try discriminate H. apply lex_eq in H as [O H]. apply lex_eq in H as [A Q].
    f_equal; auto. destruct j, conj; auto; discriminate O. Qed.

(* ---------- polynomials: coefficients of monomials, a monomial a sorted product of atoms *)
Definition mono := list dim.
Definition poly := list (Z * mono).
Definition evalM (r:env) (m:mono) : Z := fold_right (fun a z => eval r a * z) 1 m.
Definition evalP (r:env) (p:poly) : Z := fold_right (fun t z => fst t * evalM r (snd t) + z) 0 p.
Fixpoint mcmp (m n:mono) : comparison := match m,n with
  | [], [] => Eq | [], _ => Lt | _, [] => Gt | a::m, b::n => lex (dcmp a b) (mcmp m n) end.
Fixpoint minsert (a:dim) (m:mono) : mono := match m with [] => [a]
  | b::m' => match dcmp a b with Gt => b :: minsert a m' | _ => a :: m end end.
Definition mmul (m n:mono) : mono := fold_right minsert n m.
Fixpoint pinsert (c:Z) (m:mono) (p:poly) : poly := match p with [] => if c =? 0 then [] else [(c,m)]
  | (d,n)::p' => match mcmp m n with
      | Eq => if c + d =? 0 then p' else (c + d, n) :: p'
      | Lt => if c =? 0 then p else (c,m) :: p
      | Gt => (d,n) :: pinsert c m p' end end.
Definition padd (p q:poly) : poly := fold_right (fun t => pinsert (fst t) (snd t)) q p.
Definition pterm (c:Z) (m:mono) (q:poly) : poly := fold_right (fun t => pinsert (c * fst t) (mmul m (snd t))) [] q.
Definition pmul (p q:poly) : poly := fold_right (fun t => padd (pterm (fst t) (snd t) q)) [] p.
Definition const (k:Z) : poly := pinsert k [] [].
Definition atom (d:dim) : poly := [(1,[d])].
Definition constant (p:poly) : option Z := match p with [] => Some 0 | [(c,[])] => Some c | _ => None end.
Definition reifyM (m:mono) : dim := fold_right (Bin Mul) (K 1) m.
Definition reify (p:poly) : dim := fold_right (fun t => Bin Add (Bin Mul (K (fst t)) (reifyM (snd t)))) (K 0) p.

Lemma mcmp_eq m : forall n, mcmp m n = Eq -> m = n.
Proof. induction m as [|a m IH]; intros [|b n] H; cbn in H; try discriminate; auto. apply lex_eq in H as [A H].
  f_equal; auto. apply cmp_eq; auto. Qed.
Lemma evalM_cons r a m : evalM r (a :: m) = eval r a * evalM r m. Proof. auto. Qed.
Lemma evalM_nil r : evalM r [] = 1. Proof. auto. Qed.
Lemma evalP_cons r c m p : evalP r ((c, m) :: p) = c * evalM r m + evalP r p. Proof. auto. Qed.
Lemma evalP_nil r : evalP r [] = 0. Proof. auto. Qed.
Ltac values := rewrite ?evalP_cons, ?evalM_cons, ?evalP_nil, ?evalM_nil.
Section Meaning.
Variable r : env.
Lemma eval_minsert a m : evalM r (minsert a m) = eval r a * evalM r m.
Proof. induction m as [|b m IH]; cbn [minsert]; auto. destruct (dcmp a b); values; auto. rewrite IH. ring. Qed.
Lemma eval_mmul m n : evalM r (mmul m n) = evalM r m * evalM r n.
Proof. induction m as [|a m IH]; [change (mmul [] n) with n; values; ring|].
  change (mmul (a :: m) n) with (minsert a (mmul m n)). rewrite eval_minsert, IH. values. ring. Qed.
Lemma eval_pinsert c m p : evalP r (pinsert c m p) = c * evalM r m + evalP r p.
Proof. induction p as [|[d n] p IH]; cbn [pinsert].
  - destruct (Z.eqb_spec c 0); subst; values; ring.
  - destruct (mcmp m n) eqn:E.
    + apply mcmp_eq in E as <-. destruct (Z.eqb_spec (c + d) 0); values; [replace d with (- c) by lia|]; ring.
    + destruct (Z.eqb_spec c 0); subst; values; ring.
    + values. rewrite IH. ring. Qed.
Lemma eval_padd p q : evalP r (padd p q) = evalP r p + evalP r q.
Proof. induction p as [|[c m] p IH]; [change (padd [] q) with q; values; ring|].
  change (padd ((c, m) :: p) q) with (pinsert c m (padd p q)). rewrite eval_pinsert, IH. values. ring. Qed.
Lemma eval_pterm c m q : evalP r (pterm c m q) = c * evalM r m * evalP r q.
Proof. induction q as [|[d n] q IH]; [change (pterm c m []) with (@nil (Z * mono)); values; ring|].
  change (pterm c m ((d, n) :: q)) with (pinsert (c * d) (mmul m n) (pterm c m q)). rewrite eval_pinsert, eval_mmul, IH. values. ring. Qed.
Lemma eval_pmul p q : evalP r (pmul p q) = evalP r p * evalP r q.
Proof. induction p as [|[c m] p IH]; [change (pmul [] q) with (@nil (Z * mono)); values; ring|].
  change (pmul ((c, m) :: p) q) with (padd (pterm c m q) (pmul p q)). rewrite eval_padd, eval_pterm, IH. values. ring. Qed.
Lemma eval_const k : evalP r (const k) = k.
Proof. unfold const. rewrite eval_pinsert. values. ring. Qed.
Lemma eval_atom d : evalP r (atom d) = eval r d.
Proof. unfold atom. values. ring. Qed.
Lemma eval_constant p k : constant p = Some k -> evalP r p = k.
Proof. destruct p as [|[c [|]] [|]]; cbn [constant]; intros H; inversion H; values; ring. Qed.
Lemma eval_reifyM m : eval r (reifyM m) = evalM r m.
Proof. induction m as [|a m IH]; auto. change (reifyM (a :: m)) with (Bin Mul a (reifyM m)). cbn [eval apply]. rewrite IH. auto. Qed.
Lemma eval_reify p : eval r (reify p) = evalP r p.
Proof. induction p as [|[c m] p IH]; auto.
  change (reify ((c, m) :: p)) with (Bin Add (Bin Mul (K c) (reifyM m)) (reify p)). cbn [eval apply]. rewrite IH, eval_reifyM. auto. Qed.
End Meaning.

(* ---------- division by a number: what it divides comes out, k * q + e = p *)
Fixpoint psplit (k:Z) (p:poly) : poly * poly := match p with [] => ([], [])
  | (c,m)::p => let (q,e) := psplit k p in match m with
      | [] => (pinsert (c / k) [] q, pinsert (c mod k) [] e)
      | _ => if c mod k =? 0 then (pinsert (c / k) m q, e) else (q, pinsert c m e) end end.
Lemma eval_psplit r k p : k <> 0 -> evalP r p = k * evalP r (fst (psplit k p)) + evalP r (snd (psplit k p)).
Proof. intros N. induction p as [|[c m] p IH]; cbn [psplit]; [cbn [fst snd]; values; ring|]. destruct (psplit k p) as [q e]. cbn [fst snd] in *.
  rewrite evalP_cons, IH. pose proof (Z.div_mod c k N) as D.
  destruct m as [|a m]; cbn [fst snd].
  - rewrite !eval_pinsert. values. rewrite D at 1. ring.
  - destruct (Z.eqb_spec (c mod k) 0) as [Z0|]; cbn [fst snd]; rewrite eval_pinsert; [|ring].
    rewrite Z0 in D. rewrite D at 1. ring. Qed.
Definition pdiv (p q:poly) : poly := match constant q with
  | Some k => if 1 <=? k
      then let (u,e) := psplit k p in match constant e with
        | Some c => pinsert (c / k) [] u | None => pinsert 1 [Bin Div (reify e) (K k)] u end
      else atom (Bin Div (reify p) (K k))
  | None => atom (Bin Div (reify p) (reify q)) end.
Lemma eval_pdiv r p q : evalP r (pdiv p q) = evalP r p / evalP r q.
Proof. unfold pdiv. destruct (constant q) as [k|] eqn:Q; [|rewrite eval_atom; cbn [eval apply]; rewrite !eval_reify; auto].
  rewrite (eval_constant r q k Q). destruct (Z.leb_spec 1 k) as [L|L]; [|rewrite eval_atom; cbn [eval apply]; rewrite eval_reify; auto].
  pose proof (eval_psplit r k p ltac:(lia)) as S. destruct (psplit k p) as [u e]. cbn [fst snd] in S. rewrite S.
  rewrite (Z.mul_comm k), Z.div_add_l by lia. destruct (constant e) as [c|] eqn:C; rewrite eval_pinsert.
  - rewrite (eval_constant r e c C). values. ring.
  - values. cbn [eval apply]. rewrite eval_reify. ring. Qed.

(* ---------- comparisons with 0, without a common factor *)
Definition factor (p:poly) : Z := fold_right (fun t g => match snd t with [] => g | _ => Z.gcd (fst t) g end) 0 p.
Definition against (c:cmpop) (p:poly) : form := match constant p with
  | Some k => B (compare c k 0)
  | None => let g := factor p in let (u,e) := psplit g p in match (if 1 <=? g then constant e else None) with
      | Some k => match c with
          | Equal => if k mod g =? 0 then Cmp Equal (reify (pinsert (k / g) [] u)) (K 0) else B false
          | AtMost => Cmp AtMost (reify (pinsert (- (- k / g)) [] u)) (K 0) end
      | None => Cmp c (reify p) (K 0) end end.
Lemma truth_against r c p : truth r (against c p) = compare c (evalP r p) 0.
Proof. unfold against. destruct (constant p) as [k|] eqn:P; [cbn; rewrite (eval_constant r p k P); auto|].
  pose proof (eval_psplit r (factor p) p) as S. destruct (psplit (factor p) p) as [u e]. cbn [fst snd] in S.
  destruct (Z.leb_spec 1 (factor p)) as [L|L]; [|cbn [truth eval]; rewrite eval_reify; auto].
  destruct (constant e) as [k|] eqn:E; [|cbn [truth eval]; rewrite eval_reify; auto].
  rewrite S by lia. rewrite (eval_constant r e k E). set (g := factor p) in *. pose proof (Z.div_mod k g ltac:(lia)) as D.
  pose proof (Z.mod_pos_bound k g ltac:(lia)) as M. destruct c; cbn [compare].
  - destruct (Z.eqb_spec (k mod g) 0) as [Z0|NZ].
    + cbn [truth eval compare]. rewrite eval_reify, eval_pinsert. values.
      destruct (Z.eqb_spec (k / g * 1 + evalP r u) 0), (Z.eqb_spec (g * evalP r u + k) 0); auto; nia.
    + cbn [truth]. symmetry. apply Z.eqb_neq. intros X. apply NZ. replace k with ((- evalP r u) * g) by lia. apply Z.mod_mul. lia.
  - cbn [truth eval compare]. rewrite eval_reify, eval_pinsert. values.
    pose proof (Z.div_mod (- k) g ltac:(lia)) as D'. pose proof (Z.mod_pos_bound (- k) g ltac:(lia)) as M'.
    destruct (Z.leb_spec (- (- k / g) * 1 + evalP r u) 0), (Z.leb_spec (g * evalP r u + k) 0); auto; nia. Qed.

(* ---------- the normal form *)
Fixpoint peqb (p q:poly) : bool := match p,q with
  | [], [] => true
  | (c,m)::p, (d,n)::q => (c =? d) && match mcmp m n with Eq => true | _ => false end && peqb p q
  | _, _ => false end.
Definition psub p q := padd p (pterm (-1) [] q).
Definition choose (o:binop) (p q:poly) : poly := match constant (psub p q) with
  | Some k => if (match o with Max => 0 <=? k | _ => k <=? 0 end) then p else q
  | None => atom (Bin o (reify p) (reify q)) end.
Definition branch (f:form) (p q:poly) : poly := match f with
  | B b => if b then p else q | _ => if peqb p q then p else atom (Ite f (reify p) (reify q)) end.
Definition negated (f:form) : form := match f with B b => B (negb b) | Not g => g | _ => Not f end.
Definition connected (j:bool) (f g:form) : form := match f,g with
  | B b, _ => if Bool.eqb b j then g else B b | _, B b => if Bool.eqb b j then f else B b | _, _ => Con j f g end.
Fixpoint norm (d:dim) : poly := match d with
  | K k => const k
  | V x => atom (V x)
  | Bin Add a b => padd (norm a) (norm b)
  | Bin Sub a b => psub (norm a) (norm b)
  | Bin Mul a b => pmul (norm a) (norm b)
  | Bin Div a b => pdiv (norm a) (norm b)
  | Bin Mod a b => psub (norm a) (pmul (norm b) (pdiv (norm a) (norm b)))
  | Bin o a b => choose o (norm a) (norm b)
  | Ite f a b => branch (simplify f) (norm a) (norm b) end
with simplify (f:form) : form := match f with
  | B b => B b
  | Cmp c a b => against c (psub (norm a) (norm b))
  | Not f => negated (simplify f)
  | Con j f g => connected j (simplify f) (simplify g) end.

Lemma peqb_eq p : forall q, peqb p q = true -> p = q.
Proof. induction p as [|[c m] p IH]; intros [|[d n] q] H; cbn in H; try discriminate; auto. apply andb_prop in H as [H P].
  apply andb_prop in H as [C M]. apply Z.eqb_eq in C. destruct (mcmp m n) eqn:E; try discriminate. apply mcmp_eq in E. f_equal; auto. congruence. Qed.
Lemma eval_psub r p q : evalP r (psub p q) = evalP r p - evalP r q.
Proof. unfold psub. rewrite eval_padd, eval_pterm. values. ring. Qed.
Lemma eval_choose r o p q : o = Max \/ o = Min -> evalP r (choose o p q) = apply o (evalP r p) (evalP r q).
Proof. intros O. unfold choose. destruct (constant (psub p q)) as [k|] eqn:C.
  - apply (eval_constant r) in C. rewrite eval_psub in C. destruct O as [-> | ->]; cbn [apply].
    + destruct (Z.leb_spec 0 k); lia. + destruct (Z.leb_spec k 0); lia.
  - rewrite eval_atom. cbn [eval]. rewrite !eval_reify. auto. Qed.
Lemma eval_branch r f p q : evalP r (branch f p q) = if truth r f then evalP r p else evalP r q.
Proof. assert (X: evalP r (if peqb p q then p else atom (Ite f (reify p) (reify q))) = if truth r f then evalP r p else evalP r q).
  { destruct (peqb p q) eqn:E; [apply peqb_eq in E as <-; destruct (truth r f); auto|].
    rewrite eval_atom. cbn [eval]. rewrite !eval_reify. auto. }
  destruct f; auto. cbn. destruct b; auto. Qed.
Lemma truth_negated r f : truth r (negated f) = negb (truth r f).
Proof. destruct f; cbn; auto. rewrite negb_involutive; auto. Qed.
Lemma truth_connected r j f g : truth r (connected j f g) = connect j (truth r f) (truth r g).
Proof. assert (G: forall h, truth r (match g with B b => if Bool.eqb b j then h else B b | _ => Con j h g end) = connect j (truth r h) (truth r g)).
  { intros h. destruct g as [b| | |]; auto. destruct b, j; cbn; rewrite ?andb_true_r, ?andb_false_r, ?orb_true_r, ?orb_false_r; auto. }
  destruct f as [b| | |]; [destruct b, j; destruct g; auto|exact (G _)..]. Qed.
Theorem norm_correct r : (forall d, evalP r (norm d) = eval r d) /\ (forall f, truth r (simplify f) = truth r f).
Proof. apply dim_form_ind.
  - intros k. apply eval_const. - intros x. apply eval_atom.
  - intros o a A b Bb. destruct o; cbn [norm eval apply].
    + rewrite eval_padd; congruence. + rewrite eval_psub; congruence. + rewrite eval_pmul; congruence. + rewrite eval_pdiv; congruence.
    + rewrite eval_psub, eval_pmul, eval_pdiv, A, Bb. symmetry. apply (remainder_rest r a b).
    + rewrite eval_choose by auto. cbn; congruence. + rewrite eval_choose by auto. cbn; congruence.
  - intros f F a A b Bb. cbn [norm eval]. rewrite eval_branch, F, A, Bb. auto.
  - auto.
  - intros c a A b Bb. cbn [simplify truth]. rewrite truth_against, eval_psub, A, Bb.
    destruct c; cbn; [destruct (Z.eqb_spec (eval r a - eval r b) 0), (Z.eqb_spec (eval r a) (eval r b))
      |destruct (Z.leb_spec (eval r a - eval r b) 0), (Z.leb_spec (eval r a) (eval r b))]; auto; lia.
  - intros f F. cbn [simplify truth]. rewrite truth_negated, F. auto.
  - intros j f F g G. cbn [simplify truth]. rewrite truth_connected, F, G. auto. Qed.

(* ---------- what the checker does with it *)
Definition same (a b:dim) : bool := peqb (norm a) (norm b).
Theorem same_sound a b : same a b = true -> forall r, eval r a = eval r b.
Proof. intros H r. apply peqb_eq in H. rewrite <- !(proj1 (norm_correct r)), H. auto. Qed.
Theorem proved_by_form f : simplify f = B true -> forall r, truth r f = true.
Proof. intros H r. rewrite <- (proj2 (norm_correct r)), H. auto. Qed.
Theorem refuted_by_form f : simplify f = B false -> forall r, truth r f = false.
Proof. intros H r. rewrite <- (proj2 (norm_correct r)), H. auto. Qed.

(* equal by the laws of rings, and by the rules for division by a number; neither of the two mistakes above *)
Example ring : same (Bin Mul (Bin Add (V 0) (V 1)) (Bin Sub (V 0) (V 1))) (Bin Sub (Bin Mul (V 0) (V 0)) (Bin Mul (V 1) (V 1))) = true.
Proof. reflexivity. Qed.
Example floors : same (Bin Div (Bin Add (Bin Mul (K 4) (V 0)) (Bin Add (V 1) (K 7))) (K 2))
  (Bin Add (Bin Mul (V 0) (K 2)) (Bin Add (K 3) (Bin Div (Bin Add (V 1) (K 1)) (K 2)))) = true.
Proof. reflexivity. Qed.
Example remainder : same (Bin Mod (V 0) (K 4)) (Bin Sub (V 0) (Bin Mul (K 4) (Bin Div (V 0) (K 4)))) = true.
Proof. reflexivity. Qed.
Example reduced : simplify (Cmp Equal (Bin Mul (K 3) (V 0)) (K 4)) = B false /\
  simplify (Cmp Equal (Bin Mul (K 3) (V 0)) (K 12)) = simplify (Cmp Equal (V 0) (K 4)).
Proof. split; reflexivity. Qed.
Example kept_apart : simplify (Cmp Equal (Bin Div (V 0) (K 2)) (Bin Div (V 1) (K 2))) <> simplify (Cmp Equal (V 0) (V 1)) /\
  simplify (Cmp Equal (Bin Mul (V 2) (V 0)) (Bin Mul (V 2) (V 1))) <> simplify (Cmp Equal (V 0) (V 1)).
Proof. split; discriminate. Qed.
