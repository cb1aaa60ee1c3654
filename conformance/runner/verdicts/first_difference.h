// Finds where two runs of a training, which should be the same, first differ:
// in which training step, and in its gradient or its update.
//
//   FirstDifference(conformance_case, given, finding, run);
//   // "training step 1 of 1 (train.epoch), batch 2: the gradient differs at
//   // [0].kernel[1][0]: expected 0.25, observed 0.5, which is off by 0.25 where
//   // rounding explains 9.5e-07"
//
// Runs both programs again, with gradients and parameters observed after every
// training step (traced_program.h). Reports the first difference beyond the
// expectation's tolerance, in the order of the steps, gradients before
// parameters. If a parameter differs although the gradients agree, the update
// is wrong. A step with several batches is searched by bisection, with programs
// that stop after some of them, on the assumption that runs that differ once
// continue to differ. If the runs have different numbers of batches, it
// searches the optimizer steps.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_FIRST_DIFFERENCE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_FIRST_DIFFERENCE_H_

#include <functional>
#include <string>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// Runs a program on the testee whose run was judged; `given` has no parameters.
using ProgramRunner =
    std::function<Answer(const Json& given, const Json& program)>;

// For a finding that does not hold and was compared with another run of the
// same case; empty for any other, without running anything. Also empty if the
// program cannot be traced, or if the testee gives no observations. If only
// train.gradients is unsupported, parameters are compared. `given`: of the
// judged run, with its parameters.
std::string FirstDifference(const Case& conformance_case, const Json& given,
                            const Finding& finding, const ProgramRunner& run);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_FIRST_DIFFERENCE_H_
