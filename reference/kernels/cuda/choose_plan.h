// Chooses one of several plans that a library offers: kind after kind, and of
// each kind the library's best guess first. FusionKinds gives the kinds.
//
//   const Choice<Plan> choice = ChoosePlan<Plan>(
//       kinds.size(),
//       {.offers = [&](size_t kind) { return Ask(kind); },   // how many
//        .build = [&](size_t kind, size_t i) { return Build(kind, i); },
//        .try_out = [&](const Plan& plan) { return Try(plan); },
//        .seconds = [&](const Plan& plan) { return Time(plan); }},
//       {.of_a_kind = 4, .of_all = 12});
//
// Whatever a library fails for, be it a compiler that is missing or a shape
// that an engine turns out not to like, another plan may do without: any error
// but ResourceExhausted means "not this one, the next".
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
  // How many candidates of a kind there are; called when the kind's turn comes.
  std::function<size_t(size_t kind)> offers;
  // The plan of a kind's candidate i; nullptr where the library then refuses
  // it.
  std::function<std::unique_ptr<Plan>(size_t kind, size_t i)> build;
  // Whether it may be taken.
  std::function<Verdict(const Plan&)> try_out;
  // How long it takes; not called where there is nothing to compare.
  std::function<double(const Plan&)> seconds;
};

// How many plans are compared; of_all = 1 times nothing.
struct TrialLimits {
  size_t of_a_kind = 1;
  size_t of_all = 1;
};

template <typename Plan>
struct Choice {
  std::unique_ptr<Plan> plan;  // nullptr where there is none
  size_t offered = 0;          // that were looked at
  std::string problem;         // of the last one that failed; "" for none
};

// Compares plans and keeps the fastest.
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
  // A kind whose plans lose NaN does so for what is common to them; building
  // one takes up to a second.
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

// Of the first few candidates that can be built and taken the fastest, of
// equals the first. A kind of which two plans lost a NaN is given up.
// Errors: ResourceExhausted.
template <typename Plan>
Choice<Plan> ChoosePlan(size_t kinds, const PlanTrial<Plan>& by,
                        const TrialLimits& limits) {
  PlanSearch<Plan> search(by, limits);
  for (size_t kind = 0; kind < kinds && !search.Done(); ++kind) {
    search.LookAt(kind);
  }
  return search.Take();
}

// What a plan does itself of y = relu(x * w + bias), and what is left to a
// kernel behind it.
struct Fusion {
  bool bias = false;
  bool relu = false;
  // It gives x * w in float32, which the kernel behind it rounds, once.
  bool wide = false;

  bool operator==(const Fusion&) const = default;
};

// The kinds of plans to look for, best first: all that is wanted, then without
// ReLU, then without bias too. Nobody adds a bias behind a ReLU.
// may_fuse_relu = false leaves out those with ReLU. 16-bit results (`narrow`)
// to which the bias is added behind are wide; only where a library has no such
// plan they are rounded before the bias and once more behind it.
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
