// Inputs of benchmarked all-reduces, and a check of their sums.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_ALL_REDUCE_INPUTS_H_
#define LOCKSTEP_BENCHMARKS_MICRO_ALL_REDUCE_INPUTS_H_

#include <cstdint>
#include <vector>

#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// A float32 tensor for each count; replica `replica` holds i % 97 + replica:
// sums are exact.
std::vector<Tensor> MakeInputs(const std::vector<int64_t>& counts, int replica,
                               Device& device);
// Whether these are the sums of the inputs over `replicas`.
bool IsRight(const std::vector<Tensor>& sums, int replicas);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_ALL_REDUCE_INPUTS_H_
