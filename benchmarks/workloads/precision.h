// A workload in another precision.
//
//   Workload workload = WithPrecision(FashionMnistCnn(images), "mixed_bfloat16");
//   workload.precision;    // "mixed_bfloat16"
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_PRECISION_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_PRECISION_H_

#include <string>

#include "benchmarks/workloads/workload.h"

namespace lockstep::benchmarks {

// The model is made under the policy; mixed_float16 scales its losses.
// Errors: those of DTypePolicy.
Workload WithPrecision(Workload workload, const std::string& policy);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_PRECISION_H_
