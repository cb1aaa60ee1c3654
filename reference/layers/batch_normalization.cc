#include "reference/layers/batch_normalization.h"

#include "reference/autodiff/ops/batch_norm.h"
#include "reference/autodiff/ops/reshape.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"
#include "reference/kernels/binary.h"
#include "reference/kernels/scale.h"

namespace lockstep {
namespace {

Tensor ReadOrNone(const VariablePtr& variable) {
  return variable == nullptr ? Tensor() : variable->Read();
}

Tensor Widened(const Tensor& tensor) {
  return IsNarrowFloat(tensor.dtype()) ? ops::Cast(tensor, DType::kFloat32)
                                       : tensor;
}

}  // namespace

BatchNormalization::BatchNormalization(const BatchNormalizationOptions& options)
    : Layer(options.name.empty() ? UniqueName("batch_normalization")
                                 : options.name),
      options_(options) {
  // Written so that NaN fails too.
  if (!(options.momentum >= 0 && options.momentum <= 1)) {
    throw InvalidArgument(
        "[BatchNormalization] momentum must be in [0, 1], got {}",
        options.momentum);
  }
  if (!(options.epsilon >= 0)) {
    throw InvalidArgument(
        "[BatchNormalization] epsilon must not be negative, got {}",
        options.epsilon);
  }
}

Shape BatchNormalization::ComputeOutputShape(const Shape& input_shape) const {
  const int rank = input_shape.rank();
  if (rank < 2 || input_shape[rank - 1] < 1) {
    throw InvalidArgument(
        "[BatchNormalization] a batch of rows with channels is needed, got {}",
        ToString(input_shape));
  }
  return input_shape;
}

void BatchNormalization::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // for its errors
  const Shape shape{input_shape[input_shape.rank() - 1]};
  if (options_.scale) {
    gamma_ = AddWeight({.name = "gamma",
                        .checkpoint_name = "gamma",
                        .shape = shape,
                        .initializer = options_.gamma_initializer,
                        .regularizer = options_.gamma_regularizer});
  }
  if (options_.center) {
    beta_ = AddWeight({.name = "beta",
                       .checkpoint_name = "beta",
                       .shape = shape,
                       .initializer = options_.beta_initializer,
                       .regularizer = options_.beta_regularizer});
  }
  moving_mean_ =
      AddMovingWeight("moving_mean", shape, options_.moving_mean_initializer);
  moving_variance_ = AddMovingWeight("moving_variance", shape,
                                     options_.moving_variance_initializer);
}

VariablePtr BatchNormalization::AddMovingWeight(
    const std::string& name, const Shape& shape,
    const Initializer& initializer) {
  return AddWeight({.name = name,
                    .checkpoint_name = name,
                    .shape = shape,
                    .initializer = initializer,
                    .trainable = false,
                    .synchronization = VariableSynchronization::kOnRead,
                    .aggregation = VariableAggregation::kMean});
}

Tensor BatchNormalization::Call(const Tensor& x, bool training) {
  return CallFused(x, training, {});
}

Tensor BatchNormalization::CallFused(const Tensor& x, bool training,
                                     const Epilogue& epilogue) {
  // In float32, whatever the compute type: moments lose too much in 16 bits.
  const Epilogue wide{.addend = Widened(epilogue.addend),
                      .relu = epilogue.relu};
  return ops::Cast(Normalize(Widened(x), training, wide), x.dtype());
}

Tensor BatchNormalization::Normalize(const Tensor& x, bool training,
                                     const Epilogue& epilogue) {
  const kernels::BatchNormOptions options{.epsilon = options_.epsilon,
                                          .relu = epilogue.relu};
  const Tensor gamma = ReadOrNone(gamma_);
  const Tensor beta = ReadOrNone(beta_);
  if (!training) {
    return ops::BatchNormInference(x, gamma, beta, moving_mean_->Read(),
                                   moving_variance_->Read(), epilogue.addend,
                                   options);
  }
  const kernels::BatchNormResult result =
      ops::BatchNorm(x, gamma, beta, epilogue.addend, options);
  if (x.num_elements() > 0) {
    Move(*moving_mean_, result.mean);
    Move(*moving_variance_, result.variance);
  }
  return result.y;
}

void BatchNormalization::Move(Variable& moving, const Tensor& batch) const {
  moving.Assign(kernels::Add(kernels::Scale(moving.Read(), options_.momentum),
                             kernels::Scale(batch, 1 - options_.momentum)));
}

}  // namespace lockstep
