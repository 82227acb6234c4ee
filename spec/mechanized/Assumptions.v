(* What each theorem rests on, for the build to compare: nothing, or functional extensionality alone. *)
From Gradual Require Import Shapes Verdicts Core Guarantees Dims Program ProgramSound ProgramPrecision Operators
  Examples Coerce.

Print Assumptions Verdicts.perfect_oracles.
Print Assumptions Verdicts.naive_breaks_sgg.
Print Assumptions Core.world_inhabited.
Print Assumptions Core.elab_correct.
Print Assumptions Core.dgg.
Print Assumptions Core.budget_monotone.
Print Assumptions Guarantees.sgg.
Print Assumptions Guarantees.conservative.
Print Assumptions Dims.norm_correct.
Print Assumptions Dims.same_sound.
Print Assumptions Dims.proved_by_form.
Print Assumptions Dims.refuted_by_form.
Print Assumptions Dims.subst_correct.
Print Assumptions Dims.supp_eval.
Print Assumptions Dims.floor_greatest.
Print Assumptions Program.world_inhabited.
Print Assumptions ProgramSound.elab_correct.
Print Assumptions ProgramSound.program_correct.
Print Assumptions ProgramPrecision.dgg.
Print Assumptions ProgramPrecision.sgg.
Print Assumptions ProgramPrecision.sgg_def.
Print Assumptions ProgramPrecision.perfect_same.
Print Assumptions Operators.square.
Print Assumptions Operators.declared_ok.
Print Assumptions Operators.contents_ok.
Print Assumptions Operators.shape_of_exact.
Print Assumptions Operators.reshape_back.
Print Assumptions Examples.grow_ok.
Print Assumptions Examples.grow_precise.
Print Assumptions Examples.grow_correct.
Print Assumptions Coerce.tcomp_correct.
Print Assumptions Coerce.comp_correct.
Print Assumptions Coerce.comp_wf.
Print Assumptions Coerce.wf_bound.
