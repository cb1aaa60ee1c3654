// Explains cases and their results.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_EXPLAIN_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_EXPLAIN_H_

#include <string>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// A case in readable form:
//
//   input/rebatch/last_global_batch_is_split (required)
//     A global batch smaller than the others is still divided over all replicas.
//   documented
//     distributed_input 0Qb6nDgxiN_n (https://...)
//   given
//     a mirrored strategy with 2 replicas
//   program
//     numbers = dataset.range(stop: 6)
//     batches = dataset.batch(numbers, size: 4)
//     inputs = strategy.distribute_dataset(batches)
//     observe batch_sizes = input.batch_sizes(inputs)
//   expected
//     batch_sizes equals [[2, 2], [1, 1]]
std::string DescribeCase(const Case& conformance_case, const Sources& sources);

// "batch_sizes equals [[2, 2], [1, 1]]", with the tolerance, or the step of an
// error.
std::string DescribeExpectation(const Expectation& expectation);

// Explains what went wrong in a case, and how to run it again.
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
//     explain   ./bazelw run //conformance:explain -- input/rebatch/last_...
//
// A wrong value after train.resume has a line "hint" too.
//
// "failed"; for verdicts that are not deviations also whether all expectations
// hold: "informational, matches".
std::string DescribeVerdict(const CaseResult& result);

// `rerun`: the command that runs this case alone; `explain`: the command that
// shows all that is known of it, or "". Expectations that hold are omitted.
std::string ExplainResult(const CaseResult& result, const Sources& sources,
                          const std::string& rerun,
                          const std::string& explain = "");

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_EXPLAIN_H_
