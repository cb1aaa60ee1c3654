// What a library's plan for some work costs time to choose or to make is kept.
#ifndef LOCKSTEP_REFERENCE_KERNELS_PLAN_CACHE_H_
#define LOCKSTEP_REFERENCE_KERNELS_PLAN_CACHE_H_

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "reference/base/check.h"

namespace lockstep::kernels_internal {

// Plans by signature: what was chosen once is not chosen again.
//
//   PlanCache<ConvolutionSignature, ConvolutionPlan> cache;
//   auto plan = cache.Get(signature, [&] { return Choose(signature); });
//
// It keeps the `capacity` plans that were used last; a plan that somebody still
// holds outlives it. Not thread-safe: a GPU's belongs to whoever owns a
// handle of the library whose plans these are, which is no more so.
//
// REQUIRES: signatures are ordered by <.
template <typename Signature, typename Plan>
class PlanCache {
 public:
  using PlanPtr = std::shared_ptr<const Plan>;

  explicit PlanCache(size_t capacity = 1024) : capacity_(capacity) {
    LOCKSTEP_CHECK(capacity > 0);
  }

  // The plan for `signature`; nullptr where there is none.
  PlanPtr Find(const Signature& signature) {
    const auto found = places_.find(signature);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  // The plan for `signature`, made by `make()` where there is none. An error of
  // `make` reaches the caller and leaves the cache as it was.
  template <typename Make>
  PlanPtr Get(const Signature& signature, const Make& make) {
    if (PlanPtr found = Find(signature)) return found;
    PlanPtr plan = make();
    entries_.emplace_front(signature, plan);
    places_[signature] = entries_.begin();
    if (entries_.size() > capacity_) DropOldest();
    return plan;
  }

  size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<Signature, PlanPtr>>;

  void DropOldest() {
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }

  const size_t capacity_;
  Entries entries_;  // last used first
  std::map<Signature, typename Entries::iterator> places_;
};

// The same for all threads. Whoever asks waits for another's plan.
template <typename Signature, typename Plan>
class SharedPlanCache {
 public:
  explicit SharedPlanCache(size_t capacity) : plans_(capacity) {}

  template <typename Make>
  std::shared_ptr<const Plan> Get(const Signature& signature,
                                  const Make& make) {
    const std::lock_guard lock(mutex_);
    return plans_.Get(signature, make);
  }

 private:
  std::mutex mutex_;
  PlanCache<Signature, Plan> plans_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_PLAN_CACHE_H_
