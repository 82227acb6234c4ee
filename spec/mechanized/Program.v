(* Programs: joins of branches, unknown rank, and recursive functions with dim parameters.

   The calculus of Core.v grows in three ways, and is restated, since each of them touches every rule.
   - [LetIf] binds what came from one of two branches.  Its sizes are the closed choice under a condition that can be
     read, else ghosts with the fact [b = d1 or b = d2]; facts and ghosts of a branch end with it [type.if.join].
   - A type may be [Star]: a value whose rank is not known, with ghosts for its rank and its number of elements.  An
     operator with such an operand is executed as it is, and blames where it refuses [type.unranked] [op.dynamic].
   - [Call f] names a definition.  Its interface is an operator's declaration: needs are the parameters' annotations and
     the [where], at the names that are measured off the arguments; the result's [?]s are its unknown sizes
     [type.call.dims] [type.call.where] [type.call.result].  Fuel bounds the depth of calls: [Timeout] is no outcome.

   Each variable has a depth: the branch whose ghosts its sizes may mention.  It is read off the program, not off the
   facts, so that a less precise program sees the same scopes or fewer. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Gradual Require Import Shapes Verdicts.
Import ListNotations.
Open Scope Z_scope.

(* ---------- declarations of operators: [None] refuses the ranks, [Some None] gives a result of unknown rank *)
Record op := {
  orank : list nat -> option (option nat);
  nex   : nat;                                      (* the number of unknown sizes *)
  oloc  : bool;                                     (* whether the result's sizes depend on them *)
  opre  : list shape -> bool;                       (* the needs *)
  obound: list shape -> list Z -> bool;             (* what is promised of the unknown sizes *)
  owit  : list shape -> list Z;                     (* sizes that keep the promise *)
  oout  : list shape -> list Z -> shape }.
Record op_ok (o:op) := {
  ok_len : forall ins us k, orank o (map (@length Z) ins) = Some (Some k) -> length us = nex o -> length (oout o ins us) = k;
  ok_wit : forall ins, opre o ins = true -> length (owit o ins) = nex o /\ obound o ins (owit o ins) = true;
  ok_loc : oloc o = false -> forall ins us us', oout o ins us = oout o ins us' }.
Definition accepts (o:op) ins := match orank o (map (@length Z) ins) with None => false | Some _ => opre o ins end.

(* ---------- programs *)
Inductive sann := SAny | SDims (a:list ann).
Inductive cond := CB (b:nat) | CD (x i:nat) (k:Z).
Inductive target := Op (o:op) | Call (f:nat).
Inductive exp :=
| Ret (x:nat)
| Let (t:target) (xs:list nat) (l:nat) (e:exp)
| LetAsc (x:nat) (a:sann) (l:nat) (e:exp)
| LetIf (c:cond) (e1 e2 e:exp).
Record def := {
  dbind : list (nat * nat);                         (* where each name is read off: parameter and axis *)
  dpars : list sann;
  dwhere: spred;
  dres  : sann;
  dlab  : nat;                                      (* whom the result blames *)
  dbody : exp }.
Definition dnames d := length (dbind d).

(* The body, with its result ascribed; [n] variables are in scope [type.result]. *)
Fixpoint finish (n:nat) (e:exp) (a:sann) (l:nat) : exp := match e with
  | Ret x => LetAsc x a l (Ret n)
  | Let t xs l' e => Let t xs l' (finish (S n) e a l)
  | LetAsc x b l' e => LetAsc x b l' (finish (S n) e a l)
  | LetIf c e1 e2 e => LetIf c e1 e2 (finish (S n) e a l) end.
Definition whole d := finish (length (dpars d)) (dbody d) (dres d) (dlab d).

(* ---------- a definition's interface, as a declaration *)
Definition is_q a := match a with AQ => true | AD _ => false end.
Definition holds (r:env) (a:sann) (s:shape) := match a with SAny => true | SDims a => anns_hold r a s end.
Fixpoint all_hold (r:env) (ps:list sann) (ins:list shape) := match ps,ins with
  | [],[] => true | p::ps,s::ins => holds r p s && all_hold r ps ins | _,_ => false end.
Definition fits (a:sann) (n:nat) := match a with SAny => true | SDims a => Nat.eqb (length a) n end.
Fixpoint all_fit (ps:list sann) (ns:list nat) := match ps,ns with
  | [],[] => true | p::ps,n::ns => fits p n && all_fit ps ns | _,_ => false end.
Fixpoint fill (r:env) (a:list ann) (us:list Z) : list Z := match a with [] => []
  | AQ::a => hd 0 us :: fill r a (tl us) | AD d::a => d r :: fill r a (tl us) end.
(* causality: the names' numbers are those that the arguments show *)
Definition measured d (ins:list shape) : list Z := map (fun b => nth (snd b) (nth (fst b) ins []) 0) (dbind d).
Definition entry d ins : env := upds (fun _ => 0) 0 (measured d ins).
Definition iface (d:def) : op := {|
  orank := fun ns => if all_fit (dpars d) ns then Some (match dres d with SAny => None | SDims a => Some (length a) end) else None;
  nex := match dres d with SAny => 0%nat | SDims a => length a end;
  oloc := match dres d with SAny => true | SDims a => existsb is_q a end;
  opre := fun ins => all_hold (entry d ins) (dpars d) ins && dwhere d (entry d ins);
  obound := fun ins us => match dres d with SAny => true | SDims a => anns_hold (entry d ins) a us end;
  owit := fun ins => match dres d with SAny => [] | SDims a => fill (entry d ins) a [] end;
  oout := fun ins us => match dres d with SAny => us | SDims a => fill (entry d ins) a us end |}.

(* ---------- worlds: what data decides; pure *)
Record world := { wb : nat -> list shape -> bool; wu : op -> nat -> list shape -> list Z }.
Definition world_ok (w:world) := forall o l ins, op_ok o -> opre o ins = true ->
  length (wu w o l ins) = nex o /\ obound o ins (wu w o l ins) = true.
Lemma world_inhabited b : world_ok {| wb := b; wu := fun o _ ins => owit o ins |}.
Proof. intros o l ins OK P. apply (ok_wit _ OK); auto. Qed.

Inductive outcome := Val (s:shape) | Blame (l:nat) | Timeout | Stuck.
Definition interface (defs:list def) t := match t with Op o => Some o | Call f => option_map iface (nth_error defs f) end.
Definition cond_holds (w:world) (vs:list shape) (c:cond) : option bool := match c with
  | CB b => Some (wb w b vs)
  | CD x i k => option_map (fun s => match nth_error s i with Some z => z =? k | None => false end) (nth_error vs x) end.
(* what a step makes: its unknown sizes and its result, or how it ended *)
Definition perform (w:world) (call:nat -> list shape -> outcome) t l ins : outcome + list Z * shape := match t with
  | Op o => inr (wu w o l ins, oout o ins (wu w o l ins))
  | Call f => match call f ins with Val s => inr (s, s) | out => inl out end end.

(* ---------- the source's meaning: every check is made, on concrete shapes *)
Section Meaning.
Variables (defs:list def) (w:world).
Fixpoint dyn (call:nat -> list shape -> outcome) (r:env) (vs:list shape) (e:exp) : outcome := match e with
  | Ret x => match nth_error vs x with Some s => Val s | None => Stuck end
  | Let t xs l e => match lookups vs xs, interface defs t with
      | Some ins, Some o => if accepts o ins
          then match perform w call t l ins with inl out => out | inr (_, s) => dyn call r (vs ++ [s]) e end
          else Blame l
      | _, _ => Stuck end
  | LetAsc x a l e => match nth_error vs x with None => Stuck
      | Some s => if holds r a s then dyn call r (vs ++ [s]) e else Blame l end
  | LetIf c e1 e2 e => match cond_holds w vs c with None => Stuck
      | Some b => match (if b then dyn call r vs e1 else dyn call r vs e2) with
          | Val s => dyn call r (vs ++ [s]) e | out => out end end end.
Fixpoint calls (fuel:nat) (f:nat) (ins:list shape) : outcome := match fuel, nth_error defs f with
  | O, _ => Timeout
  | _, None => Stuck
  | S fuel, Some d => dyn (calls fuel) (entry d ins) ins (whole d) end.
End Meaning.

(* ---------- core: residual checks are predicates over ghosts; an operator gets stuck where its needs are unmet *)
Inductive ty := Known (ds:list sdim) | Star (rk nm:sdim).
Inductive need := Checked (chk:option spred) | Dynamic.
Inductive rexp :=
| RRet (x:nat)
| RApp (t:target) (xs:list nat) (nd:need) (star:bool) (l g:nat) (e:rexp)
| ROpen (x n:nat) (chk:option spred) (l g:nat) (e:rexp)
| RAsc (x:nat) (chk:option spred) (star:bool) (l g:nat) (e:rexp)
| RIf (c:cond) (e1 e2:rexp) (star:bool) (g:nat) (e:rexp).
Definition numel (s:shape) : Z := fold_right Z.mul 1 s.
(* the witnesses of a value: its sizes, or its rank and number of elements *)
Definition shown (star:bool) (us s:list Z) : list Z := if star then [Z.of_nat (length s); numel s] else us.
Section Core.
Variables (defs:list def) (w:world).
Fixpoint run (call:nat -> list shape -> outcome) (r:env) (vs:list shape) (e:rexp) : outcome := match e with
  | RRet x => match nth_error vs x with Some s => Val s | None => Stuck end
  | RApp t xs nd star l g e => match lookups vs xs, interface defs t with
      | Some ins, Some o =>
          let go := match perform w call t l ins with inl out => out
            | inr (us, s) => run call (upds r g (shown star us s)) (vs ++ [s]) e end in
          match nd with
          | Checked chk => if guard r chk then (if accepts o ins then go else Stuck) else Blame l
          | Dynamic => if accepts o ins then go else Blame l end
      | _, _ => Stuck end
  | ROpen x n chk l g e => match nth_error vs x with None => Stuck
      | Some s => if guard r chk then (if Nat.eqb n (length s) then run call (upds r g s) vs e else Stuck) else Blame l end
  | RAsc x chk star l g e => match nth_error vs x with None => Stuck
      | Some s => if guard r chk then run call (upds r g (shown star s s)) (vs ++ [s]) e else Blame l end
  | RIf c e1 e2 star g e => match cond_holds w vs c with None => Stuck
      | Some b => match (if b then run call r vs e1 else run call r vs e2) with
          | Val s => run call (upds r g (shown star s s)) (vs ++ [s]) e | out => out end end end.
End Core.

(* ---------- elaboration *)
Definition entry_t := (nat * ty)%type.                       (* depth and type *)
Definition star_at g : ty := Star (fun r => r g) (fun r => r (S g)).
Fixpoint all_known (es:list entry_t) : option (list (list sdim)) := match es with [] => Some []
  | (_, Known T)::es => option_map (cons T) (all_known es) | (_, Star _ _)::_ => None end.
Definition deps (es:list entry_t) := list_max (map fst es).
Definition pre_of (o:op) (ins:list (list sdim)) : spred := fun r => opre o (map (ev r) ins).
Definition bound_of o ins g : spred := fun r => obound o (map (ev r) ins) (ev r (ghosts g (nex o))).
Definition out_of (o:op) (ins:list (list sdim)) g k : list sdim :=
  map (fun i => fun r => nth i (oout o (map (ev r) ins) (ev r (ghosts g (nex o)))) 0) (seq 0 k).
Definition rank_is (rk:sdim) n : spred := fun r => rk r =? Z.of_nat n.
Definition numel_is (nm:sdim) T : spred := fun r => nm r =? numel (ev r T).
Definition choice (p:spred) (a b:sdim) : sdim := fun r => if p r then a r else b r.
Definition equal (a b:sdim) : spred := fun r => a r =? b r.
Definition one_of (j a b:sdim) : spred := fun r => (j r =? a r) || (j r =? b r).
Fixpoint map2 {A B} (f:A -> A -> B) (a b:list A) : list B := match a,b with x::a,y::b => f x y :: map2 f a b | _,_ => [] end.
Fixpoint one_ofs (j a b:list sdim) : list spred := match j,a,b with
  | z::j,x::a,y::b => one_of z x y :: one_ofs j a b | _,_,_ => [] end.
(* a condition that can be read, with the depth of what it reads *)
Definition cond_read (G:list entry_t) (c:cond) : option (option (spred * nat)) := match c with
  | CB _ => Some None
  | CD x i k => match nth_error G x with None => None
      | Some (d, Known T) => Some (Some (match nth_error T i with Some z => fun r => z r =? k | None => fun _ => false end, d))
      | Some (_, Star _ _) => Some None end end.
Definition if_so (p:option (spred * nat)) : list spred := match p with Some (p,_) => [p] | None => [] end.
Definition if_not (p:option (spred * nat)) : list spred := match p with Some (p,_) => [fun r => negb (p r)] | None => [] end.
Definition open_code x n op l g c := match op with None => c | Some chk => ROpen x n chk l g c end.

Section Elab.
Variables (defs:list def) (prove refute:list spred -> spred -> bool) (same:sdim -> sdim -> bool).
(* an application: what is checked, whether the result's rank is unknown, the new facts, the result, the next ghost *)
Definition applied F P g k (o:op) (es:list entry_t) : option (need * bool * list spred * entry_t * nat) :=
  match all_known es with
  | None => Some (Dynamic, true, [], (k, star_at g), (g + 2)%nat)
  | Some ins => match orank o (map (@length sdim) ins), verdict prove refute F P (pre_of o ins) with
      | Some None, Some chk => Some (Checked chk, true, [pre_of o ins], (k, star_at g), (g + 2)%nat)
      | Some (Some n), Some chk => Some (Checked chk, false, [pre_of o ins; bound_of o ins g],
          (if oloc o then k else deps es, Known (out_of o ins g n)), (g + nex o)%nat)
      | _, _ => None end end.
(* the sizes of a value that is to have rank n: of an unknown rank it is demanded *)
Definition opened F P g n T : option (list sdim * option (option spred) * list spred * nat) := match T with
  | Known ds => if Nat.eqb n (length ds) then Some (ds, None, [], g) else None
  | Star rk nm => option_map (fun chk => (ghosts g n, Some chk, [numel_is nm (ghosts g n); rank_is rk n], (g + n)%nat))
      (verdict prove refute F P (rank_is rk n)) end.
Fixpoint either g (a b:list sdim) : list sdim := match a,b with
  | x::a,y::b => (if same x y then x else fun r => r g) :: either (S g) a b | _,_ => [] end.
Definition joined F k g (p:option (spred * nat)) (t1 t2:entry_t) : option (bool * list spred * entry_t * nat) :=
  match t1,t2 with
  | (d1, Known a), (d2, Known b) => if Nat.eqb (length a) (length b) then
      if Nat.leb d1 k && Nat.leb d2 k then
        if existsb (refute F) (map2 equal a b) then None
        else match p with
          | Some (p,d) => Some (false, [], (max d (max d1 d2), Known (map2 (choice p) a b)), (g + length a)%nat)
          | None => Some (false, one_ofs (either g a b) a b, (k, Known (either g a b)), (g + length a)%nat) end
      else Some (false, [], (k, Known (ghosts g (length a))), (g + length a)%nat)
    else None
  | _, _ => Some (true, [], (k, star_at g), (g + 2)%nat) end.
(* F: facts and what was accepted; P: what the path supposes; g: the next ghost; k: the depth of branches *)
Fixpoint elab F P (G:list entry_t) (g k:nat) (e:exp) : option (rexp * entry_t * nat) := match e with
  | Ret x => option_map (fun t => (RRet x, t, g)) (nth_error G x)
  | Let t xs l e => match lookups G xs, interface defs t with
      | Some es, Some o => match applied F P g k o es with None => None
          | Some (nd, star, Fn, t', g') => match elab (Fn ++ F) P (G ++ [t']) g' k e with None => None
              | Some (c, t'', g'') => Some (RApp t xs nd star l g c, t'', g'') end end
      | _, _ => None end
  | LetAsc x a l e => match nth_error G x, a with
      | None, _ => None
      | Some _, SAny => match elab F P (G ++ [(k, star_at g)]) (g + 2) k e with None => None
          | Some (c, t', g') => Some (RAsc x None true l g c, t', g') end
      | Some (_, T), SDims a => match opened F P g (length a) T with None => None
          | Some (ds, op, Fo, g1) => match verdict prove refute (Fo ++ F) P (asc_pred a ds) with None => None
              | Some chk => match elab (asc_pred a ds :: Fo ++ F) P
                    (G ++ [(if existsb is_q a then k else 0%nat, Known (asc_out a g1))]) (g1 + length a) k e with None => None
                  | Some (c, t', g') => Some (open_code x (length a) op l g (RAsc x chk false l g1 c), t', g') end end end end
  | LetIf c e1 e2 e => match cond_read G c with None => None
      | Some p => match elab F (if_so p ++ P) G g (S k) e1 with None => None
          | Some (c1, t1, g1) => match elab F (if_not p ++ P) G g1 (S k) e2 with None => None
              | Some (c2, t2, g2) => match joined F k g2 p t1 t2 with None => None
                  | Some (star, Fj, t, g3) => match elab (Fj ++ F) P (G ++ [t]) g3 k e with None => None
                      | Some (c3, t', g4) => Some (RIf c c1 c2 star g2 c3, t', g4) end end end end end end.

(* ---------- definitions: parameters are opened, the names come first, the where is a fact that can be met *)
Fixpoint params (ps:list sann) (g:nat) : list entry_t := match ps with [] => []
  | SAny::ps => (0%nat, star_at g) :: params ps (g + 2)
  | SDims a::ps => (0%nat, Known (asc_out a g)) :: params ps (g + length a) end.
Fixpoint past (ps:list sann) (g:nat) : nat := match ps with [] => g
  | SAny::ps => past ps (g + 2) | SDims a::ps => past ps (g + length a) end.
Definition elab_def (d:def) : option rexp := if refute [] (dwhere d) then None
  else option_map (fun m => fst (fst m))
    (elab [dwhere d] [] (params (dpars d) (dnames d)) (past (dpars d) (dnames d)) 0 (whole d)).
End Elab.

(* a program's core, executed: at a call the names are measured, and the parameters' ghosts bound to what they show *)
Fixpoint witnesses (ps:list sann) (ins:list shape) : list Z := match ps,ins with
  | SAny::ps, s::ins => shown true s s ++ witnesses ps ins
  | SDims _::ps, s::ins => s ++ witnesses ps ins
  | _, _ => [] end.
Fixpoint core_calls (defs:list def) (cores:list rexp) (w:world) (fuel:nat) (f:nat) (ins:list shape) : outcome :=
  match fuel, nth_error defs f, nth_error cores f with
  | O, _, _ => Timeout
  | S fuel, Some d, Some c =>
      run defs w (core_calls defs cores w fuel) (upds (entry d ins) (dnames d) (witnesses (dpars d) ins)) ins c
  | _, _, _ => Stuck end.
