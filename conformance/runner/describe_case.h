// A case in a form for reading:
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
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DESCRIBE_CASE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DESCRIBE_CASE_H_

#include <string>

#include "conformance/runner/case.h"
#include "conformance/runner/sources.h"

namespace lockstep {

std::string DescribeCase(const Case& conformance_case, const Sources& sources);

// "batch_sizes equals [[2, 2], [1, 1]]", with tolerance and place of an error.
std::string DescribeExpectation(const Expectation& expectation);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DESCRIBE_CASE_H_
