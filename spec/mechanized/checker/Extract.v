(* The checker as an OCaml module.  Only booleans, options, lists and pairs become those of OCaml; numbers stay as in Coq. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Gradual Require Import Dims Decide Judge Check.
Extraction Language OCaml.
Extraction "checker.ml" check_program concluded left_open.
