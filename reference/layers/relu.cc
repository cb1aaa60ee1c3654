#include "reference/layers/relu.h"

#include "reference/autodiff/ops/unary.h"
#include "reference/autodiff/unique_name.h"

namespace lockstep {

ReLU::ReLU(const std::string& name)
    : Layer(name.empty() ? UniqueName("re_lu") : name) {}

Shape ReLU::ComputeOutputShape(const Shape& input_shape) const {
  return input_shape;
}

Tensor ReLU::Call(const Tensor& x, bool /*training*/) { return ops::Relu(x); }

}  // namespace lockstep
