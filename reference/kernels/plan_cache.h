// A cache of plans, which take a library time to choose or create.
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

// Plans by signature. Each is created once.
//
//   PlanCache<ConvolutionSignature, ConvolutionPlan> cache;
//   auto plan = cache.Get(signature, [&] { return Choose(signature); });
//
// Keeps the `capacity` most recently used plans. A plan in use outlives its
// eviction. Not thread-safe, as the handles of GPU libraries are not; the owner
// of the handle also owns the cache.
//
// REQUIRES: signatures are ordered by <.
template <typename Signature, typename Plan>
class PlanCache {
 public:
  using PlanPtr = std::shared_ptr<const Plan>;

  explicit PlanCache(size_t capacity = 1024) : capacity_(capacity) {
    LOCKSTEP_CHECK(capacity > 0);
  }

  // The plan for `signature`; nullptr if there is none.
  PlanPtr Find(const Signature& signature) {
    const auto found = places_.find(signature);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  // The plan for `signature`, created by `make()` if there is none. An error of
  // `make` reaches the caller and does not change the cache.
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

// A thread-safe PlanCache. A thread waits while another creates a plan.
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
