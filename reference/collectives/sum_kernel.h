// The inner loop of every reduction: sums arrays in a fixed order.
//
//   const float a[] = {1, 2}, b[] = {3, 4};
//   float x[2], y[2];
//   SumInto({.dtype = DType::kFloat32, .count = 2, .inputs = {a, b},
//            .outputs = {x, y}, .divisor = 2});       // x = y = {2, 3}
//
// One pass reads every input once and writes every output once. Element i of
// each output is ((inputs[0][i] + inputs[1][i]) + inputs[2][i] + ...) /
// divisor, so the bits do not depend on how the work is split. One input makes
// it a copy.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_SUM_KERNEL_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_SUM_KERNEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/tensor/dtype.h"

namespace lockstep::collectives_internal {

struct SumArguments {
  DType dtype = DType::kFloat32;
  int64_t count = 0;
  // At least one of each. An output may be one of the inputs, but must not
  // overlap one otherwise.
  std::vector<const void*> inputs = {};
  std::vector<void*> outputs = {};
  // The number of replicas, for a mean. Floating types only.
  int divisor = 1;
  // Bypass the caches, for results larger than they are.
  bool stream = false;
};

// Integers wrap. 16-bit floats are added as float32 and rounded once, at the
// end. REQUIRES: a numeric dtype other than bool.
void SumInto(const SumArguments& arguments);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_SUM_KERNEL_H_
