// The workload that the command line asks for.
#ifndef LOCKSTEP_BENCHMARKS_CHOOSE_WORKLOAD_H_
#define LOCKSTEP_BENCHMARKS_CHOOSE_WORKLOAD_H_

#include "benchmarks/scaling_options.h"
#include "benchmarks/workloads/workload.h"

namespace lockstep::benchmarks {

// With its images read or made. Errors: InvalidArgument for an unknown name,
// and those of reading images.
Workload ChooseWorkload(const ScalingOptions& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_CHOOSE_WORKLOAD_H_
