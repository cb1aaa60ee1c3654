// Where two runs of a training part, one of which was to be the same as the
// other: in which training step, and whether its gradient or its update does.
//
//   FirstDifference(conformance_case, given, finding, ask);
//   // "training step 1 of 1 (train.epoch), batch 2: the gradient differs at
//   // [0].kernel[1][0]: expected 0.25, observed 0.5, which is off by 0.25 where
//   // rounding explains 9.5e-07"
//
// Both programs are asked once more, with gradients and parameters observed
// behind every training step (traced_program.h). In the order of the
// steps, of each the gradients first, the first that is beyond the expectation's
// tolerance is told. A parameter that differs where the gradients agree is the
// update's. A step of several batches is searched by halves, with programs that
// end behind some of them: a training that has parted is taken to stay apart.
// Where the runs have unequal batches, their steps of the optimizer are.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_FIRST_DIFFERENCE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_FIRST_DIFFERENCE_H_

#include <functional>
#include <string>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// Puts a program to the testee whose run was judged; `given` has no parameters.
using AskProgram =
    std::function<Answer(const Json& given, const Json& program)>;

// Of a finding that does not hold and was compared with another run, of the
// same case; empty for any other, and nothing is asked. Empty too where the
// program cannot be traced, or where the testee does not answer it: lacks a step,
// fails, dies. One that lacks train.gradients alone is asked for parameters.
// `given`: of the judged run, with its parameters.
std::string FirstDifference(const Case& conformance_case, const Json& given,
                            const Finding& finding, const AskProgram& ask);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_FIRST_DIFFERENCE_H_
