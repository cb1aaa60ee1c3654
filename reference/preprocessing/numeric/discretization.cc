#include "reference/preprocessing/numeric/discretization.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "reference/base/error.h"
#include "reference/device/device.h"
#include "reference/layers/layer_config.h"
#include "reference/preprocessing/adaptation.h"
#include "reference/preprocessing/numeric/quantile_parts.h"

namespace lockstep {
namespace {

void CheckBoundaries(const std::vector<float>& boundaries) {
  if (std::ranges::is_sorted(boundaries) &&
      std::ranges::none_of(boundaries, [](float b) { return std::isnan(b); })) {
    return;
  }
  throw InvalidArgument(
      "[Discretization] bin_boundaries must be numbers in ascending order");
}

std::vector<float> FloatsOf(const Tensor& x) {
  if (x.dtype() == DType::kString) {
    throw InvalidArgument("[Discretization] has bins of numbers, got {}",
                          Describe(x));
  }
  return x.Cast(DType::kFloat32).ToVector<float>();
}

}  // namespace

DiscretizationImpl::DiscretizationImpl(const DiscretizationOptions& options)
    : TensorLayerImpl(
          options.name.empty() ? UniqueName("discretization") : options.name,
          options.dtype),
      options_(options),
      boundaries_(options.bin_boundaries) {
  if (options.bin_boundaries.has_value() == options.num_bins.has_value()) {
    throw InvalidArgument(
        "[Discretization] needs bin_boundaries or num_bins, got {}",
        options.num_bins ? "both" : "none of them");
  }
  if (boundaries_) CheckBoundaries(*boundaries_);
  if (options.num_bins && *options.num_bins < 1) {
    throw InvalidArgument(
        "[Discretization] num_bins must be at least 1, got {}",
        *options.num_bins);
  }
  CheckOutputMode("Discretization", options.output_mode,
                  {OutputMode::kInt, OutputMode::kOneHot, OutputMode::kMultiHot,
                   OutputMode::kCount});
  QuantileSummary(options.epsilon);  // throws for a wrong one
}

const std::vector<float>& DiscretizationImpl::boundaries() const {
  if (boundaries_) return *boundaries_;
  throw FailedPrecondition(
      "[Discretization] '{}' has no boundaries yet; call Adapt, or make it "
      "with bin_boundaries",
      name());
}

Shape DiscretizationImpl::ComputeOutputShape(const Shape& input_shape) const {
  if (options_.output_mode == OutputMode::kInt) return input_shape;
  return EncodedShape(options_.output_mode, input_shape,
                      static_cast<int64_t>(boundaries().size()) + 1);
}

Tensor DiscretizationImpl::Call(const Tensor& x, bool /*training*/) {
  agreed_.CheckInRun(name(), [this](const auto& visit) { VisitState(visit); });
  const std::vector<float>& limits = boundaries();
  std::vector<int64_t> bins;
  bins.reserve(static_cast<size_t>(x.num_elements()));
  for (const float number : FloatsOf(x)) {
    bins.push_back(std::ranges::upper_bound(limits, number) - limits.begin());
  }
  const OutputMode mode = options_.output_mode;
  const Tensor encoded =
      EncodeIds(mode, bins, x.shape(), static_cast<int64_t>(limits.size()) + 1);
  const Tensor typed =
      encoded.Cast(mode == OutputMode::kInt ? DType::kInt32
                                            : dtype_policy().compute_dtype());
  return typed.To(Device::Current());
}

void DiscretizationImpl::CheckAdaptable() const {
  preprocessing_internal::CheckMayAdapt("Discretization.Adapt");
  if (options_.num_bins) return;
  throw FailedPrecondition(
      "[Discretization.Adapt] '{}' was made with bin_boundaries; make it with "
      "num_bins to adapt it",
      name());
}

QuantileSummary DiscretizationImpl::SummaryOf(const Dataset& data) const {
  CheckAdaptable();
  QuantileSummary summary(options_.epsilon);
  preprocessing_internal::ForEachBatch(
      "Discretization.Adapt", data,
      [&](const Tensor& x) { summary.Add(FloatsOf(x)); });
  return summary;
}

QuantileSummary DiscretizationImpl::SummaryOf(const Tensor& data) const {
  CheckAdaptable();
  QuantileSummary summary(options_.epsilon);
  summary.Add(FloatsOf(data));
  return summary;
}

void DiscretizationImpl::Adopt(const QuantileSummary& summary) {
  CheckAdaptable();
  if (summary.values().empty()) {
    throw InvalidArgument(
        "[Discretization.Adapt] there is no data to divide into bins");
  }
  boundaries_ = summary.Boundaries(*options_.num_bins);
  agreed_.Changed();
}

void DiscretizationImpl::AdoptParts(
    const std::vector<std::vector<Tensor>>& parts) {
  Adopt(preprocessing_internal::MergeSummaries(options_.epsilon, parts));
}

void DiscretizationImpl::Adapt(const Dataset& data) {
  AdoptParts(preprocessing_internal::ReadParts(
      {"Discretization.Adapt", name()}, data, [this](const Dataset& part) {
        return preprocessing_internal::ToTensors(SummaryOf(part));
      }));
}

void DiscretizationImpl::Adapt(const Tensor& data) {
  AdoptParts(
      {preprocessing_internal::ReadSame({"Discretization.Adapt", name()}, [&] {
        return preprocessing_internal::ToTensors(SummaryOf(data));
      })});
}

void DiscretizationImpl::VisitState(
    const preprocessing_internal::StateVisitor& visit) const {
  if (!boundaries_) return visit("no boundaries");
  for (size_t i = 0; i < boundaries_->size(); ++i) {
    visit(fmt::format("boundary {} is {}", i, (*boundaries_)[i]));
  }
}

LayerConfig DiscretizationImpl::Config() const {
  LayerConfig config = StartConfig("Discretization", *this);
  // Keras' class takes no other common options than these two.
  config.config.erase("trainable");
  config.config["dtype"] = dtype_policy().name();
  config.config.update(
      {{"bin_boundaries", boundaries_ ? Json(*boundaries_) : Json(nullptr)},
       {"num_bins",
        options_.num_bins ? Json(*options_.num_bins) : Json(nullptr)},
       {"epsilon", options_.epsilon},
       {"output_mode", OutputModeName(options_.output_mode)},
       {"sparse", false}});
  return config;
}

}  // namespace lockstep
