#include "reference/autodiff/ops/recurrent_ops.h"

#include <span>

#include "reference/autodiff/gradient_tape.h"

namespace lockstep::ops {

Tensor Gru(const kernels::GruInputs& inputs) {
  kernels::GruResult result = kernels::Gru(inputs);
  RecordOperation(
      {inputs.projected, inputs.recurrent, inputs.bias, inputs.initial},
      result.y, [inputs, result](const Tensor& dy, std::span<const bool>) {
        const kernels::GruInputs d = kernels::GruBackward(inputs, result, dy);
        return Gradients{d.projected, d.recurrent, d.bias, d.initial};
      });
  return result.y;
}

Tensor Lstm(const kernels::LstmInputs& inputs) {
  kernels::LstmResult result = kernels::Lstm(inputs);
  RecordOperation(
      {inputs.projected, inputs.recurrent, inputs.initial}, result.states,
      [inputs, result](const Tensor& dstates, std::span<const bool>) {
        const kernels::LstmInputs d =
            kernels::LstmBackward(inputs, result, dstates);
        return Gradients{d.projected, d.recurrent, d.initial};
      });
  return result.states;
}

}  // namespace lockstep::ops
