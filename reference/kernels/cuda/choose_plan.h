// Chooses one of several plans of a library: by kind, and within a kind by the
// library's heuristics. FusionKinds lists the kinds.
//
//   const Choice<Plan> choice = ChoosePlan<Plan>(
//       kinds.size(),
//       {.offers = [&](size_t kind) { return Ask(kind); },   // count
//        .build = [&](size_t kind, size_t i) { return Build(kind, i); },
//        .try_out = [&](const Plan& plan) { return Try(plan); },
//        .seconds = [&](const Plan& plan) { return Time(plan); }},
//       {.of_a_kind = 4, .of_all = 12});
//
// A library may fail for many reasons, for instance a missing compiler or a
// shape that an engine does not support, and another plan may still work. So
// any error except ResourceExhausted means that the next plan is tried.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CHOOSE_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CHOOSE_PLAN_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"

namespace lockstep::kernels_internal {

enum class Verdict { kTaken, kRefused, kLosesNaN };

template <typename Plan>
struct PlanTrial {
  // The number of candidates of a kind. Called when the kind is reached.
  std::function<size_t(size_t kind)> offers;
  // The plan of a kind's candidate i; nullptr if the library refuses it.
  std::function<std::unique_ptr<Plan>(size_t kind, size_t i)> build;
  // Whether the plan may be used.
  std::function<Verdict(const Plan&)> try_out;
  // The time it takes. Not called if there is nothing to compare.
  std::function<double(const Plan&)> seconds;
};

// The number of plans to compare. of_all = 1 disables timing.
struct TrialLimits {
  size_t of_a_kind = 1;
  size_t of_all = 1;
};

template <typename Plan>
struct Choice {
  std::unique_ptr<Plan> plan;  // nullptr if there is none
  size_t offered = 0;          // the number of candidates considered
  std::string problem;         // of the last plan that failed, or ""
};

// Compares plans and keeps the fastest one.
template <typename Plan>
class PlanSearch {
 public:
  PlanSearch(const PlanTrial<Plan>& by, const TrialLimits& limits)
      : by_(by), limits_(limits) {}

  void LookAt(size_t kind) {
    size_t candidates = 0;
    if (!Try([&] { candidates = by_.offers(kind); })) return;
    size_t taken = 0;
    int losses = 0;
    for (size_t i = 0; i < candidates && taken < limits_.of_a_kind; ++i) {
      if (losses == kMostLosses || Done()) return;
      ++choice_.offered;
      Verdict verdict = Verdict::kRefused;
      Try([&] { verdict = Compare(by_.build(kind, i)); });
      if (verdict == Verdict::kTaken) ++taken;
      if (verdict == Verdict::kLosesNaN) ++losses;
    }
  }
  bool Done() const { return compared_ == limits_.of_all; }
  Choice<Plan> Take() { return std::move(choice_); }

 private:
  // The plans of a kind usually lose NaN for a common reason, and building one
  // takes up to a second.
  static constexpr int kMostLosses = 2;

  template <class Body>
  bool Try(const Body& body) {
    try {
      body();
      return true;
    } catch (const Error& error) {
      if (error.code() == Code::kResourceExhausted) throw;
      choice_.problem = error.what();
      return false;
    }
  }

  Verdict Compare(std::unique_ptr<Plan> plan) {
    if (plan == nullptr) return Verdict::kRefused;
    const Verdict verdict = by_.try_out(*plan);
    if (verdict != Verdict::kTaken) return verdict;
    const double seconds = limits_.of_all == 1 ? 0 : by_.seconds(*plan);
    ++compared_;
    if (choice_.plan == nullptr || seconds < best_seconds_) {
      choice_.plan = std::move(plan);
      best_seconds_ = seconds;
    }
    return verdict;
  }

  const PlanTrial<Plan>& by_;
  const TrialLimits limits_;
  Choice<Plan> choice_;
  double best_seconds_ = std::numeric_limits<double>::infinity();
  size_t compared_ = 0;
};

// Returns the fastest of the first few usable candidates, the first of equals.
// Abandons a kind after two of its plans lost a NaN. Errors: ResourceExhausted.
template <typename Plan>
Choice<Plan> ChoosePlan(size_t kinds, const PlanTrial<Plan>& by,
                        const TrialLimits& limits) {
  PlanSearch<Plan> search(by, limits);
  for (size_t kind = 0; kind < kinds && !search.Done(); ++kind) {
    search.LookAt(kind);
  }
  return search.Take();
}

// The parts of y = relu(x * w + bias) that a plan includes. Our own kernel does
// the rest.
struct Fusion {
  bool bias = false;
  bool relu = false;
  // Its result is x * w in float32, which our kernel rounds once.
  bool wide = false;

  bool operator==(const Fusion&) const = default;
};

// The kinds of plans to try, best first: with everything in `wanted`, then
// without ReLU, then also without bias. may_fuse_relu = false excludes ReLU. If
// our kernel adds the bias to 16-bit results (`narrow`), the plan's result is
// wide; plans that round before and after the bias come last.
inline std::vector<Fusion> FusionKinds(const Fusion& wanted, bool may_fuse_relu,
                                       bool narrow) {
  std::vector<Fusion> kinds;
  if (wanted.relu && may_fuse_relu) {
    kinds.push_back({.bias = wanted.bias, .relu = true});
  }
  if (wanted.bias) kinds.push_back({.bias = true});
  if (wanted.bias && narrow) kinds.push_back({.wide = true});
  kinds.push_back({});
  return kinds;
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CHOOSE_PLAN_H_
