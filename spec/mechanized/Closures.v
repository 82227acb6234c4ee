(* Functions as values, cast to other function types: proxies, their composition, and whom they blame.

   A small language of closures over shapes, with recursion and fuel.  Casting a function wraps it in a proxy; the machine
   that composes the coercions of a proxy with those of the next ends as the machine that nests proxies, label for label
   ([composed_correct]).  A cast between types has two labels, for the value and for its user; towards a less precise
   type the value is never blamed, towards a more precise one the user never is ([polarity], [blame_safety]). *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Coerce.
Import ListNotations.
Open Scope Z_scope.

(* ---------- coercions without their types; two are alike if they are of one type's form *)
Inductive coe := CShape (c:tco) | CFun (c d:coe).
Fixpoint alike (c d:coe) : bool := match c,d with
  | CShape _, CShape _ => true | CFun a b, CFun a' b' => alike a a' && alike b b' | _, _ => false end.
(* [both false c d] is d after c, [both true c d] is c after d: arguments are coerced the other way round *)
Fixpoint both (flip:bool) (c d:coe) : coe := match c,d with
  | CShape a, CShape b => CShape (if flip then tcomp b a else tcomp a b)
  | CFun a b, CFun a' b' => CFun (both (negb flip) a a') (both flip b b')
  | _, _ => c end.
Definition compose (c d:coe) : coe := both false c d.
Lemma alike_sym c : forall d, alike c d = alike d c.
Proof. induction c as [a|a IHa b IHb]; intros [a'|a' b']; cbn; auto. rewrite IHa, IHb; auto. Qed.
Lemma alike_trans c : forall d e, alike c d = true -> alike d e = alike c e.
Proof. induction c as [a|a IHa b IHb]; intros [a'|a' b'] [a''|a'' b'']; cbn; try discriminate; auto.
  intros H. apply andb_prop in H as [A B]. rewrite (IHa _ _ A), (IHb _ _ B); auto. Qed.
Lemma alike_l a b z : alike a b = true -> alike a z = alike b z.
Proof. intros H. symmetry. apply alike_trans; auto. Qed.
Lemma both_flip c : forall d f, alike c d = true -> both f c d = both (negb f) d c.
Proof. induction c as [a|a IHa b IHb]; intros [a'|a' b'] f H; cbn in *; try discriminate; [destruct f; auto|].
  apply andb_prop in H as [A B]. rewrite (IHa _ _ A), (IHb _ _ B). auto. Qed.
Lemma compose_fun a b a' b' : alike a a' = true -> compose (CFun a b) (CFun a' b') = CFun (compose a' a) (compose b b').
Proof. intros A. unfold compose. cbn. rewrite (both_flip a a' true A). auto. Qed.
Lemma both_alike c : forall d f, alike (both f c d) c = true.
Proof. induction c as [a|a IHa b IHb]; intros [a'|a' b'] f; cbn; auto; rewrite ?IHa, ?IHb; auto.
  assert (R: forall x, alike x x = true) by (induction x as [|x X y Y]; cbn; auto; rewrite X, Y; auto). rewrite !R; auto. Qed.
Lemma compose_l a b z : alike (compose a b) z = alike a z.
Proof. apply alike_l, both_alike. Qed.
Lemma both_assoc c : forall d e f, alike c d = true -> alike d e = true -> both f (both f c d) e = both f c (both f d e).
Proof. induction c as [a|a IHa b IHb]; intros [a'|a' b'] [a''|a'' b''] f H H'; cbn in *; try discriminate.
  - destruct f; rewrite tcomp_assoc; auto.
  - apply andb_prop in H as [A B], H' as [A' B']. rewrite IHa, IHb; auto. Qed.
Lemma compose_assoc c d e : alike c d = true -> alike d e = true -> compose (compose c d) e = compose c (compose d e).
Proof. apply both_assoc. Qed.

(* the coercions of Coerce.v, without their types: their composition is this one, so its size is bounded by the type *)
Fixpoint erase {t} (c:co t) : coe := match c with CT _ c => CShape c | CF _ _ c d => CFun (erase c) (erase d) end.
Fixpoint length_of (c:coe) : nat := match c with CShape c => S (length (cs c)) | CFun c d => S (length_of c + length_of d) end.
Lemma erase_alike t : forall c d:co t, alike (erase c) (erase d) = true.
Proof. induction t as [r|a IHa b IHb]; intros c d; [rewrite (etaT _ c), (etaT _ d)|rewrite (etaF _ _ c), (etaF _ _ d)]; cbn; auto.
  rewrite IHa, IHb; auto. Qed.
Theorem erase_comp t : forall c d:co t, erase (comp t c d) = compose (erase c) (erase d).
Proof. induction t as [r|a IHa b IHb]; intros c d; [rewrite (etaT _ c), (etaT _ d); auto|]. rewrite (etaF _ _ c), (etaF _ _ d).
  cbn [erase]. rewrite compose_fun by apply erase_alike. cbn. rewrite IHa, IHb. auto. Qed.
Theorem compose_bound t (c d:co t) : wfc c -> wfc d -> (length_of (compose (erase c) (erase d)) <= bound t)%nat.
Proof. intros C D. rewrite <- erase_comp. pose proof (wf_bound t _ (comp_wf t c d C D)) as W.
  replace (length_of (erase (comp t c d))) with (size (comp t c d)); auto. clear. generalize (comp t c d). clear.
  intros c. induction c; cbn; auto. Qed.

(* ---------- expressions: variables count binders outwards; a function's body sees its argument and itself *)
Inductive exp :=
| Var (x:nat) | Lit (s:shape) | Lam (b:exp) | App (e1 e2:exp) | Cast (c:coe) (e:exp)
| Prim (pre:shape -> shape -> bool) (out:shape -> shape -> shape) (l:nat) (e1 e2:exp)
| Test (p:shape -> bool) (e e1 e2:exp).
Inductive val := VT (s:shape) | VC (rho:list val) (b:exp) | VP (v:val) (c d:coe).
Inductive out := Done (v:val) | Blames (l:nat) | Timeout | Stuck.
Definition thn (x:out) (f:val -> out) : out := match x with Done v => f v | o => o end.
Definition shaped (x:res shape) : out := match x with OK s => Done (VT s) | Blame l => Blames l end.

(* nesting proxies, and composing them *)
Definition nest (c:coe) (v:val) : out := match c,v with
  | CShape c, VT s => shaped (tapply c s)
  | CFun c d, VC _ _ => Done (VP v c d)
  | CFun c d, VP _ _ _ => Done (VP v c d)
  | _, _ => Stuck end.
Definition merge (c:coe) (v:val) : out := match c,v with
  | CShape c, VT s => shaped (tapply c s)
  | CFun c d, VC _ _ => Done (VP v c d)
  | CFun c d, VP u c0 d0 => if alike c c0 && alike d0 d then Done (VP u (compose c c0) (compose d0 d)) else Done (VP v c d)
  | _, _ => Stuck end.

Section Machine.
Variable cast : coe -> val -> out.
Fixpoint app (ev:list val -> exp -> out) (v x:val) : out := match v with
  | VT _ => Stuck
  | VC rho b => ev (x :: v :: rho) b
  | VP v c d => thn (cast c x) (fun x => thn (app ev v x) (cast d)) end.
Fixpoint step (ev:list val -> exp -> out) (rho:list val) (e:exp) : out := match e with
  | Var x => match nth_error rho x with Some v => Done v | None => Stuck end
  | Lit s => Done (VT s)
  | Lam b => Done (VC rho b)
  | App e1 e2 => thn (step ev rho e1) (fun f => thn (step ev rho e2) (app ev f))
  | Cast c e => thn (step ev rho e) (cast c)
  | Prim pre out l e1 e2 => thn (step ev rho e1) (fun v => thn (step ev rho e2) (fun u => match v,u with
      | VT s, VT t => if pre s t then Done (VT (out s t)) else Blames l | _,_ => Stuck end))
  | Test p e e1 e2 => thn (step ev rho e) (fun v => match v with
      | VT s => if p s then step ev rho e1 else step ev rho e2 | _ => Stuck end) end.
Fixpoint eval (n:nat) (rho:list val) (e:exp) : out := match n with O => Timeout | S n => step (eval n) rho e end.
End Machine.

(* ---------- the two machines agree *)
Inductive rel : val -> val -> Prop :=
| R_shape s : rel (VT s) (VT s)
| R_closure rho rho' b : Forall2 rel rho rho' -> rel (VC rho b) (VC rho' b)
| R_nested v v' c d : rel v v' -> rel (VP v c d) (VP v' c d)
| R_merged v u c0 d0 c d : rel v (VP u c0 d0) -> alike c c0 = true -> alike d0 d = true ->
    rel (VP v c d) (VP u (compose c c0) (compose d0 d)).
Inductive orel : out -> out -> Prop :=
| O_done v v' : rel v v' -> orel (Done v) (Done v')
| O_blame l : orel (Blames l) (Blames l) | O_time : orel Timeout Timeout | O_stuck : orel Stuck Stuck.
Lemma orel_thn x x' f f' : orel x x' -> (forall v v', rel v v' -> orel (f v) (f' v')) -> orel (thn x f) (thn x' f').
Proof. intros [v v' R|l| |] F; cbn; auto; constructor. Qed.
Lemma thn_assoc x f g : thn (thn x f) g = thn x (fun v => thn (f v) g).
Proof. destruct x; auto. Qed.
Lemma cast_rel c v v' : rel v v' -> orel (nest c v) (merge c v').
Proof. intros R. destruct c as [c|c d].
  - inversion R; subst; cbn; try constructor. destruct (tapply c s); repeat constructor.
  - destruct v' as [s|rho b|u c0 d0]; inversion R; subst; cbn; try (constructor; constructor; auto; fail).
    all: destruct (alike c c0 && alike d0 d) eqn:A || destruct (alike c _ && alike _ d) eqn:A;
      [apply andb_prop in A as [A B]; constructor; apply R_merged; auto|constructor; apply R_nested; auto]. Qed.
Lemma merge_compose c k x : alike c k = true -> merge (compose c k) x = thn (merge c x) (merge k).
Proof. destruct c as [a|a b], k as [a'|a' b']; try discriminate; intros A.
  - cbn. destruct x; auto. rewrite tcomp_correct. destruct (tapply a s); auto.
  - cbn in A. apply andb_prop in A as [A B]. rewrite (compose_fun _ _ _ _ A).
    assert (A': alike a' a = true) by (rewrite alike_sym; auto).
    destruct x as [s|rho e|u p q]; auto; [cbn [merge thn]; rewrite A', B; auto|].
    cbn [merge]. rewrite compose_l, (alike_l a' a p A'), (alike_sym q (compose b b')), compose_l, (alike_sym b q).
    destruct (alike a p && alike q b) eqn:M; cbn [thn merge]; [|rewrite A', B; auto].
    apply andb_prop in M as [M1 M2]. rewrite (alike_sym a' (compose a p)), !compose_l, A, (alike_l q b b' M2), B. cbn [andb].
    rewrite (compose_assoc a' a p), (compose_assoc q b b'); auto. Qed.
Lemma app_rel n : (forall rho rho' e, Forall2 rel rho rho' -> orel (eval nest n rho e) (eval merge n rho' e)) ->
  forall f f', rel f f' -> forall x x', rel x x' -> orel (app nest (eval nest n) f x) (app merge (eval merge n) f' x').
Proof. intros EV f f' R. induction R as [s|rho rho' b F|v v' c d R IH|v u c0 d0 c d R IH C D]; intros x x' X; cbn [app].
  - constructor.
  - apply EV. constructor; auto. constructor; auto. constructor; auto.
  - apply orel_thn; [apply cast_rel; auto|]. intros y y' Y. apply orel_thn; auto. intros z z' Z. apply cast_rel; auto.
  - rewrite merge_compose by auto. rewrite thn_assoc. apply orel_thn; [apply cast_rel; auto|]. intros y y' Y.
    specialize (IH y y' Y). cbn [app] in IH.
    assert (E: forall o f, (forall v, f v = thn (merge d0 v) (merge d)) -> thn o f = thn (thn o (merge d0)) (merge d)) by (intros o g G; destruct o; cbn; auto).
    replace (thn (merge c0 y') (fun x => thn (app merge (eval merge n) u x) (merge (compose d0 d))))
      with (thn (thn (merge c0 y') (fun x => thn (app merge (eval merge n) u x) (merge d0))) (merge d)).
    + apply orel_thn; auto. intros z z' Z. apply cast_rel; auto.
    + rewrite thn_assoc. destruct (merge c0 y'); cbn; auto. rewrite thn_assoc. destruct (app merge (eval merge n) u v0); cbn; auto.
      rewrite merge_compose; auto. Qed.
Theorem composed_correct n : forall rho rho' e, Forall2 rel rho rho' -> orel (eval nest n rho e) (eval merge n rho' e).
Proof. induction n as [|n IH]; intros rho rho' e R; [constructor|]. cbn [eval]. revert rho rho' R.
  induction e as [x|s|b|e1 IH1 e2 IH2|c e IHe|pre out l e1 IH1 e2 IH2|p e IHe e1 IH1 e2 IH2]; intros rho rho' R; cbn [step].
  - revert x. induction R as [|v v' rho rho' V R IHR]; intros [|x]; cbn; try constructor; auto.
  - repeat constructor.
  - constructor. constructor; auto.
  - apply orel_thn; auto. intros f f' F. apply orel_thn; auto. intros x x' X. apply app_rel; auto.
  - apply orel_thn; auto. intros v v' V. apply cast_rel; auto.
  - apply orel_thn; auto. intros v v' V. apply orel_thn; auto. intros u u' U.
    destruct V, U; try constructor. destruct (pre s s0); repeat constructor.
  - apply orel_thn; auto. intros v v' V. destruct V; try constructor. destruct (p s); auto. Qed.
Corollary composed_shape n e s : eval nest n [] e = Done (VT s) <-> eval merge n [] e = Done (VT s).
Proof. pose proof (composed_correct n [] [] e (Forall2_nil _)) as O. split; intros H; rewrite H in O; inversion O as [v v' R| | |]; subst; inversion R; auto. Qed.
Corollary composed_blame n e l : eval nest n [] e = Blames l <-> eval merge n [] e = Blames l.
Proof. pose proof (composed_correct n [] [] e (Forall2_nil _)) as O. split; intros H; rewrite H in O; inversion O; auto. Qed.
(* a proxy is composed with, not wrapped, where the coercions are of one type's form *)
Lemma never_nested c d u c0 d0 : alike c c0 = true -> alike d0 d = true ->
  merge (CFun c d) (VP u c0 d0) = Done (VP u (compose c c0) (compose d0 d)).
Proof. intros C D. cbn. rewrite C, D. auto. Qed.

(* ---------- casts between types: one label for the value, one for its user *)
Inductive gty := GShape (ds:list (option Z)) | GFun (a b:gty).
Fixpoint demands (p i:nat) (from to:list (option Z)) : list chk := match from,to with
  | x::from, Some k::to => match x with
      | Some z => if k =? z then demands p (S i) from to else (i,k,p) :: demands p (S i) from to
      | None => (i,k,p) :: demands p (S i) from to end
  | _::from, None::to => demands p (S i) from to
  | _, _ => [] end.
(* [cast_of false p n a b] casts from a to b; [cast_of true p n a b] from b to a *)
Fixpoint cast_of (flip:bool) (p n:nat) (a b:gty) : coe := match a,b with
  | GShape x, GShape y => CShape {| cs := if flip then demands p 0 y x else demands p 0 x y; fl := None |}
  | GFun x u, GFun y v => CFun (cast_of (negb flip) n p x y) (cast_of flip p n u v)
  | _, _ => CShape {| cs := []; fl := None |} end.
Definition cast_to (p n:nat) (a b:gty) (e:exp) : exp := Cast (cast_of false p n a b) e.
(* the same type, or less is known of it; covariant everywhere [type.precision] *)
Inductive gprec : gty -> gty -> Prop :=
| GP_shape x y : Forall2 (fun s t => t = None \/ s = t) x y -> gprec (GShape x) (GShape y)
| GP_fun a a' b b' : gprec a a' -> gprec b b' -> gprec (GFun a b) (GFun a' b').
Definition tlabels (c:tco) : list nat := map snd (cs c) ++ match fl c with Some l => [l] | None => [] end.
Fixpoint labels (c:coe) : list nat := match c with CShape c => tlabels c | CFun c d => labels c ++ labels d end.
Lemma demands_label p x : forall y i l, In l (map snd (demands p i x y)) -> l = p.
Proof. induction x as [|s x IH]; intros [|[k|] y] i l; cbn; try contradiction; auto; [|apply IH].
  destruct s as [z|]; [destruct (k =? z)|]; cbn; intros [H|H] || intros H; eauto. Qed.
Lemma demands_none p x y : Forall2 (fun s t => t = None \/ s = t) x y -> forall i, demands p i x y = [].
Proof. induction 1 as [|s t x y H F IH]; intros i; auto. destruct t as [k|]; cbn; [|apply IH].
  destruct H as [H|H]; [discriminate|subst]. rewrite Z.eqb_refl. apply IH. Qed.
Theorem polarity a b : gprec a b -> forall p n, (forall l, In l (labels (cast_of false p n a b)) -> l = n) /\
  (forall l, In l (labels (cast_of true p n a b)) -> l = p).
Proof. induction 1 as [x y F|a a' b b' A IHA B IHB]; intros p n; cbn.
  - unfold tlabels. cbn. rewrite (demands_none p x y F), !app_nil_r. split; [contradiction|intros l; apply demands_label].
  - destruct (IHA n p) as [A1 A2], (IHB p n) as [B1 B2]. split; intros l I; apply in_app_or in I as [I|I]; auto. Qed.

(* ---------- whoever is blamed has a label in the program *)
Section Blamed.
Variable L : nat -> Prop.
Definition okC c := forall l, In l (labels c) -> L l.
Fixpoint okE (e:exp) : Prop := match e with
  | Var _ => True | Lit _ => True | Lam b => okE b | App e1 e2 => okE e1 /\ okE e2 | Cast c e => okC c /\ okE e
  | Prim _ _ l e1 e2 => L l /\ okE e1 /\ okE e2 | Test _ e e1 e2 => okE e /\ okE e1 /\ okE e2 end.
Inductive okV : val -> Prop :=
| V_shape s : okV (VT s) | V_closure rho b : Forall okV rho -> okE b -> okV (VC rho b)
| V_proxy v c d : okV v -> okC c -> okC d -> okV (VP v c d).
Definition okO (o:out) : Prop := match o with Done v => okV v | Blames l => L l | _ => True end.
Lemma okO_thn x f : okO x -> (forall v, okV v -> okO (f v)) -> okO (thn x f).
Proof. destruct x; cbn; auto. Qed.
Lemma test_label c s l : test c s = Blame l -> In l (map snd c).
Proof. induction c as [|[[i k] m] c IH]; cbn; [discriminate|]. destruct (nth i s 0 =? k); auto. intros H; inversion H; auto. Qed.
Lemma nest_ok c v : okC c -> okV v -> okO (nest c v).
Proof. intros C V. destruct c as [c|c d].
  - destruct V as [s| |]; cbn; auto. destruct (tapply c s) as [|l] eqn:T; cbn; [constructor|]. apply C. unfold tapply in T. cbn. unfold tlabels.
    apply in_or_app. destruct (test (cs c) s) as [z|m] eqn:E; cbn in T.
    + right. destruct (fl c); inversion T; cbn; auto.
    + left. inversion T; subst. eapply test_label; eauto.
  - assert (okC c /\ okC d) as [C1 C2] by (split; intros l I; apply C; cbn; apply in_or_app; auto).
    destruct V; cbn; auto; constructor; auto; constructor; auto. Qed.
Lemma app_ok ev f : (forall rho e, Forall okV rho -> okE e -> okO (ev rho e)) -> okV f -> forall x, okV x -> okO (app nest ev f x).
Proof. intros EV F. induction F as [s|rho b FR OB|v c d V IH C D]; intros x X; cbn [app]; [exact I|apply EV; auto; constructor; auto; constructor; auto; constructor; auto|].
  apply okO_thn; [apply nest_ok; auto|]. intros y Y. apply okO_thn; auto. intros z Z0. apply nest_ok; auto. Qed.
Lemma eval_ok n : forall rho e, Forall okV rho -> okE e -> okO (eval nest n rho e).
Proof. induction n as [|n IH]; intros rho e R E; [exact I|]. cbn [eval]. revert rho R E.
  induction e as [x|s|b|e1 IH1 e2 IH2|c e IHe|pre out l e1 IH1 e2 IH2|p e IHe e1 IH1 e2 IH2]; intros rho R E; cbn [step].
  - destruct (nth_error rho x) eqn:N; cbn; auto. rewrite Forall_forall in R. eauto using nth_error_In.
  - constructor. - constructor; auto.
  - destruct E. apply okO_thn; auto. intros f F. apply okO_thn; auto. intros x X. apply app_ok; auto.
  - destruct E. apply okO_thn; auto. intros v V. apply nest_ok; auto.
  - destruct E as (EL & E1 & E2). apply okO_thn; auto. intros v V. apply okO_thn; auto. intros u U. destruct V, U; cbn; auto.
    destruct (pre s s0); cbn; auto. constructor.
  - destruct E as (E0 & E1 & E2). apply okO_thn; auto. intros v V. destruct V; cbn; auto. destruct (p s); auto. Qed.
Theorem blamed_label n e l : okE e -> eval nest n [] e = Blames l -> L l.
Proof. intros E H. pose proof (eval_ok n [] e (Forall_nil _) E) as O. rewrite H in O. exact O. Qed.
End Blamed.
Lemma cast_of_flip a : forall b f p n, cast_of f p n a b = cast_of (negb f) p n b a.
Proof. induction a as [x|x IHx u IHu]; intros [y|y v] f p n; cbn; auto; [destruct f; auto|]. rewrite IHx, IHu. auto. Qed.
(* every cast of the program that has the label p either has it for its value, and goes to a less precise type, or has it
   for its user, and goes to a more precise one *)
Definition harmless p c := ~ In p (labels c) \/ (exists n a b, n <> p /\ gprec a b /\ c = cast_of false p n a b) \/
  (exists n a b, n <> p /\ gprec b a /\ c = cast_of false n p a b).
Fixpoint harmless_in p (e:exp) : Prop := match e with
  | Var _ => True | Lit _ => True | Lam b => harmless_in p b | App e1 e2 => harmless_in p e1 /\ harmless_in p e2
  | Cast c e => harmless p c /\ harmless_in p e
  | Prim _ _ l e1 e2 => l <> p /\ harmless_in p e1 /\ harmless_in p e2
  | Test _ e e1 e2 => harmless_in p e /\ harmless_in p e1 /\ harmless_in p e2 end.
Lemma harmless_ok p c : harmless p c -> okC (fun l => l <> p) c.
Proof. intros [N|[(n & a & b & N & P & ->)|(n & a & b & N & P & ->)]] l I E; subst l.
  - contradiction.
  - apply (polarity _ _ P p n) in I. congruence.
  - rewrite cast_of_flip in I. apply (polarity _ _ P n p) in I. congruence. Qed.
Theorem blame_safety p e k : harmless_in p e -> eval nest k [] e <> Blames p /\ eval merge k [] e <> Blames p.
Proof. intros H. assert (O: okE (fun l => l <> p) e) by (induction e; cbn in *; intuition; apply harmless_ok; auto).
  assert (B: eval nest k [] e <> Blames p) by (intros X; apply (blamed_label (fun l => l <> p)) in X; auto).
  split; auto. intros X. apply B, composed_blame, X. Qed.

(* ---------- @id4 : fn(Tensor[(4,)]) -> Tensor[(4,)], used as a function of any vector: its user is blamed, never it *)
Definition id4 := Cast (cast_of false 1 2 (GFun (GShape [None]) (GShape [None])) (GFun (GShape [Some 4]) (GShape [Some 4]))) (Lam (Var 0)).
Definition any4 := cast_to 3 4 (GFun (GShape [Some 4]) (GShape [Some 4])) (GFun (GShape [None]) (GShape [None])) id4.
Example user_blamed : eval merge 9 [] (App any4 (Lit [5])) = Blames 4 /\ eval merge 9 [] (App any4 (Lit [4])) = Done (VT [4]).
Proof. split; reflexivity. Qed.
Example value_safe k x : harmless_in 3 x -> eval merge k [] (App any4 x) <> Blames 3.
Proof. intros X. apply blame_safety. cbn. split; auto. split; [|split; auto].
  - right; left. exists 4%nat, (GFun (GShape [Some 4]) (GShape [Some 4])), (GFun (GShape [None]) (GShape [None])).
    split; [discriminate|split; auto]. repeat constructor; auto.
  - left. cbn. intuition discriminate. Qed.
(* a loop that casts its function at each turn carries one proxy: f, n -> if n = 0 then f else loop (f as the same type), n - 1 *)
Definition loop (c:coe) : exp := Lam (Lam (Test (fun s => nth 0 s 0 =? 0) (Var 0) (Var 2)
  (App (App (Var 3) (Cast c (Var 2))) (Prim (fun _ _ => true) (fun s _ => [nth 0 s 0 - 1]) 9 (Var 0) (Var 0))))).
Fixpoint depth (v:val) : nat := match v with VP v _ _ => S (depth v) | _ => 0 end.
Definition after (cast:coe -> val -> out) (turns:Z) : nat :=
  let c := cast_of false 5 6 (GFun (GShape [None]) (GShape [None])) (GFun (GShape [Some 4]) (GShape [None])) in
  match eval cast 99 [] (App (App (loop c) (Lam (Var 0))) (Lit [turns])) with Done v => depth v | _ => 99 end.
Example one_proxy : after merge 20 = 1%nat /\ after nest 20 = 20%nat.
Proof. split; reflexivity. Qed.
