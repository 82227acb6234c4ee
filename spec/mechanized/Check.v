(* The verified checker: a first-order language, what its programs do, and a checker with obligations.

   Programs are lists of definitions that call earlier ones.  A value is its sizes and its element type.  [run] gives all
   outcomes of an expression: each branch may be taken, a requirement that fails is blamed with its label, and what has no
   meaning is stuck.  [check] gives a type, whose sizes are terms over names and ghosts, and logs each obligation that it
   leaves open, with the valuations that were found [check.residual].  CheckSound.v relates the two. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Dims Decide Judge.
Import ListNotations.
Open Scope Z_scope.

Inductive tree (A:Type) := Ten (s:list A) (t:nat) | Unit | Pair (a b:tree A).
Arguments Ten {A}. Arguments Unit {A}. Arguments Pair {A}.
Fixpoint fmap {A C} (f:A -> C) (t:tree A) : tree C := match t with
  | Ten s t => Ten (map f s) t | Unit => Unit | Pair a b => Pair (fmap f a) (fmap f b) end.
Definition value := tree Z.
Definition type := tree dim.
Definition annotation := tree (option dim).     (* None is [?] *)
Fixpoint tensors {A} (t:tree A) : option (list (list A * nat)) := match t with
  | Unit => Some []
  | Pair (Ten s t) b => match tensors b with Some l => Some ((s, t) :: l) | None => None end
  | _ => None end.
Fixpoint fields {A} (t:tree A) : list (tree A) := match t with Pair a b => a :: fields b | _ => [] end.

(* variables in the dims of a text: the definition's names, then sizes of variables [type.size] *)
Definition refs := list (nat * nat).
Definition size_of {A} (none:A) (G:list (tree A)) (x:nat * nat) : A := match nth_error G (fst x) with
  | Some (Ten s _) => nth (snd x) s none | _ => none end.
Definition scope {A} (none:A) (n:nat) (names:nat -> A) (G:list (tree A)) (rs:refs) : nat -> A := fun j =>
  if Nat.ltb j n then names j else match nth_error rs (j - n) with Some x => size_of none G x | None => none end.

Inductive exp :=
  | Var (x:nat)                                        (* counted from the innermost *)
  | Lit (s:list nat) (t:nat)
  | Op (l:nat) (o:oper dim) (rs:refs) (e:exp)          (* the operands are the fields of e *)
  | Call (l:nat) (f:nat) (e:exp)
  | Nil | Cons (a b:exp) | Proj (i:nat) (e:exp)
  | Let (a b:exp)
  | As (l:nat) (a:annotation) (rs:refs) (e:exp)
  | If (l:nat) (c a b:exp)
  | Assert (l:nat) (f:form) (rs:refs) (e:exp).
Record signature := Sig { bound : nat; params : annotation; pre : list form; result : annotation }.
Record definition := Def { names : nat; takes : annotation; given : list form; body : exp; gives : option annotation; label : nat }.

(* ---------- annotations: what they require, which names they bind *)
Section Flow.
Variable L : algebra.
Variable at_ : dim -> size L.
Fixpoint sizes_flow (a:list (option dim)) (s:list (size L)) : option (list (cond L)) := match a, s with
  | [], [] => Some []
  | None :: a, _ :: s => sizes_flow a s
  | Some d :: a, e :: s => match sizes_flow a s with Some gs => Some (cmp L Equal e (at_ d) :: gs) | None => None end
  | _, _ => None end.
Fixpoint flow (a:annotation) (v:tree (size L)) : option (list (cond L)) := match a, v with
  | Ten a t, Ten s t' => if Nat.eqb t t' then sizes_flow a s else None
  | Unit, Unit => Some []
  | Pair a b, Pair v w => match flow a v, flow b w with Some gs, Some hs => Some (gs ++ hs) | _, _ => None end
  | _, _ => None end.
End Flow.
Section Bind.
Context {A : Type}.
Fixpoint pick (x:nat) (l:list (nat * A)) : option A := match l with
  | [] => None | (y, a) :: l => if Nat.eqb x y then Some a else pick x l end.
Fixpoint bind_sizes (a:list (option dim)) (s:list A) (l:list (nat * A)) : list (nat * A) := match a, s with
  | d :: a, e :: s => bind_sizes a s (match d with Some (V x) => l ++ [(x, e)] | _ => l end)
  | _, _ => l end.
Fixpoint bind (a:annotation) (v:tree A) (l:list (nat * A)) : list (nat * A) := match a, v with
  | Ten a _, Ten s _ => bind_sizes a s l
  | Pair a b, Pair v w => bind b w (bind a v l)
  | _, _ => l end.
Definition chosen (none:A) (n:nat) (l:list (nat * A)) : nat -> A := fun x =>
  if Nat.ltb x n then match pick x l with Some a => a | None => none end else none.
End Bind.
(* a size that mentions a name is at least 1, if no precondition admits 0 [type.positive] *)
Definition admits (fs:list form) (d:dim) : bool := existsb (fun f => match f with
  | Cmp AtMost (K 0) e => same e d || match e with V x => same (subst (only x (K 0)) d) (K 0) | _ => false end | _ => false end) fs.
Definition positive_size (fs:list form) (d:option dim) : list form := match d with
  | Some d => match variables d with [] => [] | _ => if admits fs d then [Cmp AtMost (K 0) d] else [Cmp AtMost (K 1) d] end
  | None => [] end.
Fixpoint positive (fs:list form) (a:annotation) : list form := match a with
  | Ten s _ => flat_map (positive_size fs) s | Unit => [] | Pair a b => positive fs a ++ positive fs b end.
Definition preconditions (D:definition) : list form := positive (given D) (takes D) ++ given D.

(* ---------- what programs do *)
Inductive outcome := Ok (v:value) | Blame (l:nat) | Stuck.
Definition within (os:list outcome) (k:value -> list outcome) : list outcome :=
  flat_map (fun o => match o with Ok v => k v | _ => [o] end) os.
Definition all (bs:list bool) : bool := forallb (fun b => b) bs.
Definition require (l:nat) (bs:list bool) (k:list outcome) : list outcome := if all bs then k else [Blame l].
Definition meaning := env -> list value -> list outcome.
Definition boolean : nat := 0.
Definition entered (F:signature) (v:value) : env := chosen 0 (bound F) (bind (params F) v []).
Definition demanded (F:signature) (v:value) : option (list bool) := match flow numbers (eval (entered F v)) (params F) v with
  | Some gs => Some (gs ++ map (truth (entered F v)) (pre F)) | None => None end.
Section Run.
Variable P : list (signature * meaning).
Variable n : nat.
Variable r : env.
Fixpoint run (E:list value) (e:exp) : list outcome := match e with
  | Var x => [match nth_error E x with Some v => Ok v | None => Stuck end]
  | Lit s t => [Ok (Ten (map Z.of_nat s) t)]
  | Op l o rs e => within (run E e) (fun v => match tensors v with
      | Some ins => match judge numbers (omap (eval (scope 0 n r E rs)) o) ins with
          | Some (gs, (s, t)) => require l gs [Ok (Ten s t)] | None => [Stuck] end
      | None => [Stuck] end)
  | Call l f e => within (run E e) (fun v => match nth_error P f with
      | Some (F, m) => match demanded F v with Some gs => require l gs (m (entered F v) (fields v)) | None => [Stuck] end
      | None => [Stuck] end)
  | Nil => [Ok Unit]
  | Cons a b => within (run E a) (fun v => within (run E b) (fun w => [Ok (Pair v w)]))
  | Proj i e => within (run E e) (fun v => [match nth_error (fields v) i with Some w => Ok w | None => Stuck end])
  | Let a b => within (run E a) (fun v => run (v :: E) b)
  | As l a rs e => within (run E e) (fun v => match flow numbers (eval (scope 0 n r E rs)) a v with
      | Some gs => require l gs [Ok v] | None => [Stuck] end)
  | If _ c a b => within (run E c) (fun v => match v with
      | Ten [] t => if Nat.eqb t boolean then run E a ++ run E b else [Stuck] | _ => [Stuck] end)
  | Assert l f rs e => require l [truth (scope 0 n r E rs) f] (run E e) end.
End Run.
Definition executed (P:list (signature * meaning)) (D:definition) : meaning := fun r E =>
  within (run P (names D) r E (body D)) (fun v => match gives D with
    | None => [Ok v]
    | Some a => match flow numbers (eval (scope 0 (names D) r [] [])) a v with Some gs => require (label D) gs [Ok v] | None => [Stuck] end end).

(* ---------- the checker *)
Inductive kind := Need | Assertion | Joined | Given.
Record entry := Entry { what : kind; where_ : nat; holding : option valuation; failing : option valuation }.
Record state := State { next : nat; facts : list form; open : bool; log : list entry }.
Inductive result_of (A:Type) := Good (a:A) | Ill (l:nat) | Fails (l:nat) | Beyond.
Arguments Good {A}. Arguments Ill {A}. Arguments Fails {A}. Arguments Beyond {A}.
Definition then_ {A C} (x:result_of A) (k:A -> result_of C) : result_of C := match x with
  | Good a => k a | Ill l => Ill l | Fails l => Fails l | Beyond => Beyond end.
Definition owe (k:kind) (l:nat) (f:form) (s:state) : result_of state := match decide (facts s) f with
  | Proved => Good s
  | Refuted => Fails l
  | Open h w => Good (State (next s) (f :: facts s) (open s) (Entry k l h w :: log s)) end.
Fixpoint owes (k:kind) (l:nat) (fs:list form) (s:state) : result_of state := match fs with
  | [] => Good s | f :: fs => then_ (owe k l f s) (owes k l fs) end.
Fixpoint open_sizes (at_:dim -> dim) (a:list (option dim)) (g:nat) : list dim * nat := match a with
  | [] => ([], g)
  | Some d :: a => let (s, g') := open_sizes at_ a g in (at_ d :: s, g')
  | None :: a => let (s, g') := open_sizes at_ a (S g) in (V g :: s, g') end.
Fixpoint opened (at_:dim -> dim) (a:annotation) (g:nat) : type * nat := match a with
  | Ten a t => let (s, g') := open_sizes at_ a g in (Ten s t, g')
  | Unit => (Unit, g)
  | Pair a b => let (t, g') := opened at_ a g in let (u, g'') := opened at_ b g' in (Pair t u, g'') end.
Definition ghosts (g g':nat) : list form := map (fun i => Cmp AtMost (K 0) (V i)) (seq g (g' - g)).
Fixpoint holes (a:annotation) : bool := match a with
  | Ten s _ => existsb (fun d => match d with None => true | _ => false end) s | Unit => false | Pair a b => holes a || holes b end.
Definition enter (at_:dim -> dim) (a:annotation) (s:state) : type * state := let (t, g) := opened at_ a (next s) in
  (t, State g (ghosts (next s) g ++ facts s) (open s || holes a) (log s)).
Definition counts (b:bool) (s:state) : state := State (next s) (facts s) (open s || b) (log s).
(* two branches: sizes that are equal are kept, others become a ghost that is one of the two [type.join] *)
Fixpoint join_sizes (l:nat) (a b:list dim) (s:state) : result_of (list dim * state) := match a, b with
  | [], [] => Good ([], s)
  | d :: a, e :: b => if same d e then then_ (join_sizes l a b s) (fun x => Good (d :: fst x, snd x)) else
      match decide (facts s) (Cmp Equal d e) with
      | Proved => then_ (join_sizes l a b s) (fun x => Good (d :: fst x, snd x))
      | Refuted => Fails l
      | Open h w => let g := next s in
          let fs := Con false (Cmp Equal (V g) d) (Cmp Equal (V g) e) :: Cmp AtMost (K 0) (V g) :: facts s in
          then_ (join_sizes l a b (State (S g) fs (open s) (Entry Joined l h w :: log s))) (fun x => Good (V g :: fst x, snd x)) end
  | _, _ => Ill l end.
Fixpoint join_types (l:nat) (a b:type) (s:state) : result_of (type * state) := match a, b with
  | Ten d t, Ten e t' => if Nat.eqb t t' then then_ (join_sizes l d e s) (fun x => Good (Ten (fst x) t, snd x)) else Ill l
  | Unit, Unit => Good (Unit, s)
  | Pair a a', Pair b b' => then_ (join_types l a b s) (fun x => then_ (join_types l a' b' (snd x)) (fun y => Good (Pair (fst x) (fst y), snd y)))
  | _, _ => Ill l end.
(* sizes in a shorter form, where the facts decide a condition [dim.decide.simplify] *)
Fixpoint shorter (F:list form) (fuel:nat) (d:dim) : dim := let d := reify (norm d) in match fuel with
  | O => d
  | S fuel => match condition d with
      | None => d
      | Some p => match decide F p with
          | Proved => shorter F fuel (assume p true d)
          | Refuted => shorter F fuel (assume p false d)
          | Open _ _ => d end end end.
(* the language forgets sizes that are too large [dim.large]; this checker does not answer *)
Definition large_size (d:dim) : bool := Nat.ltb 40 (length (norm d)).
(* kept only if it mentions nothing new *)
Definition tidy (g:nat) (F:list form) (d:dim) : dim := let e := shorter F 3 d in if forallb (fun x => Nat.ltb x g) (variables e) then e else d.
(* of sizes that agree, a number is preferred; of those that broadcast, a number other than 1 *)
Definition number_of (d:dim) : option Z := constant (norm d).
Definition column (i:nat) (ss:list (list dim)) : list Z :=
  flat_map (fun s => match nth_error s i with Some d => match number_of d with Some k => [k] | None => [] end | None => [] end) ss.
Definition hints (o:oper dim) (ins:list (list dim * nat)) (rank:nat) : list (list Z) := match o with
  | Concat _ => map (fun i => column i (map fst ins)) (seq 0 rank)
  | Zip _ _ => rev (map (fun i => filter (fun k => negb (k =? 1)) (column i (map (fun x => rev (fst x)) ins))) (seq 0 rank))
  | _ => [] end.
Definition preferred (g:nat) (F:list form) (d:dim) (ks:list Z) : dim :=
  match first_some (fun k => match decide F (Cmp Equal d (K k)) with Proved => Some k | _ => None end) ks with
  | Some k => K k | None => tidy g F d end.
Fixpoint tidied (g:nat) (F:list form) (ds:list dim) (hs:list (list Z)) : list dim := match ds with
  | [] => [] | d :: ds => preferred g F d (hd [] hs) :: tidied g F ds (tl hs) end.
Definition refs_exist (G:list type) (rs:refs) : bool := forallb (fun x => match nth_error G (fst x) with
  | Some (Ten s _) => Nat.ltb (snd x) (length s) | _ => false end) rs.
Section Check.
Variable Fs : list signature.
Variable n : nat.
Definition here (G:list type) (rs:refs) : nat -> dim := scope (K 0) n V G rs.
Fixpoint check (G:list type) (e:exp) (s:state) : result_of (type * state) := match e with
  | Var x => match nth_error G x with Some t => Good (t, s) | None => Ill 0 end
  | Lit k t => Good (Ten (map (fun i => K (Z.of_nat i)) k) t, s)
  | Op l o rs e => if refs_exist G rs then then_ (check G e s) (fun x => match tensors (fst x) with
      | Some ins => match judge terms (omap (subst (here G rs)) o) ins with
          | Some (gs, (d, t)) => if existsb large_size d then Beyond else then_ (owes Need l gs (snd x)) (fun s' => Good (Ten (tidied (next s') (facts s') d (hints o ins (length d))) t, s'))
          | None => Ill l end
      | None => Ill l end) else Ill l
  | Call l f e => then_ (check G e s) (fun x => match nth_error Fs f with
      | Some F => let b := bind (params F) (fst x) [] in
          let at_ := subst (chosen (K 0) (bound F) b) in
          if forallb (fun i => match pick i b with Some _ => true | None => false end) (seq 0 (bound F))
          then match flow terms at_ (params F) (fst x) with
            | Some gs => then_ (owes Need l (gs ++ map (substf (chosen (K 0) (bound F) b)) (pre F)) (snd x)) (fun s' =>
                Good (enter at_ (result F) (counts (holes (params F)) s')))
            | None => Ill l end
          else match flow terms at_ (params F) (fst x) with Some _ => Beyond | None => Ill l end
      | None => Ill l end)
  | Nil => Good (Unit, s)
  | Cons a b => then_ (check G a s) (fun x => then_ (check G b (snd x)) (fun y => Good (Pair (fst x) (fst y), snd y)))
  | Proj i e => then_ (check G e s) (fun x => match nth_error (fields (fst x)) i with Some t => Good (t, snd x) | None => Ill 0 end)
  | Let a b => then_ (check G a s) (fun x => check (fst x :: G) b (snd x))
  | As l a rs e => if refs_exist G rs then then_ (check G e s) (fun x => match flow terms (subst (here G rs)) a (fst x) with
      | Some gs => then_ (owes Need l gs (snd x)) (fun s' => Good (enter (subst (here G rs)) a s'))
      | None => Ill l end) else Ill l
  | If l c a b => then_ (check G c s) (fun x => match fst x with
      | Ten [] t => if Nat.eqb t boolean then
          then_ (check G a (snd x)) (fun y =>
          then_ (check G b (State (next (snd y)) (facts (snd x)) (open (snd y)) (log (snd y)))) (fun z =>
          join_types l (fst y) (fst z) (State (next (snd z)) (facts (snd x)) (open (snd z)) (log (snd z)))))
          else Ill l
      | _ => Ill l end)
  | Assert l f rs e => if refs_exist G rs then then_ (owe Assertion l (substf (here G rs) f) s) (check G e) else Ill l end.
End Check.
(* an inferred result mentions names only [type.close] *)
Definition closed_size (n:nat) (d:dim) : option dim := if forallb (fun x => Nat.ltb x n) (variables d) then Some d else None.
Definition declared (D:definition) : nat -> dim := scope (K 0) (names D) V [] [].
Definition start (D:definition) : type * state :=
  enter (subst (declared D)) (takes D) (State (names D) (map (substf (declared D)) (preconditions D)) false []).
Definition possible (D:definition) (s:state) : state := match given D with
  | [] => s | _ => State (next s) (facts s) (open s) (Entry Given (label D) (model (facts s)) None :: log s) end.
Definition check_definition (Fs:list signature) (D:definition) : result_of (signature * state) :=
  let (t, s) := start D in
  if impossible (facts s) then Fails (label D) else
  then_ (check Fs (names D) (fields t) (body D) (possible D s)) (fun x => match gives D with
    | None => Good (Sig (names D) (takes D) (preconditions D) (fmap (closed_size (names D)) (fst x)), snd x)
    | Some a => match flow terms (subst (declared D)) a (fst x) with
        | None => Ill (label D)
        | Some gs => then_ (owes Need (label D) gs (snd x)) (fun s' => Good (Sig (names D) (takes D) (preconditions D) a, s')) end end).

(* ---------- verdicts: strict definitions have to hold for all sizes [check.strict] *)
Inductive verdict := Accepted | Rejected | Undecided.
Definition some {A} (o:option A) : bool := match o with Some _ => true | None => false end.
Definition judged (gradual:bool) (e:entry) : verdict := match what e with
  | Need | Joined => if gradual then (if some (holding e) then Accepted else Undecided) else if some (failing e) then Rejected else Undecided
  | Assertion | Given => if some (holding e) then Accepted else Undecided end.
Definition worse (a b:verdict) : verdict := match a, b with
  | Rejected, _ | _, Rejected => Rejected | Undecided, _ | _, Undecided => Undecided | _, _ => Accepted end.
Definition concluded (s:state) : verdict := fold_right (fun e v => worse (judged (open s) e) v) Accepted (log s).
(* what is blamed at run time: the obligations that were left *)
Definition left_open (s:state) : list nat := map where_ (log s).
Fixpoint check_program (Fs:list signature) (Ds:list definition) : result_of (list (signature * state)) := match Ds with
  | [] => Good []
  | D :: Ds => then_ (check_definition Fs D) (fun x => then_ (check_program (Fs ++ [fst x]) Ds) (fun xs => Good (x :: xs))) end.
Definition program_verdict (Ds:list definition) : verdict := match check_program [] Ds with
  | Good xs => fold_right (fun x v => worse (concluded (snd x)) v) Accepted xs
  | Ill _ | Fails _ => Rejected
  | Beyond => Undecided end.
Fixpoint executed_all (P:list (signature * meaning)) (Ds:list definition) (Fs:list signature) : list (signature * meaning) := match Ds, Fs with
  | D :: Ds, F :: Fs => executed_all (P ++ [(F, executed P D)]) Ds Fs
  | _, _ => P end.
