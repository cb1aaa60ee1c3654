// Tells a person what went wrong in a case, and how to see it again.
//
//   input/rebatch/last_global_batch_is_split: failed (required)
//     states    A global batch smaller than the others is still divided ...
//     cites     distributed_input 0Qb6nDgxiN_n (https://...)
//     given     {"strategy":"mirrored","replicas":2}
//     step      {"observe":"batch_sizes","step":"input.batch_sizes", ...}
//     expected  batch_sizes equals [[2,2],[1,1]]
//     observed  [[2,2],[2,0]]
//     differs   at [1][0]: expected 1, observed 2
//     rerun     ./bazelw test //conformance:input_rebatch_test ...
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_EXPLAIN_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_EXPLAIN_H_

#include <string>

#include "conformance/runner/sources.h"
#include "conformance/runner/verdict.h"

namespace lockstep {

// The command that puts one case to a testee.
std::string RerunCommand(const std::string& testee, const std::string& case_id);

// `rerun` is the command that runs this case alone. Expectations that hold are
// left out.
std::string ExplainResult(const CaseResult& result, const Sources& sources,
                          const std::string& rerun);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_EXPLAIN_H_
