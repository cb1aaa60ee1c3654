#include "reference/autodiff/ops/concat.h"

#include <cstdint>

#include "reference/autodiff/gradient_tape.h"
#include "reference/kernels/concat.h"
#include "reference/kernels/split.h"

namespace lockstep::ops {

Tensor Concat(const std::vector<Tensor>& tensors, int axis) {
  Tensor joined = kernels::Concat(tensors, axis);
  if (axis < 0) axis += joined.rank();
  std::vector<int64_t> sizes;
  for (const Tensor& tensor : tensors) sizes.push_back(tensor.dim(axis));
  RecordOperation(
      tensors, joined, [sizes, axis](const Tensor& dy, std::span<const bool>) {
        const std::vector<Tensor> parts = kernels::Split(dy, sizes, axis);
        return Gradients(parts.begin(), parts.end());
      });
  return joined;
}

}  // namespace lockstep::ops
