// Chooses one of several plans that a library offers, best guess first.
//
//   ChoosePlan<Plan>(candidates.size(),
//                    {.build = [&](size_t i) { return Build(candidates[i]); },
//                     .accept = [&](const Plan& plan) { return Fits(plan); },
//                     .seconds = [&](const Plan& plan) { return Time(plan); }},
//                    /*few=*/4);
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CHOOSE_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CHOOSE_PLAN_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

namespace lockstep::kernels_internal {

template <typename Plan>
struct PlanTrial {
  // The plan of candidate i; nullptr where the library then refuses it.
  std::function<std::unique_ptr<Plan>(size_t)> build;
  // Whether it may be taken.
  std::function<bool(const Plan&)> accept;
  // How long it takes; not called where there is nothing to compare.
  std::function<double(const Plan&)> seconds;
};

// Of the first `few` candidates that can be built and accepted the fastest, of
// equals the first; nullptr where there is none. few = 1 times nothing.
template <typename Plan>
std::unique_ptr<Plan> ChoosePlan(size_t candidates, const PlanTrial<Plan>& by,
                                 int few) {
  std::unique_ptr<Plan> best;
  double best_seconds = std::numeric_limits<double>::infinity();
  int tried = 0;
  for (size_t i = 0; i < candidates && tried < few; ++i) {
    std::unique_ptr<Plan> plan = by.build(i);
    if (plan == nullptr || !by.accept(*plan)) continue;
    ++tried;
    if (few == 1) return plan;
    const double seconds = by.seconds(*plan);
    if (best != nullptr && !(seconds < best_seconds)) continue;
    best = std::move(plan);
    best_seconds = seconds;
  }
  return best;
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CHOOSE_PLAN_H_
