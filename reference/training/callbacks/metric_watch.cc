#include "reference/training/callbacks/metric_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "reference/base/log.h"

namespace lockstep {
namespace {

bool LargerIsBetter(const std::string& name, WatchMode mode) {
  constexpr std::array<std::string_view, 5> kGrowing = {
      "acc", "auc", "precision", "recall", "f1"};
  if (mode != WatchMode::kAuto) return mode == WatchMode::kMax;
  return std::ranges::any_of(kGrowing, [&](std::string_view part) {
    return name.find(part) != std::string::npos;
  });
}

}  // namespace

MetricWatch::MetricWatch(std::string name, WatchMode mode, double min_delta,
                         std::optional<double> best)
    : name_(std::move(name)),
      larger_is_better_(LargerIsBetter(name_, mode)),
      min_delta_(std::abs(min_delta)),
      best_(best) {}

bool MetricWatch::IsBetter(double value, double than) const {
  return larger_is_better_ ? value - min_delta_ > than
                           : value + min_delta_ < than;
}

std::optional<bool> MetricWatch::Improves(const Logs& logs,
                                          const char* callback) {
  const std::optional<double> value = logs.Find(name_);
  if (!value) {
    std::string names;
    for (const auto& item : logs.items()) {
      names += (names.empty() ? "" : ", ") + item.first;
    }
    LogWarning("[{}] there is no '{}' in the logs, only: {}", callback, name_,
               names);
    return std::nullopt;
  }
  if (std::isnan(*value) || (best_ && !IsBetter(*value, *best_))) return false;
  best_ = value;
  return true;
}

}  // namespace lockstep
