(* What each theorem rests on, for the build to compare: nothing, or functional extensionality alone. *)
From Gradual Require Import Shapes Verdicts Core Guarantees Program ProgramSound ProgramPrecision Coerce.

Print Assumptions Verdicts.perfect_oracles.
Print Assumptions Verdicts.naive_breaks_sgg.
Print Assumptions Core.world_inhabited.
Print Assumptions Core.elab_correct.
Print Assumptions Core.dgg.
Print Assumptions Core.budget_monotone.
Print Assumptions Guarantees.sgg.
Print Assumptions Guarantees.conservative.
Print Assumptions Program.world_inhabited.
Print Assumptions ProgramSound.elab_correct.
Print Assumptions ProgramSound.program_correct.
Print Assumptions ProgramPrecision.dgg.
Print Assumptions ProgramPrecision.sgg.
Print Assumptions ProgramPrecision.sgg_def.
Print Assumptions ProgramPrecision.perfect_same.
Print Assumptions Coerce.tcomp_correct.
Print Assumptions Coerce.comp_correct.
Print Assumptions Coerce.comp_wf.
Print Assumptions Coerce.wf_bound.
