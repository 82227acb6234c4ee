(* Reads one program a line, as an s-expression, and prints what the verified checker says of it.

   The answer is `accepted`, `rejected` or `undecided`, then the labels of the obligations that were left.  This reader
   is not verified: it only builds the terms of Check.v. *)
open Checker

type sexp = Atom of string | List of sexp list

exception Malformed of string

let read text =
  let n = String.length text in
  let rec skip i = if i < n && text.[i] = ' ' then skip (i + 1) else i in
  let rec one i =
    let i = skip i in
    if i >= n then raise (Malformed "end of line")
    else if text.[i] = '(' then many (i + 1) []
    else
      let rec stop j = if j < n && not (String.contains " ()" text.[j]) then stop (j + 1) else j in
      let j = stop i in
      (Atom (String.sub text i (j - i)), j)
  and many i found =
    let i = skip i in
    if i < n && text.[i] = ')' then (List (List.rev found), i + 1)
    else
      let each, i = one i in
      many i (each :: found)
  in
  let found, i = one 0 in
  if skip i < n then raise (Malformed "more than one expression") else found

(* numbers as in Coq: unary for counts, binary for sizes *)
let rec nat_of k = if k = 0 then O else S (nat_of (k - 1))
let rec int_of = function O -> 0 | S k -> 1 + int_of k
let rec positive_of k = if k = 1 then XH else if k mod 2 = 0 then XO (positive_of (k / 2)) else XI (positive_of (k / 2))
let z_of k = if k = 0 then Z0 else if k > 0 then Zpos (positive_of k) else Zneg (positive_of (-k))

let number = function
  | Atom a -> (match int_of_string_opt a with Some k -> k | None -> raise (Malformed a))
  | List _ -> raise (Malformed "a number")
let nat s = nat_of (number s)
let z s = z_of (number s)
let items = function List l -> l | Atom a -> raise (Malformed a)
let flag s = number s = 1
let optional f = function Atom "none" -> None | s -> Some (f s)

let rec dim = function
  | Atom _ as s -> K (z s)
  | List [Atom "v"; x] -> V (nat x)
  | List [Atom "if"; f; a; b] -> Ite (form f, dim a, dim b)
  | List [Atom o; a; b] ->
    let operation = match o with
      | "+" -> Add | "-" -> Sub | "*" -> Mul | "//" -> Div | "%" -> Mod | "max" -> Max | "min" -> Min
      | _ -> raise (Malformed o) in
    Bin (operation, dim a, dim b)
  | List _ -> raise (Malformed "a dim")
and form = function
  | Atom "true" -> B true
  | Atom "false" -> B false
  | List [Atom "=="; a; b] -> Cmp (Equal, dim a, dim b)
  | List [Atom "<="; a; b] -> Cmp (AtMost, dim a, dim b)
  | List [Atom "not"; f] -> Not (form f)
  | List [Atom "and"; f; g] -> Con (true, form f, form g)
  | List [Atom "or"; f; g] -> Con (false, form f, form g)
  | _ -> raise (Malformed "a constraint")

let hole = function Atom "?" -> None | s -> Some (dim s)
let rec annotation = function
  | List [Atom "t"; shape; t] -> Ten (List.map hole (items shape), nat t)
  | List [Atom "pair"; a; b] -> Pair (annotation a, annotation b)
  | List [Atom "unit"] -> Unit
  | _ -> raise (Malformed "a type")

let nats s = List.map nat (items s)
let zs s = List.map z (items s)
let operator = function
  | List [Atom "keep"; ts] -> Keep (nats ts)
  | List [Atom "zip"; ts; out] -> Zip (nats ts, optional nat out)
  | List [Atom "dense"; ts; units] -> Dense (nats ts, optional dim units)
  | List [Atom "batch"; ts; ta; tb] -> Batch (nats ts, flag ta, flag tb)
  | List [Atom "bias"; axis] -> Bias (z axis)
  | List [Atom "transpose"; axes] -> Transpose (optional zs axes)
  | List [Atom "reshape"; shape] -> Reshape (List.map dim (items shape))
  | List [Atom "rest"; before; after] -> Rest (zs before, zs after)
  | List [Atom "concat"; axis] -> Concat (z axis)
  | List [Atom "create"; shape; t] -> Create (List.map dim (items shape), nat t)
  | List [Atom "reduce"; ts; axes; keep] -> Reduce (nats ts, optional zs axes, flag keep)
  | List [Atom "softmax"; ts; axis] -> Softmax (nats ts, z axis)
  | List [Atom "expand"; axis; count] -> Expand (z axis, nat count)
  | _ -> raise (Malformed "an operator")

let refs s = List.map (function List [x; i] -> (nat x, nat i) | _ -> raise (Malformed "a size of a variable")) (items s)
let rec expression = function
  | List [Atom "var"; x] -> Var (nat x)
  | List [Atom "lit"; shape; t] -> Lit (nats shape, nat t)
  | List [Atom "op"; l; o; rs; e] -> Op (nat l, operator o, refs rs, expression e)
  | List [Atom "call"; l; f; e] -> Call (nat l, nat f, expression e)
  | List [Atom "nil"] -> Nil
  | List [Atom "cons"; a; b] -> Cons (expression a, expression b)
  | List [Atom "proj"; i; e] -> Proj (nat i, expression e)
  | List [Atom "let"; a; b] -> Let (expression a, expression b)
  | List [Atom "as"; l; a; rs; e] -> As (nat l, annotation a, refs rs, expression e)
  | List [Atom "branch"; l; c; a; b] -> If (nat l, expression c, expression a, expression b)
  | List [Atom "assert"; l; f; rs; e] -> Assert (nat l, form f, refs rs, expression e)
  | _ -> raise (Malformed "an expression")
let definition = function
  | List [Atom "def"; n; takes; given; body; gives; l] ->
    { names = nat n; takes = annotation takes; given = List.map form (items given); body = expression body;
      gives = optional annotation gives; label = nat l }
  | _ -> raise (Malformed "a definition")

let said program = match check_program [] (List.map definition (items program)) with
  | Ill l -> Printf.sprintf "rejected ill-formed at %d" (int_of l)
  | Fails l -> Printf.sprintf "rejected refuted at %d" (int_of l)
  | Beyond -> "undecided a call that leaves a name open"
  | Good found ->
    let each (_, state) = (concluded state, left_open state) in
    let found = List.map each found in
    if List.exists (fun (v, _) -> v = Rejected) found then "rejected by a counterexample"
    else if List.exists (fun (v, _) -> v = Undecided) found then "undecided an obligation"
    else "accepted" ^ String.concat "" (List.concat_map (fun (_, ls) -> List.rev_map (fun l -> Printf.sprintf " %d" (int_of l)) ls) found)

let () =
  try
    while true do
      let line = input_line stdin in
      print_endline (try said (read line) with Malformed what -> "malformed " ^ what)
    done
  with End_of_file -> ()
