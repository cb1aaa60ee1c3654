#include "conformance/testees/reference/intents/centering.h"

#include <array>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"

namespace lockstep::conformance {

VariablePtr CenteringImpl::AddNumbers(const std::string& name,
                                      const Shape& shape,
                                      VariableAggregation aggregation) {
  return AddWeight({.name = name,
                    .checkpoint_name = name,
                    .shape = shape,
                    .initializer = initializers::Zeros(),
                    .trainable = false,
                    .synchronization = VariableSynchronization::kOnRead,
                    .aggregation = aggregation});
}

void CenteringImpl::MakeWeights(const Shape& /*input_shape*/) {
  seen_ = AddNumbers("seen", Shape{}, VariableAggregation::kSum);
  moving_mean_ =
      AddNumbers("moving_mean", Shape{size_}, VariableAggregation::kMean);
}

Tensor CenteringImpl::Call(const Tensor& x, bool training) {
  if (!training) return ops::Subtract(x, Read(moving_mean_));
  if (x.dim(0) == 0) return x;
  seen_->AssignAdd(Tensor::Scalar(static_cast<float>(x.dim(0))));
  const Tensor rows = ops::Cast(ops::StopGradient(x), DType::kFloat32);
  const Tensor mean = ops::ReduceMean(rows, std::array{0});
  moving_mean_->Assign(ops::Add(ops::Scale(moving_mean_->Read(), momentum_),
                                ops::Scale(mean, 1 - momentum_)));
  return x;
}

}  // namespace lockstep::conformance
