#include "reference/preprocessing/numeric/normalization.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/layers/layer_config.h"
#include "reference/preprocessing/adaptation.h"
#include "reference/preprocessing/numeric/columns.h"

namespace lockstep {
namespace {

constexpr double kLeastDeviation = 1e-7;  // keras.config.epsilon()

void CheckGivenMoments(const NormalizationOptions& options) {
  const Tensor& mean = options.mean;
  if (mean.defined() != options.variance.defined()) {
    throw InvalidArgument(
        "[Normalization] mean and variance must be given together, only the "
        "{} was",
        mean.defined() ? "mean" : "variance");
  }
  if (!mean.defined()) return;
  if (mean.shape() != options.variance.shape() ||
      mean.rank() > static_cast<int>(options.axis.size())) {
    throw InvalidArgument(
        "[Normalization] mean and variance must have one shape, of at most {} "
        "axes, got {} and {}",
        options.axis.size(), Describe(mean), Describe(options.variance));
  }
}

}  // namespace

NormalizationImpl::NormalizationImpl(const NormalizationOptions& options)
    : TensorLayerImpl(
          options.name.empty() ? UniqueName("normalization") : options.name,
          options.dtype),
      options_(options) {
  CheckGivenMoments(options);
}

std::vector<int> NormalizationImpl::AxesOf(const Shape& shape) const {
  std::vector<int> axes;
  for (const int axis : options_.axis) {
    axes.push_back(axis < 0 ? axis + shape.rank() : axis);
  }
  std::ranges::sort(axes);
  for (size_t i = 0; i < axes.size(); ++i) {
    // The batch has another size in each call.
    if (axes[i] < 1 || axes[i] >= shape.rank() || shape[axes[i]] < 1 ||
        (i > 0 && axes[i] == axes[i - 1])) {
      throw InvalidArgument(
          "[Normalization] '{}' needs a batch with other axes of known size "
          "for axis [{}], each once, got {}",
          name(), fmt::join(options_.axis, ", "), ToString(shape));
    }
  }
  return axes;
}

Shape NormalizationImpl::ChannelsOf(const Shape& shape) const {
  std::vector<int64_t> sizes;
  for (const int axis : AxesOf(shape)) sizes.push_back(shape[axis]);
  return Shape(sizes);
}

Shape NormalizationImpl::ComputeOutputShape(const Shape& input_shape) const {
  AxesOf(input_shape);  // throws for wrong arguments
  return input_shape;
}

void NormalizationImpl::MakeWeights(const Shape& input_shape) {
  channels_ = ChannelsOf(input_shape);
  if (options_.mean.defined()) return;
  mean_ = AddWeight({.name = "mean",
                     .checkpoint_name = "adapt_mean",
                     .shape = channels_,
                     .initializer = initializers::Zeros(),
                     .trainable = false});
  variance_ = AddWeight({.name = "variance",
                         .checkpoint_name = "adapt_variance",
                         .shape = channels_,
                         .initializer = initializers::Ones(),
                         .trainable = false});
  count_ = AddWeight({.name = "count",
                      .checkpoint_name = "count",
                      .shape = {},
                      .initializer =
                          [](const Shape& shape, Random&) {
                            return Tensor::Zeros(shape, DType::kInt64);
                          },
                      .trainable = false});
}

void NormalizationImpl::CheckChannels(const char* operation, const Shape& shape,
                                      const Shape& channels) const {
  if (ChannelsOf(shape) == channels) return;
  throw InvalidArgument("[{}] '{}' was built for sizes {} of axis [{}], got {}",
                        operation, name(), ToString(channels),
                        fmt::join(options_.axis, ", "), ToString(shape));
}

Tensor NormalizationImpl::Broadcastable(const Tensor& moment,
                                        const Shape& x) const {
  std::vector<int64_t> sizes(x.rank(), 1);
  const std::vector<int> axes = AxesOf(x);
  for (int i = 1; i <= moment.rank(); ++i) {
    sizes[axes[axes.size() - i]] = moment.dim(moment.rank() - i);
  }
  return ops::Cast(moment.Reshape(Shape(sizes)),
                   dtype_policy().compute_dtype());
}

Tensor NormalizationImpl::Call(const Tensor& x, bool /*training*/) {
  CheckChannels("Normalization", x.shape(), channels_);
  agreed_.CheckInRun(name(), [this](const auto& visit) { VisitState(visit); });
  const bool given = options_.mean.defined();
  const Tensor mean =
      Broadcastable(given ? options_.mean : mean_->Read(), x.shape());
  const Tensor variance =
      Broadcastable(given ? options_.variance : variance_->Read(), x.shape());
  const Tensor deviation = ops::ClipByValue(
      ops::Sqrt(variance), kLeastDeviation, std::numeric_limits<double>::max());
  const Tensor numbers = ops::Cast(x, dtype_policy().compute_dtype());
  return options_.invert ? mean + numbers * deviation
                         : (numbers - mean) / deviation;
}

void NormalizationImpl::CheckAdaptable() const {
  preprocessing_internal::CheckMayAdapt("Normalization.Adapt");
  if (!options_.mean.defined()) return;
  throw FailedPrecondition(
      "[Normalization.Adapt] '{}' was made with a mean and a variance; make it "
      "without them to adapt it",
      name());
}

void NormalizationImpl::AddBatch(const Tensor& x, Found& found) const {
  if (x.dtype() == DType::kString) {
    throw InvalidArgument("[Normalization.Adapt] data must be numbers, got {}",
                          Describe(x));
  }
  const std::vector<int> axes = AxesOf(x.shape());
  if (built() || found) {
    CheckChannels("Normalization.Adapt", x.shape(),
                  built() ? channels_ : ChannelsOf(found->shape));
  }
  const Tensor columns = preprocessing_internal::ToColumns(x, axes);
  if (!found) found = {x.shape(), Moments(columns.dim(1))};
  if (columns.dtype() == DType::kFloat32) {
    found->moments.Add(columns.span<float>());
  } else {
    found->moments.Add(columns.span<double>());
  }
}

NormalizationImpl::Found NormalizationImpl::FindIn(const Dataset& data) const {
  CheckAdaptable();
  Found found;
  preprocessing_internal::ForEachBatch(
      "Normalization.Adapt", data,
      [&](const Tensor& x) { AddBatch(x, found); });
  return found;
}

NormalizationImpl::Found NormalizationImpl::FindIn(const Tensor& data) const {
  CheckAdaptable();
  Found found;
  AddBatch(data, found);
  return found;
}

Moments NormalizationImpl::BuildFor(const Found& found) {
  if (!found || found->moments.count() == 0) {
    throw InvalidArgument(
        "[Normalization.Adapt] there is no data, and no data has a mean");
  }
  if (found->shape.rank() > 0) {
    Build(ShapeStructure(found->shape.WithDim(0, kUnknownDim)));
  }
  return found->moments;
}

Moments NormalizationImpl::MomentsOf(const Dataset& data) {
  return BuildFor(FindIn(data));
}

Moments NormalizationImpl::MomentsOf(const Tensor& data) {
  return BuildFor(FindIn(data));
}

void NormalizationImpl::Adapt(const Dataset& data) {
  const auto parts = preprocessing_internal::ReadParts(
      {"Normalization.Adapt", name()}, data, [this](const Dataset& part) {
        return preprocessing_internal::ToTensors(FindIn(part));
      });
  Adopt(BuildFor(
      preprocessing_internal::MergeMoments("Normalization.Adapt", parts)));
}

void NormalizationImpl::Adapt(const Tensor& data) {
  const std::vector<Tensor> same = preprocessing_internal::ReadSame(
      {"Normalization.Adapt", name()},
      [&] { return preprocessing_internal::ToTensors(FindIn(data)); });
  Adopt(BuildFor(
      preprocessing_internal::MergeMoments("Normalization.Adapt", {same})));
}

namespace {

Tensor FloatTensor(const std::vector<double>& values, const Shape& shape) {
  return Tensor::FromVector(std::vector<float>(values.begin(), values.end()),
                            shape);
}

}  // namespace

void NormalizationImpl::Adopt(const Moments& moments) {
  CheckAdaptable();
  if (!built()) {
    throw FailedPrecondition(
        "[Normalization.Adopt] '{}' is not built, so its shape is unknown; "
        "call Build or MomentsOf first",
        name());
  }
  if (moments.columns() != channels_.num_elements()) {
    throw InvalidArgument(
        "[Normalization.Adopt] '{}' has {} columns, got moments of {}", name(),
        channels_.num_elements(), moments.columns());
  }
  mean_->Assign(FloatTensor(moments.mean(), channels_));
  variance_->Assign(FloatTensor(moments.Variance(), channels_));
  count_->Assign(Tensor::Scalar(moments.count()));
  agreed_.Changed();
}

void NormalizationImpl::VisitState(
    const preprocessing_internal::StateVisitor& visit) const {
  const bool given = options_.mean.defined();
  const auto visit_all = [&](const char* what, const Tensor& moment) {
    const std::vector<float> values =
        moment.Cast(DType::kFloat32).ToVector<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      visit(fmt::format("{} {} is {}", what, i, values[i]));
    }
  };
  visit_all("mean", given ? options_.mean : mean_->Read());
  visit_all("variance", given ? options_.variance : variance_->Read());
}

namespace {

// Nested lists; null for no tensor.
Json Numbers(const Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if (tensor.rank() == 0) return tensor.Cast(DType::kFloat64).item<double>();
  Json list = Json::array();
  for (int64_t i = 0; i < tensor.dim(0); ++i) {
    list.push_back(Numbers(tensor.Row(i)));
  }
  return list;
}

}  // namespace

LayerConfig NormalizationImpl::Config() const {
  LayerConfig config = StartConfig("Normalization", *this);
  config.config.update({{"axis", options_.axis},
                        {"invert", options_.invert},
                        {"mean", Numbers(options_.mean)},
                        {"variance", Numbers(options_.variance)}});
  return config;
}

}  // namespace lockstep
