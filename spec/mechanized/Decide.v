(* A procedure that decides goals under facts, and what its answers mean.

   A goal is proved if its negation has no solution among the facts, and refuted if it has none itself.  [unsat] finds
   that there is no solution: it simplifies, solves equations, splits disjunctions and conditions, bounds quotients, and
   eliminates monomials from linear inequalities as Fourier and Motzkin do, with rounding [dim.decide.facts]
   [dim.decide.cases] [dim.decide.linear].  [model] searches small valuations [dim.decide.models], and evaluates all that
   it found once more, so that its correctness does not depend on the search.  What neither decides stays open.  All
   functions compute: they are extracted. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Dims.
Import ListNotations.
Open Scope Z_scope.

Definition holds (r:env) (fs:list form) : bool := forallb (truth r) fs.
Lemma holds_cons r f fs : holds r (f :: fs) = truth r f && holds r fs. Proof. auto. Qed.
Lemma holds_app r fs gs : holds r (fs ++ gs) = holds r fs && holds r gs. Proof. apply forallb_app. Qed.
Lemma holds_in r fs f : holds r fs = true -> In f fs -> truth r f = true.
Proof. unfold holds. rewrite forallb_forall. auto. Qed.
Lemma holds_intro r fs : (forall f, In f fs -> truth r f = true) -> holds r fs = true.
Proof. unfold holds. rewrite forallb_forall. auto. Qed.

(* ---------- negation moved to the comparisons, conjunctions taken apart [dim.constraint] *)
Fixpoint nnf (b:bool) (f:form) : form := match f with
  | B c => B (Bool.eqb b c)
  | Cmp c x y => if b then f else match c with
      | AtMost => Cmp AtMost (Bin Add y (K 1)) x
      | Equal => Con false (Cmp AtMost (Bin Add x (K 1)) y) (Cmp AtMost (Bin Add y (K 1)) x) end
  | Not g => nnf (negb b) g
  | Con j g h => Con (Bool.eqb b j) (nnf b g) (nnf b h) end.
Lemma truth_nnf r f : forall b, truth r (nnf b f) = Bool.eqb b (truth r f).
Proof. induction f as [c|c x y|g IH|j g IHg h IHh]; intros b; cbn [nnf truth]; auto.
  - destruct b; cbn [truth Bool.eqb].
    + destruct (compare c (eval r x) (eval r y)); auto.
    + destruct c; cbn [truth connect compare eval apply];
        [destruct (Z.leb_spec (eval r x + 1) (eval r y)), (Z.leb_spec (eval r y + 1) (eval r x)), (Z.eqb_spec (eval r x) (eval r y))
        |destruct (Z.leb_spec (eval r y + 1) (eval r x)), (Z.leb_spec (eval r x) (eval r y))]; auto; lia.
  - rewrite IH. destruct b, (truth r g); auto.
  - rewrite IHg, IHh. destruct b, j, (truth r g), (truth r h); auto. Qed.
Fixpoint conjuncts (f:form) : list form := match f with B true => [] | Con true g h => conjuncts g ++ conjuncts h | _ => [f] end.
Lemma holds_conjuncts r f : holds r (conjuncts f) = truth r f.
Proof. induction f as [[|]|c x y|g IH|[|] g IHg h IHh]; cbn [conjuncts]; try (cbn; rewrite andb_true_r; auto; fail); auto.
  rewrite holds_app, IHg, IHh. auto. Qed.
Definition is_false (f:form) : bool := match f with B false => true | _ => false end.
Definition clean (fs:list form) : list form := flat_map (fun f => conjuncts (simplify (nnf true f))) fs.
Lemma holds_clean r fs : holds r (clean fs) = holds r fs.
Proof. induction fs as [|f fs IH]; auto. change (clean (f :: fs)) with (conjuncts (simplify (nnf true f)) ++ clean fs).
  rewrite holds_app, holds_conjuncts, holds_cons, IH, (proj2 (norm_correct r)), truth_nnf. destruct (truth r f); auto. Qed.
Lemma false_holds r fs : existsb is_false fs = true -> holds r fs = false.
Proof. induction fs as [|f fs IH]; cbn [existsb]; [discriminate|]. rewrite holds_cons.
  destruct f as [[|]| | |]; cbn [is_false orb]; auto; intros H; rewrite IH by auto; apply andb_false_r. Qed.

(* ---------- equations: a variable with the coefficient 1 or -1 is solved for [dim.facts.solve] *)
Fixpoint mentions (x:nat) (d:dim) : bool := match d with
  | K _ => false | V y => Nat.eqb x y | Bin _ a b => mentions x a || mentions x b
  | Ite f a b => mentions_f x f || mentions x a || mentions x b end
with mentions_f x f := match f with
  | B _ => false | Cmp _ a b => mentions x a || mentions x b | Not g => mentions_f x g | Con _ g h => mentions_f x g || mentions_f x h end.
Definition unit_term (p:poly) (t:Z * mono) : option (nat * dim) := match t with
  | (c, [V x]) => let rest := reify (pterm (- c) [] (pinsert (- c) [V x] p)) in
      if ((c =? 1) || (c =? -1)) && negb (mentions x rest) then Some (x, rest) else None
  | _ => None end.
Fixpoint first_some {A B} (f:A -> option B) (l:list A) : option B := match l with
  | [] => None | a :: l => match f a with Some b => Some b | None => first_some f l end end.
Lemma first_some_in {A B} (f:A -> option B) l b : first_some f l = Some b -> exists a, In a l /\ f a = Some b.
Proof. induction l as [|a l IH]; cbn; [discriminate|]. destruct (f a) eqn:E; intros H; [inversion H; subst; eauto|].
  destruct (IH H) as (a' & I & F). eauto. Qed.
Definition solve_form (f:form) : option (nat * dim) := match f with
  | Cmp Equal a b => let p := psub (norm a) (norm b) in first_some (unit_term p) (rev p)
  | _ => None end.
Lemma solve_form_ok r f x d : solve_form f = Some (x, d) -> truth r f = true -> r x = eval r d.
Proof. destruct f as [|[] a b| |]; cbn [solve_form]; try discriminate. intros S T. cbn in T. apply Z.eqb_eq in T.
  apply first_some_in in S as ([c m] & _ & U). unfold unit_term in U. destruct m as [|[|y| |] [|]]; try discriminate U.
  set (p := psub (norm a) (norm b)) in *.
  assert (E: evalP r p = 0) by (unfold p; rewrite eval_psub, !(proj1 (norm_correct r)); lia).
  destruct (((c =? 1) || (c =? -1)) && _) eqn:C; inversion U; subst. apply andb_prop in C as [C _].
  rewrite eval_reify, eval_pterm, eval_pinsert, E. cbn [evalM fold_right eval].
  apply orb_prop in C as [C|C]; apply Z.eqb_eq in C; subst c; ring_simplify; auto. Qed.
Definition only (x:nat) (d:dim) : nat -> dim := fun y => if Nat.eqb y x then d else V y.
Lemma subst_only r x d : r x = eval r d -> (forall e, eval r (subst (only x d) e) = eval r e) /\
  (forall f, truth r (substf (only x d) f) = truth r f).
Proof. intros E. destruct (subst_correct (only x d) r) as [S F].
  assert (X: forall y, eval r (only x d y) = r y).
  { intros y. unfold only. destruct (Nat.eqb_spec y x); subst; auto. }
  destruct (eval_ext _ _ X) as [EX TX]. split; intros; [rewrite S|rewrite F]; auto. Qed.
Lemma holds_subst r x d fs : r x = eval r d -> holds r (map (substf (only x d)) fs) = holds r fs.
Proof. intros E. unfold holds. induction fs as [|f fs IH]; cbn; auto. rewrite IH, (proj2 (subst_only r x d E)). auto. Qed.

(* ---------- cases: conditions inside of dims, and disjunctions [dim.decide.cases] *)
Definition orelse {A} (a b:option A) : option A := match a with Some _ => a | None => b end.
Fixpoint condition (d:dim) : option form := match d with
  | K _ | V _ => None
  | Bin o a b => orelse (condition a) (orelse (condition b) match o with Max | Min => Some (Cmp AtMost a b) | _ => None end)
  | Ite f a b => orelse (condition_f f) (Some f) end
with condition_f f := match f with
  | B _ => None | Cmp _ a b => orelse (condition a) (condition b) | Not g => condition_f g
  | Con _ g h => orelse (condition_f g) (condition_f h) end.
Definition is_eq (c:comparison) : bool := match c with Eq => true | _ => false end.
Fixpoint assume (p:form) (v:bool) (d:dim) : dim := match d with
  | K _ | V _ => d
  | Bin o a b => let a' := assume p v a in let b' := assume p v b in
      match o with
      | Max => if is_eq (fcmp (Cmp AtMost a b) p) then (if v then b' else a') else Bin o a' b'
      | Min => if is_eq (fcmp (Cmp AtMost a b) p) then (if v then a' else b') else Bin o a' b'
      | _ => Bin o a' b' end
  | Ite f a b => if is_eq (fcmp f p) then (if v then assume p v a else assume p v b)
      else Ite (assume_f p v f) (assume p v a) (assume p v b) end
with assume_f p v f := match f with
  | B _ => f | Cmp c a b => Cmp c (assume p v a) (assume p v b) | Not g => Not (assume_f p v g)
  | Con j g h => Con j (assume_f p v g) (assume_f p v h) end.
Lemma is_eq_form f g : is_eq (fcmp f g) = true -> f = g.
Proof. intros H. apply (proj2 cmp_eq). destruct (fcmp f g); auto; discriminate. Qed.
Lemma assume_ok r p v : truth r p = v -> (forall d, eval r (assume p v d) = eval r d) /\ (forall f, truth r (assume_f p v f) = truth r f).
Proof. intros T. apply dim_form_ind; cbn [assume assume_f]; auto.
  - intros o a A b Bb.
    assert (D: eval r (Bin o (assume p v a) (assume p v b)) = eval r (Bin o a b)) by (cbn [eval]; congruence).
    destruct o; auto; destruct (is_eq _) eqn:E; auto; apply is_eq_form in E; subst p; cbn in T |- *;
      destruct v; rewrite ?A, ?Bb; destruct (Z.leb_spec (eval r a) (eval r b)); try discriminate T; lia.
  - intros f F a A b Bb. destruct (is_eq _) eqn:E.
    + apply is_eq_form in E. subst f. cbn [eval]. rewrite T. destruct v; auto.
    + cbn [eval]. rewrite F, A, Bb. auto.
  - intros c a A b Bb. cbn [truth]. congruence.
  - intros f F. cbn [truth]. congruence.
  - intros j f F g G. cbn [truth]. congruence. Qed.
Lemma holds_assume r p v fs : truth r p = v -> holds r (map (assume_f p v) fs) = holds r fs.
Proof. intros T. unfold holds. induction fs as [|f fs IH]; cbn; auto. rewrite IH, (proj2 (assume_ok r p v T)). auto. Qed.
Fixpoint disjunction (fs:list form) : option (form * form * list form) := match fs with
  | [] => None
  | Con false g h :: fs => Some (g, h, fs)
  | f :: fs => match disjunction fs with Some (g, h, rest) => Some (g, h, f :: rest) | None => None end end.
Lemma disjunction_ok r fs : forall g h rest, disjunction fs = Some (g, h, rest) ->
  holds r fs = (truth r g || truth r h) && holds r rest.
Proof. induction fs as [|f fs IH]; intros g h rest H; [discriminate|].
  assert (X: disjunction (f :: fs) = (match disjunction fs with Some (g, h, rest) => Some (g, h, f :: rest) | None => None end) ->
    holds r (f :: fs) = (truth r g || truth r h) && holds r rest).
  { intros E. rewrite E in H. destruct (disjunction fs) as [[[g' h'] rest']|]; inversion H; subst.
    rewrite !holds_cons. rewrite (IH _ _ _ eq_refl). destruct (truth r f), (truth r g || truth r h); auto. }
  destruct f as [| | |[|] a b]; try (apply X; reflexivity). cbn in H. inversion H; subst. auto. Qed.

(* ---------- linear inequalities: polynomials that are at most 0 *)
Definition nonpos (r:env) (ps:list poly) : Prop := forall p, In p ps -> evalP r p <= 0.
(* without the common factor of the coefficients, the constant rounded up [dim.reduce] *)
Definition tight (p:poly) : poly := let g := factor p in if 1 <=? g then let (u, e) := psplit g p in match constant e with
  | Some k => pinsert (- (- k / g)) [] u | None => p end else p.
Lemma tight_ok r p : evalP r p <= 0 -> evalP r (tight p) <= 0.
Proof. intros H. unfold tight. destruct (Z.leb_spec 1 (factor p)) as [L|]; auto.
  pose proof (eval_psplit r (factor p) p ltac:(lia)) as S. destruct (psplit (factor p) p) as [u e]. cbn [fst snd] in S.
  destruct (constant e) as [k|] eqn:E; auto. apply (eval_constant r) in E. rewrite eval_pinsert. values. rewrite E in S.
  set (g := factor p) in *. pose proof (Z.div_mod (- k) g ltac:(lia)). pose proof (Z.mod_pos_bound (- k) g ltac:(lia)). nia. Qed.
Definition atmost (a b:dim) : poly := psub (norm a) (norm b).
Definition inequalities (f:form) : list poly := match f with
  | Cmp AtMost a b => [tight (atmost a b)] | Cmp Equal a b => [tight (atmost a b); tight (atmost b a)] | _ => [] end.
Lemma atmost_ok r a b : eval r a <= eval r b -> evalP r (tight (atmost a b)) <= 0.
Proof. intros L. apply tight_ok. unfold atmost. rewrite eval_psub, !(proj1 (norm_correct r)). lia. Qed.
Lemma inequalities_ok r f : truth r f = true -> nonpos r (inequalities f).
Proof. intros T p I. destruct f as [|[] a b| |]; cbn [truth compare inequalities] in T, I; try contradiction.
  - apply Z.eqb_eq in T. destruct I as [<-|[<-|[]]]; apply atmost_ok; lia.
  - apply Z.leb_le in T. destruct I as [<-|[]]. apply atmost_ok; auto. Qed.
(* quotients by numbers: k * q <= d <= k * q + k - 1 [dim.floor] *)
Fixpoint quotients (d:dim) : list (dim * Z) := match d with
  | K _ | V _ => []
  | Bin o a b => quotients a ++ quotients b ++ match o, b with Div, K k => if 1 <=? k then [(a, k)] else [] | _, _ => [] end
  | Ite f a b => quotients_f f ++ quotients a ++ quotients b end
with quotients_f f := match f with
  | B _ => [] | Cmp _ a b => quotients a ++ quotients b | Not g => quotients_f g | Con _ g h => quotients_f g ++ quotients_f h end.
Definition bounds (q:dim * Z) : list poly := let (a, k) := q in let m := Bin Mul (K k) (Bin Div a (K k)) in
  if 1 <=? k then [tight (atmost m a); tight (atmost a (Bin Add m (K (k - 1))))] else [].
Lemma bounds_ok r q : nonpos r (bounds q).
Proof. destruct q as [a k]. unfold bounds. destruct (Z.leb_spec 1 k) as [L|]; [|intros p []].
  pose proof (Z.div_mod (eval r a) k ltac:(lia)) as D. pose proof (Z.mod_pos_bound (eval r a) k ltac:(lia)) as M.
  intros p [<-|[<-|[]]]; apply atmost_ok; cbn [eval apply]; lia. Qed.
(* products: where x >= 1 and y >= 1 are known, x * y >= x and x * y >= y *)
Definition known_positive (ps:list poly) (a:dim) : bool := existsb (peqb (atmost (K 1) a)) ps.
Definition smaller (a:dim) (m:mono) : poly := atmost a (reifyM m).
Definition product_bounds (ps:list poly) (m:mono) : list poly := match m with
  | [a; b] => if known_positive ps a && known_positive ps b then [smaller a m; smaller b m] else []
  | _ => [] end.
Lemma known_positive_ok r ps a : nonpos r ps -> known_positive ps a = true -> 1 <= eval r a.
Proof. intros N H. apply existsb_exists in H as (p & I & E). apply peqb_eq in E. subst p.
  apply N in I. unfold atmost in I. rewrite eval_psub, !(proj1 (norm_correct r)) in I. cbn [eval] in I. lia. Qed.
Lemma product_bounds_ok r ps m : nonpos r ps -> nonpos r (product_bounds ps m).
Proof. intros N. destruct m as [|a [|b [|]]]; cbn [product_bounds]; try (intros p []; fail).
  destruct (known_positive ps a) eqn:A, (known_positive ps b) eqn:Bb; cbn [andb]; try (intros p []; fail).
  apply (known_positive_ok r) in A; auto. apply (known_positive_ok r) in Bb; auto.
  intros p [<-|[<-|[]]]; unfold smaller, atmost; rewrite eval_psub, !(proj1 (norm_correct r)), eval_reifyM; cbn [evalM fold_right]; nia. Qed.

Definition coef (m:mono) (p:poly) : Z := match find (fun t => is_eq (mcmp m (snd t))) p with Some (c, _) => c | None => 0 end.
Definition combine m p q : poly := tight (padd (pterm (- coef m q) [] p) (pterm (coef m p) [] q)).
Lemma combine_ok r m p q : evalP r p <= 0 -> evalP r q <= 0 -> 0 < coef m p -> coef m q < 0 -> evalP r (combine m p q) <= 0.
Proof. intros P Q A Bq. apply tight_ok. rewrite eval_padd, !eval_pterm. cbn [evalM fold_right]. nia. Qed.
Definition contradictory (p:poly) : bool := match constant p with Some k => 0 <? k | None => false end.
Definition informative (p:poly) : bool := match constant p with Some _ => false | None => true end.
Fixpoint distinct (ps:list poly) : list poly := match ps with
  | [] => [] | p :: ps => if existsb (peqb p) ps then distinct ps else p :: distinct ps end.
Lemma distinct_in p ps : In p (distinct ps) -> In p ps.
Proof. induction ps as [|q ps IH]; cbn; auto. destruct (existsb _ _); cbn; intuition. Qed.
Definition upper m (ps:list poly) := filter (fun p => 0 <? coef m p) ps.
Definition lower m (ps:list poly) := filter (fun p => coef m p <? 0) ps.
Definition apart m (ps:list poly) := filter (fun p => coef m p =? 0) ps.
Definition eliminate m ps : list poly := distinct (apart m ps ++
  filter (fun p => informative p || contradictory p) (flat_map (fun p => map (combine m p) (lower m ps)) (upper m ps))).
Definition cost m ps : nat := length (upper m ps) * length (lower m ps).
(* an elimination loses no integers if one of the two coefficients is always 1; such ones come first *)
Definition exact m ps : bool := forallb (fun p => coef m p =? 1) (upper m ps) || forallb (fun p => coef m p =? -1) (lower m ps).
Definition rank m ps : nat := (if exact m ps then 0 else 1000) + cost m ps.
Fixpoint cheapest (ps:list poly) (ms:list mono) : option mono := match ms with
  | [] => None
  | [] :: ms => cheapest ps ms
  | m :: ms => match cheapest ps ms with None => Some m | Some n => if Nat.leb (rank m ps) (rank n ps) then Some m else Some n end end.
Definition limit : nat := 150.
Fixpoint contradiction (fuel:nat) (ps:list poly) : bool := existsb contradictory ps || match fuel with
  | O => false
  | S fuel => match cheapest ps (map snd (concat ps)) with
      | None => false
      | Some m => if Nat.leb limit (cost m ps) then contradiction fuel (apart m ps) else contradiction fuel (eliminate m ps) end end.
(* conversion must not run the procedures *)
Strategy 100 [contradiction].
Lemma contradiction_ok r fuel : forall ps, contradiction fuel ps = true -> nonpos r ps -> False.
Proof. induction fuel as [|fuel IH]; intros ps H N; cbn [contradiction] in H.
  all: apply orb_prop in H as [H|H];
    [apply existsb_exists in H as (p & I & C); apply N in I; unfold contradictory in C; destruct (constant p) as [k|] eqn:E;
     [apply (eval_constant r) in E; apply Z.ltb_lt in C; lia|discriminate]|].
  - discriminate.
  - destruct (cheapest _ _) as [m|]; [|discriminate].
    assert (A: nonpos r (apart m ps)) by (intros p I; apply filter_In in I as [I _]; auto).
    destruct (Nat.leb limit (cost m ps)); [eapply IH; eauto|].
    apply (IH _ H). intros p I. apply distinct_in in I. apply in_app_or in I as [I|I]; auto.
    apply filter_In in I as [I _]. apply in_flat_map in I as (u & U & I). apply in_map_iff in I as (l & <- & L).
    apply filter_In in U as [U U0]. apply filter_In in L as [L L0]. apply Z.ltb_lt in U0. apply Z.ltb_lt in L0.
    apply combine_ok; auto. Qed.
Definition stated (fs:list form) : list poly := flat_map inequalities fs ++ flat_map bounds (flat_map quotients_f fs).
Definition with_products (ps:list poly) : list poly := distinct (ps ++ flat_map (product_bounds ps) (map snd (concat ps))).
Definition rounds : nat := 40.
Definition large : nat := 200.
Definition linear (fs:list form) : bool := let ps := stated fs in
  if Nat.leb large (length (concat ps)) then false else contradiction rounds (with_products ps).
Lemma stated_ok r fs : holds r fs = true -> nonpos r (stated fs).
Proof. intros H q J. apply in_app_or in J as [J|J]; apply in_flat_map in J as (f & J & Q).
  - apply (inequalities_ok r f); auto. eapply holds_in; eauto.
  - eapply bounds_ok; eauto. Qed.
Lemma with_products_ok r ps : nonpos r ps -> nonpos r (with_products ps).
Proof. intros N p I. apply distinct_in in I. apply in_app_or in I as [I|I]; auto.
  apply in_flat_map in I as (m & _ & I). revert p I. apply product_bounds_ok; auto. Qed.
Lemma linear_ok r fs : linear fs = true -> holds r fs = true -> False.
Proof. unfold linear. cbv zeta. intros L H. destruct (Nat.leb large _); [discriminate L|].
  exact (contradiction_ok r rounds _ L (with_products_ok r _ (stated_ok r _ H))). Qed.

(* ---------- no solution *)
Fixpoint unsat (fuel splits:nat) (fs:list form) {struct fuel} : bool := match fuel with
  | O => false
  | S fuel =>
    let gs := clean fs in
    existsb is_false gs ||
    match first_some solve_form gs with
    | Some (x, d) => unsat fuel splits (map (substf (only x d)) gs)
    | None => linear gs || match splits with
      | O => false
      | S splits => match first_some condition_f gs with
        | Some p => unsat fuel splits (p :: map (assume_f p true) gs) && unsat fuel splits (Not p :: map (assume_f p false) gs)
        | None => match disjunction gs with
          | Some (g, h, rest) => unsat fuel splits (g :: rest) && unsat fuel splits (h :: rest)
          | None => false end end end end end.
Strategy 100 [unsat].
Theorem unsat_ok r fuel : forall splits fs, unsat fuel splits fs = true -> holds r fs = false.
Proof. induction fuel as [|fuel IH]; intros splits fs U; [discriminate|]. cbn [unsat] in U. rewrite <- holds_clean.
  set (gs := clean fs) in *. apply orb_prop in U as [U|U]; [apply false_holds; auto|].
  destruct (holds r gs) eqn:H; auto. exfalso.
  destruct (first_some solve_form gs) as [[x d]|] eqn:S.
  - apply first_some_in in S as (f & I & S). apply (solve_form_ok r) in S; [|eapply holds_in; eauto].
    apply IH in U. rewrite holds_subst in U by auto. congruence.
  - apply orb_prop in U as [U|U]; [eapply linear_ok; eauto|].
    destruct splits as [|splits]; [discriminate|]. destruct (first_some condition_f gs) as [p|].
    + apply andb_prop in U as [U1 U2]. apply IH in U1. apply IH in U2. rewrite holds_cons in U1, U2. cbn [truth] in U2.
      destruct (truth r p) eqn:T; cbn in U1, U2; rewrite holds_assume in * by auto; congruence.
    + destruct (disjunction gs) as [[[g h] rest]|] eqn:D; [|discriminate].
      apply andb_prop in U as [U1 U2]. apply IH in U1. apply IH in U2. rewrite holds_cons in U1, U2.
      rewrite (disjunction_ok r _ _ _ _ D) in H. apply andb_prop in H as [O R]. rewrite R, andb_true_r in U1, U2.
      rewrite U1, U2 in O. discriminate. Qed.

(* ---------- small valuations; what is not assigned is 1 *)
Definition valuation := list (nat * Z).
Definition env_of (a:valuation) : env := fun x => match find (fun t => Nat.eqb x (fst t)) a with Some (_, z) => z | None => 1 end.
Fixpoint variables (d:dim) : list nat := match d with
  | K _ => [] | V x => [x] | Bin _ a b => variables a ++ variables b | Ite f a b => variables_f f ++ variables a ++ variables b end
with variables_f f := match f with
  | B _ => [] | Cmp _ a b => variables a ++ variables b | Not g => variables_f g | Con _ g h => variables_f g ++ variables_f h end.
Fixpoint numbers_in (d:dim) : list Z := match d with
  | K k => [k] | V _ => [] | Bin _ a b => numbers_in a ++ numbers_in b | Ite f a b => numbers_f f ++ numbers_in a ++ numbers_in b end
with numbers_f f := match f with
  | B _ => [] | Cmp _ a b => numbers_in a ++ numbers_in b | Not g => numbers_f g | Con _ g h => numbers_f g ++ numbers_f h end.
(* the equations solved one after the other, the last one first, and what is left *)
Fixpoint solved (fuel:nat) (fs:list form) (done:list (nat * dim)) : list (nat * dim) * list form := match fuel with
  | O => (done, fs)
  | S fuel => let gs := clean fs in match first_some solve_form gs with
      | Some (x, d) => solved fuel (map (substf (only x d)) gs) ((x, d) :: done)
      | None => (done, gs) end end.
(* each form is tested as soon as its variables are assigned *)
Fixpoint levels (xs:list nat) (fs:list form) : list (nat * list form) := match xs with
  | [] => []
  | x :: xs => let now f := forallb (fun y => negb (existsb (Nat.eqb y) xs)) (variables_f f) in
      (x, filter now fs) :: levels xs (filter (fun f => negb (now f)) fs) end.
Fixpoint search (ls:list (nat * list form)) (zs:list Z) (a:valuation) : option valuation := match ls with
  | [] => Some a
  | (x, fs) :: ls => first_some (fun z => let a' := (x, z) :: a in if holds (env_of a') fs then search ls zs a' else None) zs end.
Definition up_to (n:nat) : list Z := map Z.of_nat (seq 1 n) ++ [0].
Definition tried (xs:list nat) (fs:list form) : list Z :=
  let near := nodup Z.eq_dec (flat_map (fun k => [k; k + 1; k - 1; - k]) (flat_map numbers_f fs)) in
  let few := match length xs with 0 | 1 => 130 | 2 => 40 | 3 => 12 | 4 => 6 | 5 | 6 => 4 | _ => 3 end%nat in
  let far := filter (fun z => negb (existsb (Z.eqb z) (up_to few))) near in
  up_to few ++ firstn (if Nat.leb (length xs) 2 then 40 else 12 - length xs) far.
Definition model (fs:list form) : option valuation :=
  let (done, gs) := solved 40 fs [] in
  let xs := nodup Nat.eq_dec (flat_map variables_f gs) in
  match search (levels xs gs) (tried xs (gs ++ fs)) [] with
  | None => None
  | Some a => let a := fold_left (fun a e => (fst e, eval (env_of a) (snd e)) :: a) done a in
      if holds (env_of a) fs then Some a else None end.
Theorem model_ok fs a : model fs = Some a -> holds (env_of a) fs = true.
Proof. unfold model. destruct (solved 40 fs []) as [done gs]. destruct (search _ _ _) as [b|]; [|discriminate].
  destruct (holds _ fs) eqn:H; [|discriminate]. intros E. inversion E; subst. auto. Qed.

(* ---------- the answers [dim.decide] *)
Inductive answer := Proved | Refuted | Open (holding failing : option valuation).
Definition steps : nat := 60.
Definition case_splits : nat := 7.
Definition impossible (fs:list form) : bool := unsat steps case_splits fs.
Definition decide (facts:list form) (goal:form) : answer := match simplify goal with
  | B true => Proved
  | B false => Refuted
  | _ => if impossible (goal :: facts) then Refuted
      else if impossible (Not goal :: facts) then Proved
      else Open (model (goal :: facts)) (model (Not goal :: facts)) end.
Lemma impossible_ok fs : impossible fs = true -> forall r, holds r fs = false.
Proof. intros H r. exact (unsat_ok r steps case_splits fs H). Qed.
Strategy 100 [impossible model].
Lemma decide_cases facts goal : match decide facts goal with
  | Proved => simplify goal = B true \/ impossible (Not goal :: facts) = true
  | Refuted => simplify goal = B false \/ impossible (goal :: facts) = true
  | Open h f => h = model (goal :: facts) /\ f = model (Not goal :: facts) end.
Proof. unfold decide. destruct (simplify goal) as [[|]| | |]; auto;
  destruct (impossible (goal :: facts)); auto; destruct (impossible (Not goal :: facts)); auto. Qed.
Theorem proved_valid facts goal : decide facts goal = Proved -> forall r, holds r facts = true -> truth r goal = true.
Proof. intros D r H. pose proof (decide_cases facts goal) as C. rewrite D in C. destruct C as [C|C]; [apply proved_by_form; auto|].
  apply impossible_ok with (r:=r) in C. rewrite holds_cons, H, andb_true_r in C. apply negb_false_iff. exact C. Qed.
Theorem refuted_fails facts goal : decide facts goal = Refuted -> forall r, holds r facts = true -> truth r goal = false.
Proof. intros D r H. pose proof (decide_cases facts goal) as C. rewrite D in C. destruct C as [C|C]; [apply refuted_by_form; auto|].
  apply impossible_ok with (r:=r) in C. rewrite holds_cons, H, andb_true_r in C. exact C. Qed.
Theorem failing_fails facts goal h a : decide facts goal = Open h (Some a) ->
  holds (env_of a) facts = true /\ truth (env_of a) goal = false.
Proof. intros D. pose proof (decide_cases facts goal) as C. rewrite D in C. destruct C as [_ F]. symmetry in F. apply model_ok in F.
  rewrite holds_cons in F. apply andb_prop in F as [T H]. split; auto. apply negb_true_iff. exact T. Qed.
Theorem holding_holds facts goal a f : decide facts goal = Open (Some a) f ->
  holds (env_of a) facts = true /\ truth (env_of a) goal = true.
Proof. intros D. pose proof (decide_cases facts goal) as C. rewrite D in C. destruct C as [F _]. symmetry in F. apply model_ok in F.
  rewrite holds_cons in F. apply andb_prop in F as [T H]. auto. Qed.

(* ---------- what is decided: equalities, orders, quotients and divisibility, with facts and without *)
Definition divides (k:Z) (d:dim) : form := Cmp Equal (Bin Mod d (K k)) (K 0).
Example multiples : decide [divides 8 (V 0)] (divides 4 (V 0)) = Proved.
Proof. vm_compute. reflexivity. Qed.
Example halves : decide [] (Cmp Equal (Bin Add (Bin Div (Bin Add (V 0) (K 1)) (K 2)) (Bin Div (V 0) (K 2))) (V 0)) = Proved.
Proof. vm_compute. reflexivity. Qed.
Example chain : decide [Cmp AtMost (V 0) (V 1); Cmp AtMost (V 1) (V 2)] (Cmp AtMost (V 0) (V 2)) = Proved.
Proof. vm_compute. reflexivity. Qed.
Example parity : decide [divides 2 (V 0)] (Cmp Equal (V 0) (K 7)) = Refuted.
Proof. vm_compute. reflexivity. Qed.
Example sometimes : exists h, decide [] (Cmp Equal (V 0) (K 3)) = Open h (Some [(0%nat, 1)]).
Proof. eexists. vm_compute. reflexivity. Qed.
