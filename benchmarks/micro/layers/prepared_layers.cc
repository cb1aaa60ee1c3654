#include "benchmarks/micro/layers/prepared_layers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/micro/layers/layer_run.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

constexpr double kRounding = 0x1p-24;  // relative error of one, in float32

double Count(int64_t count) { return static_cast<double>(count); }

// Of results in float32, in roundings.
double RoundingsOf(const LayerWork& work) {
  const bool backward = work.pass == LayerPass::kBackward;
  switch (work.kind) {
    case LayerKind::kMaxPool:
      // Chooses elements, and adds up a few small whole numbers: exact.
      return 0;
    case LayerKind::kAvgPool: {
      // Of positive terms, each may be rounded once, in whatever order; a
      // division may be a multiplication by a rounded reciprocal.
      const auto [rows, columns] = work.windows.pool;
      return (backward ? 0 : Count(rows * columns)) + 3;
    }
    case LayerKind::kBatchNorm:
      // n terms that are rounded up as often as down lose sqrt(n) roundings;
      // seven operations and a last rounding follow, on either side.
      return std::sqrt(Count(work.x.num_elements() / work.x[3])) + 16;
    case LayerKind::kSoftmax:
      break;
  }
  // Positive terms again. A fast exponential of -8 loses 12 roundings in its
  // argument, the better ones and a division a few more, on either side. A
  // gradient begins with a y that has lost as much.
  return (backward ? 2 : 1) * (Count(work.x[1]) + 32);
}

struct Worst {
  double largest = 0;  // magnitude wanted
  double error = 0;
  int64_t at = -1;
};

template <typename T>
Worst FindWorst(const Tensor& wanted, const Tensor& actual) {
  Worst worst;
  const T* left = wanted.data<T>();
  const T* right = actual.data<T>();
  for (int64_t i = 0; i < wanted.num_elements(); ++i) {
    const auto want = static_cast<float>(left[i]);
    const double error = std::abs(double{want} - static_cast<float>(right[i]));
    worst.largest = std::max<double>(worst.largest, std::abs(want));
    if (error <= worst.error) continue;
    worst.error = error;
    worst.at = i;
    if (std::isnan(error)) break;  // nothing is worse
  }
  return worst;
}

std::string Difference(const LayerWork& work, const Tensor& on_device,
                       const Tensor& actual_on_device) {
  if (Describe(on_device) != Describe(actual_on_device)) {
    return fmt::format("{} instead of {}", Describe(actual_on_device),
                       Describe(on_device));
  }
  const Tensor wanted = on_device.ToHost();
  const Tensor actual = actual_on_device.ToHost();
  const bool narrow = wanted.dtype() == DType::kBFloat16;
  const Worst worst = narrow ? FindWorst<BFloat16>(wanted, actual)
                             : FindWorst<float>(wanted, actual);
  const double tolerance = LayerTolerance(work, wanted.dtype());
  if (worst.error <= tolerance * worst.largest) return "";
  const auto value = [&](const Tensor& tensor) {
    return narrow ? static_cast<float>(tensor.at<BFloat16>(worst.at))
                  : tensor.at<float>(worst.at);
  };
  return fmt::format(
      "{} instead of {} at element {}, more than {:.2g} of the largest, {}",
      value(actual), value(wanted), worst.at, tolerance, worst.largest);
}

}  // namespace

double LayerTolerance(const LayerWork& work, DType dtype) {
  const double tolerance = RoundingsOf(work) * kRounding;
  if (dtype != DType::kBFloat16 || tolerance == 0) return tolerance;
  // The last rounding, to 8 bits, may end on either side; that of the y which
  // a gradient of softmax begins with, too.
  const bool twice =
      work.kind == LayerKind::kSoftmax && work.pass == LayerPass::kBackward;
  return tolerance + (twice ? 2 : 1) * 0x1p-7;
}

std::string LayerDifference(const LayerWork& work,
                            const std::vector<Tensor>& wanted,
                            const std::vector<Tensor>& actual) {
  if (wanted.size() != actual.size()) {
    return fmt::format("{} results instead of {}", actual.size(),
                       wanted.size());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string difference = Difference(work, wanted[i], actual[i]);
    if (!difference.empty()) return fmt::format("result {}: {}", i, difference);
  }
  return "";
}

LayerRun PreparedLayers::Prepare(const LayerWork& work, const std::string& by) {
  const LayerInputs& inputs = InputsOf(work);
  if (by == kOwn) return OwnLayer(work, inputs);
  const LayerRun run = CudnnLayer(work, inputs, by);
  const std::string name = EntryNameOf(work, by);
  auto known = differences_.find(name);
  if (known == differences_.end()) {
    const std::string difference =
        LayerDifference(work, OwnLayer(work, inputs)(), run());
    known = differences_.emplace(name, difference).first;
  }
  if (!known->second.empty()) {
    throw Internal("[PreparedLayers] {} differs from ours: {}", by,
                   known->second);
  }
  return run;
}

const LayerInputs& PreparedLayers::InputsOf(LayerWork work) {
  work.pass = LayerPass::kForward;
  const std::string name = EntryNameOf(work, kOwn);
  const auto known = inputs_.find(name);
  if (known != inputs_.end()) return known->second;
  return inputs_.emplace(name, MakeLayerInputs(work, device_)).first->second;
}

}  // namespace lockstep::benchmarks
