#include "reference/layers/batch_normalization.h"

#include <array>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {
namespace {

Tensor ReadOrNone(const VariablePtr& variable) {
  return variable == nullptr ? Tensor() : variable->Read();
}

// Whether the kernel reads them directly, computing in float32.
bool AreReadNarrow(const Tensor& x, const Tensor& addend) {
  return x.dtype() == DType::kBFloat16 && x.on_host() &&
         (!addend.defined() || addend.dtype() == x.dtype());
}

}  // namespace

BatchNormalizationImpl::BatchNormalizationImpl(
    const BatchNormalizationOptions& options)
    : TensorLayerImpl(options.name.empty() ? UniqueName("batch_normalization")
                                           : options.name),
      options_(options) {
  // NaN must fail too.
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

int BatchNormalizationImpl::AxisOf(const Shape& shape) const {
  const int axis =
      options_.axis < 0 ? shape.rank() + options_.axis : options_.axis;
  if (axis < 1 || axis >= shape.rank() || shape[axis] < 1) {
    throw InvalidArgument(
        "[BatchNormalization] a batch of rows with channels along axis {} is "
        "needed, got {}",
        options_.axis, ToString(shape));
  }
  return axis;
}

Shape BatchNormalizationImpl::ComputeOutputShape(
    const Shape& input_shape) const {
  AxisOf(input_shape);  // throws for wrong arguments
  return input_shape;
}

void BatchNormalizationImpl::MakeWeights(const Shape& input_shape) {
  const Shape shape{input_shape[AxisOf(input_shape)]};
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

VariablePtr BatchNormalizationImpl::AddMovingWeight(
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

void BatchNormalizationImpl::CheckInput(const Tensor& x) const {
  const int64_t channels = moving_mean_->shape()[0];
  if (!IsFloating(x.dtype()) || x.dim(AxisOf(x.shape())) != channels) {
    throw InvalidArgument(
        "[BatchNormalization] '{}' normalizes floating numbers in {} channels, "
        "got {}",
        name(), channels, Describe(x));
  }
}

bool BatchNormalizationImpl::Fuses(const Epilogue& epilogue) const {
  return IsExactly<BatchNormalizationImpl>() && !epilogue.max_pool;
}

Tensor BatchNormalizationImpl::Call(const Tensor& x, bool training) {
  return NormalizeAlongAxis(x, training, /*relu=*/false, {});
}

Tensor BatchNormalizationImpl::CallFused(const Tensor& x, bool training,
                                         const Epilogue& epilogue,
                                         const Tensor& addend) {
  return Fuses(epilogue)
             ? NormalizeAlongAxis(x, training, epilogue.relu,
                                  epilogue.add ? addend : Tensor())
             : TensorLayerImpl::CallFused(x, training, epilogue, addend);
}

namespace {

// Moves the channels to the last axis: [N, ..., C, ...] to [N * ..., ..., C].
Tensor ChannelsLast(const Tensor& x, int axis) {
  if (!x.defined()) return x;
  const Shape rows(x.shape().dims().first(axis));
  const Shape inner(x.shape().dims().subspan(axis + 1));
  return ops::SwapLastAxes(ops::Reshape(
      x, Shape{rows.num_elements(), x.dim(axis), inner.num_elements()}));
}

}  // namespace

Tensor BatchNormalizationImpl::NormalizeAlongAxis(const Tensor& x,
                                                  bool training, bool relu,
                                                  const Tensor& addend) {
  CheckInput(x);
  const int axis = AxisOf(x.shape());
  if (axis == x.rank() - 1) {
    return NormalizeInFloat32(x, training, relu, addend);
  }
  const Tensor y = NormalizeInFloat32(ChannelsLast(x, axis), training, relu,
                                      ChannelsLast(addend, axis));
  return ops::Reshape(ops::SwapLastAxes(y), x.shape());
}

Tensor BatchNormalizationImpl::NormalizeInFloat32(const Tensor& x,
                                                  bool in_training, bool relu,
                                                  const Tensor& addend) {
  const bool training = in_training && trainable();
  // In float32 for any compute type: moments would lose too much in 16 bits.
  if (AreReadNarrow(x, addend)) {
    return Normalize(x, training, relu, addend);
  }
  return ops::Cast(
      Normalize(ops::Widened(x), training, relu, ops::Widened(addend)),
      x.dtype());
}

namespace {

bool IsOneOfSeveralReplicas() {
  const DistributionContext& context = DistributionContext::Current();
  return !context.in_cross_replica_context() &&
         context.num_replicas_in_sync() > 1;
}

std::vector<Tensor> SumOverReplicas(const std::vector<Tensor>& values) {
  return DistributionContext::Current().AllReduce(ReduceOp::kSum, values);
}

}  // namespace

Tensor BatchNormalizationImpl::Normalize(const Tensor& x, bool training,
                                         bool relu, const Tensor& addend) {
  kernels::BatchNormOptions options{.epsilon = options_.epsilon, .relu = relu};
  const Tensor gamma = ReadOrNone(gamma_);
  const Tensor beta = ReadOrNone(beta_);
  if (!training) {
    return ops::BatchNormInference(x, gamma, beta, moving_mean_->Read(),
                                   moving_variance_->Read(), addend, options);
  }
  if (options_.synchronized && IsOneOfSeveralReplicas()) {
    if (!x.on_host()) {
      return Finish(NormalizeTogetherOnGpu(x),
                    {.add = addend.defined(), .relu = relu}, addend);
    }
    options.add_parts = [](const Tensor& part) {
      return SumOverReplicas({part})[0];
    };
  }
  const kernels::BatchNormResult result =
      ops::BatchNorm(x, gamma, beta, addend, options);
  if (result.rows > 0) {
    Move(*moving_mean_, result.mean);
    Move(*moving_variance_, result.variance);
  }
  return result.y;
}

Tensor BatchNormalizationImpl::NormalizeTogetherOnGpu(const Tensor& x) {
  std::vector<int> rows(x.rank() - 1);
  std::iota(rows.begin(), rows.end(), 0);
  const auto local_count =
      static_cast<float>(x.num_elements() / x.dim(x.rank() - 1));
  // In two steps: squared deviations from the mean of all rows lose no digits.
  const std::vector<Tensor> sums =
      SumOverReplicas({ops::ReduceSum(x, rows), Tensor::Scalar(local_count)});
  const Tensor mean = ops::Divide(sums[0], sums[1]);
  const Tensor centred = ops::Subtract(x, mean);
  const Tensor squares =
      SumOverReplicas({ops::ReduceSum(ops::Square(centred), rows)})[0];
  const Tensor variance = ops::Divide(squares, sums[1]);
  if (local_count > 0) {
    Move(*moving_mean_, mean);
    Move(*moving_variance_, variance);
  } else {
    MoveWhereOthersHaveRows(sums[1], mean, variance);
  }
  const auto epsilon = Tensor::Scalar(static_cast<float>(options_.epsilon));
  Tensor y = ops::Divide(centred, ops::Sqrt(ops::Add(variance, epsilon)));
  if (gamma_ != nullptr) y = ops::Multiply(y, gamma_->Read());
  return beta_ == nullptr ? y : ops::Add(y, beta_->Read());
}

// Releases the old value before the new one is assigned, so that it can be
// written into the same memory.
Tensor BatchNormalizationImpl::Moved(const Variable& moving,
                                     const Tensor& batch) const {
  return kernels::Add(kernels::Scale(moving.Read(), options_.momentum),
                      kernels::Scale(batch, 1 - options_.momentum));
}

void BatchNormalizationImpl::MoveWhereOthersHaveRows(const Tensor& count,
                                                     const Tensor& mean,
                                                     const Tensor& variance) {
  const Tensor any = count.Cast(DType::kBool);
  for (const auto& [moving, batch] :
       {std::pair(moving_mean_.get(), &mean),
        std::pair(moving_variance_.get(), &variance)}) {
    moving->Update("AssignWhere", std::array{any, Moved(*moving, *batch)},
                   [](Tensor& value, std::span<const Tensor> inputs) {
                     kernels::AssignWhere(inputs[0], value, inputs[1]);
                   });
  }
}

void BatchNormalizationImpl::Move(Variable& moving, const Tensor& batch) const {
  moving.Assign(Moved(moving, batch));
}

LayerConfig BatchNormalizationImpl::Config() const {
  LayerConfig config = StartConfig("BatchNormalization", *this);
  config.config.update(
      {{"axis", options_.axis},
       {"momentum", options_.momentum},
       {"epsilon", options_.epsilon},
       {"center", options_.center},
       {"scale", options_.scale},
       {"beta_regularizer", RegularizerConfig(options_.beta_regularizer)},
       {"gamma_regularizer", RegularizerConfig(options_.gamma_regularizer)},
       {"synchronized", options_.synchronized}});
  return config;
}

}  // namespace lockstep
