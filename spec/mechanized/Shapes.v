(* Sizes as functions of an environment, ghosts, and annotations: what every chapter builds on.

   An environment gives a number to each name: the rigid names of a definition come first, then its ghosts, in the order
   in which the checker introduces them.  Dims and constraints are embedded as functions of an environment, so that a
   statement about them is one about their meaning [dim.meaning]; Dims.v says which terms have such meanings. *)
From Coq Require Import ZArith List Lia Bool Arith.
Import ListNotations.
Open Scope Z_scope.

Definition env := nat -> Z.
Definition sdim := env -> Z.
Definition spred := env -> bool.
Definition shape := list Z.
Definition ev (r:env) (s:list sdim) : shape := map (fun d => d r) s.
Definition models (r:env) (F:list spred) := forall p, In p F -> p r = true.

(* ---------- variables are positions in a context *)
Fixpoint lookups {A} (G:list A) (xs:list nat) : option (list A) :=
  match xs with [] => Some [] | x::xs => match nth_error G x, lookups G xs with Some a, Some b => Some (a::b) | _,_ => None end end.
Lemma lookups_map {A B} (f:A->B) G xs ins : lookups G xs = Some ins -> lookups (map f G) xs = Some (map f ins).
Proof. revert ins; induction xs as [|x xs IH]; cbn; intros ins H; [inversion H; auto|].
  destruct (nth_error G x) eqn:E; try discriminate. destruct (lookups G xs) eqn:E2; try discriminate.
  inversion H; subst. rewrite (map_nth_error f _ _ E), (IH _ eq_refl). auto. Qed.
Lemma lookups_In {A} (G:list A) xs ins a : lookups G xs = Some ins -> In a ins -> In a G.
Proof. revert ins; induction xs as [|x xs IH]; cbn; intros ins H I; [inversion H; subst; destruct I|].
  destruct (nth_error G x) eqn:E; try discriminate. destruct (lookups G xs) eqn:E2; try discriminate.
  inversion H; subst. destruct I as [->|I]; eauto using nth_error_In. Qed.

(* ---------- support: nothing mentions a ghost that is not yet introduced *)
Definition below (g:nat) (r r':env) := forall n, (n < g)%nat -> r n = r' n.
Definition supp {A} (g:nat) (f:env -> A) := forall r r', below g r r' -> f r = f r'.
Definition suppF g (F:list spred) := forall p, In p F -> supp g p.
Definition suppG g (G:list (list sdim)) := forall T, In T G -> forall d, In d T -> supp g d.
Lemma below_le g g' r r' : (g <= g')%nat -> below g' r r' -> below g r r'.
Proof. unfold below; intros; apply H0; lia. Qed.
Lemma supp_le {A} g g' (f:env->A) : (g <= g')%nat -> supp g f -> supp g' f.
Proof. unfold supp; eauto using below_le. Qed.
Lemma suppF_le g g' F : (g <= g')%nat -> suppF g F -> suppF g' F.
Proof. unfold suppF; eauto using supp_le. Qed.
Lemma suppG_le g g' G : (g <= g')%nat -> suppG g G -> suppG g' G.
Proof. unfold suppG; eauto using supp_le. Qed.
Lemma supp_ev g T r r' : (forall d, In d T -> supp g d) -> below g r r' -> ev r T = ev r' T.
Proof. unfold ev; intros H B; apply map_ext_in; intros; apply H; auto. Qed.
Lemma supp_evs g G r r' : suppG g G -> below g r r' -> map (ev r) G = map (ev r') G.
Proof. intros; apply map_ext_in; intros; eapply supp_ev; eauto. Qed.
Lemma models_below g F r r' : suppF g F -> below g r r' -> models r F -> models r' F.
Proof. unfold models; intros S B M p I. rewrite <- (S p I r r'); auto. Qed.
Lemma suppG_snoc g g' G T : (g <= g')%nat -> suppG g G -> (forall d, In d T -> supp g' d) -> suppG g' (G ++ [T]).
Proof. intros L S ST U I. apply in_app_or in I as [I|[<-|[]]]; auto. intros; eapply supp_le; eauto. Qed.
Lemma suppF_cons g p F : supp g p -> suppF g F -> suppF g (p::F).
Proof. intros A B q [<-|I]; auto. Qed.
Lemma suppF_app g F F' : suppF g F -> suppF g F' -> suppF g (F ++ F').
Proof. intros A B q I. apply in_app_or in I as [I|I]; auto. Qed.

(* ---------- ghosts and their witnesses: from [g] on, the numbers that a value has shown [dim.witness] *)
Fixpoint upds (r:env) (g:nat) (us:list Z) : env := match us with [] => r
  | u::us => upds (fun n => if Nat.eqb n g then u else r n) (S g) us end.
Definition ghosts (g n:nat) : list sdim := map (fun i => fun r:env => r i) (seq g n).
Lemma upds_lo us : forall r g n, (n < g)%nat -> upds r g us n = r n.
Proof. induction us as [|u us IH]; cbn; intros; auto. rewrite IH by lia. destruct (Nat.eqb_spec n g); try lia; auto. Qed.
Lemma upds_hit us : forall r g i, (i < length us)%nat -> upds r g us (g+i)%nat = nth i us 0.
Proof. induction us as [|u us IH]; cbn; intros r g i H; [lia|]. destruct i.
  - rewrite upds_lo by lia. rewrite Nat.add_0_r, Nat.eqb_refl. auto.
  - replace (g + S i)%nat with (S g + i)%nat by lia. apply IH. lia. Qed.
Lemma below_upds r g us : below g r (upds r g us).
Proof. unfold below; intros; rewrite upds_lo; auto. Qed.
Lemma ev_ghosts us : forall r g, ev (upds r g us) (ghosts g (length us)) = us.
Proof. induction us as [|u us IH]; intros r g; auto. cbn. f_equal.
  - rewrite upds_lo by lia. rewrite Nat.eqb_refl; auto.
  - apply (IH _ (S g)). Qed.
Lemma supp_ghosts g n d : In d (ghosts g n) -> supp (g+n) d.
Proof. unfold ghosts. rewrite in_map_iff. intros (i & <- & I) r r' B. apply in_seq in I. apply B. lia. Qed.
Lemma map_len_ev r (ins:list (list sdim)) : map (@length Z) (map (ev r) ins) = map (@length sdim) ins.
Proof. rewrite map_map. apply map_ext. intro; unfold ev; apply map_length. Qed.

(* ---------- annotations: [AQ] is [?], [AD d] a dim over the rigid names, of which there are [nr] [type.annotation] *)
Inductive ann := AQ | AD (d:sdim).
Definition ann_ok nr a := match a with AQ => True | AD d => supp nr d end.
Definition ann_holds (r:env) (a:ann) (z:Z) := match a with AQ => true | AD d => z =? d r end.
Fixpoint anns_hold (r:env) (a:list ann) (s:shape) := match a,s with
  | [],[] => true | x::a,z::s => ann_holds r x z && anns_hold r a s | _,_ => false end.
(* what an ascription demands, and the type that it leaves: each [?] a new ghost [type.open] [type.forget] *)
Definition asc_pred (a:list ann) (T:list sdim) : spred := fun r => anns_hold r a (ev r T).
Fixpoint asc_out (a:list ann) (g:nat) : list sdim := match a with [] => []
  | AQ::a => (fun r => r g) :: asc_out a (S g) | AD d::a => d :: asc_out a (S g) end.
Lemma ev_asc_out nr a : forall g T r, Forall (ann_ok nr) a -> (nr <= g)%nat -> length a = length T ->
  anns_hold r a T = true -> ev (upds r g T) (asc_out a g) = T.
Proof. induction a as [|x a IH]; intros g T r F L E H; destruct T as [|z T]; try discriminate; auto.
  cbn in H. apply andb_prop in H as [H1 H2]. inversion F; subst.
  assert (R: forall r', below (S g) (fun n => if Nat.eqb n g then z else r n) r' -> ev r' (asc_out a (S g)) = T ->
    ev r' (asc_out (x::a) g) = z :: T).
  { intros r' B E'. destruct x; cbn; f_equal; auto.
    - rewrite <- B by lia. rewrite Nat.eqb_refl; auto.
    - cbn in H1. apply Z.eqb_eq in H1. rewrite H1. symmetry. apply H3. intros n Hn. rewrite <- B by lia.
      destruct (Nat.eqb_spec n g); auto; lia. }
  cbn [upds]. apply R. apply below_upds. apply IH; auto.
  clear - H2 H4 L. revert T H2; induction a as [|y a IHa]; intros [|t T] H2; cbn in *; auto.
  apply andb_prop in H2 as [A B]. inversion H4; subst. rewrite IHa; auto. rewrite andb_true_r.
  destruct y; cbn in *; auto. rewrite <- A. f_equal. apply H1. intros n Hn. destruct (Nat.eqb_spec n g); auto; lia. Qed.
Lemma supp_asc_out nr a : forall g, Forall (ann_ok nr) a -> (nr <= g)%nat -> forall d, In d (asc_out a g) -> supp (g + length a) d.
Proof. induction a as [|x a IH]; intros g F L d I; [destruct I|]. inversion F; subst. destruct x; cbn in I; destruct I as [<-|I].
  - intros r r' B. apply B. cbn; lia.
  - replace (g + length (AQ :: a))%nat with (S g + length a)%nat by (cbn; lia). eapply IH; eauto; lia.
  - eapply supp_le; [|eassumption]. cbn; lia.
  - replace (g + length (AD d0 :: a))%nat with (S g + length a)%nat by (cbn; lia). eapply IH; eauto; lia. Qed.
Lemma supp_anns nr a : forall g (T:list sdim), Forall (ann_ok nr) a -> (nr <= g)%nat -> (forall d, In d T -> supp g d) ->
  supp g (asc_pred a T).
Proof. unfold asc_pred. induction a as [|x a IH]; intros g T F L S r r' B; destruct T as [|t T]; cbn; auto.
  inversion F; subst. f_equal.
  - destruct x; cbn; auto. rewrite (S t (or_introl eq_refl) r r' B). f_equal. apply H1. eapply below_le; eauto.
  - apply (IH g T); auto. intros; apply S; right; auto. Qed.
Lemma anns_agree nr a : forall r r' s, Forall (ann_ok nr) a -> below nr r r' -> anns_hold r a s = anns_hold r' a s.
Proof. induction a as [|y a IH]; intros r r' [|z s] F B; cbn; auto. inversion F; subst. f_equal; eauto.
  destruct y; cbn; auto. f_equal. apply H1; auto. Qed.
Lemma asc_out_len a : forall g, length (asc_out a g) = length a.
Proof. induction a as [|[|d] a IH]; cbn; auto. Qed.

(* ---------- precision of annotations [type.precision] *)
Lemma F2len {A B} (R:A->B->Prop) l l' : Forall2 R l l' -> length l = length l'. Proof. induction 1; cbn; auto. Qed.
Inductive aprec : ann -> ann -> Prop := AP_q a : aprec a AQ | AP_d d : aprec (AD d) (AD d).
Lemma anns_mono a a' : Forall2 aprec a a' -> forall r s, anns_hold r a s = true -> anns_hold r a' s = true.
Proof. induction 1 as [|x y a a' P F IH]; intros r [|z s] H; cbn in *; auto. apply andb_prop in H as [H1 H2].
  rewrite IH by auto. destruct P; cbn in *; auto. rewrite H1; auto. Qed.
Lemma asc_embed nr a a' : Forall2 aprec a a' -> forall g g' r rs, Forall (ann_ok nr) a' -> (nr <= g')%nat -> below nr r rs ->
  ev (upds rs g' (ev r (asc_out a g))) (asc_out a' g') = ev r (asc_out a g).
Proof. induction 1 as [|x y a a' P F IH]; intros g g' r rs OA L B; auto. inversion OA; subst.
  assert (X: forall z, below nr r (fun n => if Nat.eqb n g' then z else rs n)).
  { intros z n Hn. destruct (Nat.eqb_spec n g'); [lia|]. apply B; auto. }
  destruct P as [x|d]; [destruct x as [|d]|]; cbn; f_equal; try (apply IH; auto; lia).
  - rewrite upds_lo by lia. rewrite Nat.eqb_refl; auto.
  - rewrite upds_lo by lia. rewrite Nat.eqb_refl; auto.
  - symmetry. apply H1. intros n Hn. rewrite upds_lo by lia. apply X; auto. Qed.
