#include "reference/autodiff/ops/gather.h"

#include "reference/autodiff/gradient_tape.h"
#include "reference/kernels/gather.h"

namespace lockstep::ops {

Tensor Gather(const Tensor& params, const Tensor& indices) {
  Tensor rows = kernels::Gather(params, indices);
  RecordOperation(
      {params}, rows,
      [shape = params.shape(), indices](const Tensor& dy,
                                        std::span<const bool>) {
        return Gradients{kernels::GatherBackward(shape, indices, dy)};
      });
  return rows;
}

}  // namespace lockstep::ops
