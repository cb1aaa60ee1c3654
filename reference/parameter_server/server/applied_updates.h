// Which updates of scheduled functions have been applied, so that each is
// applied once.
//
//   AppliedUpdates applied;
//   const UpdateKey key{.closure = 17, .variable = 3, .ordinal = 0};
//   applied.Find(key);          // nullopt: to be applied
//   applied.Keep(key, reply);
//   applied.Find(key);          // the reply: it is a repeat
//   applied.Finish(18);         // closure 17 is finished
//   applied.CheckOpen(17);      // FailedPrecondition
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_APPLIED_UPDATES_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_APPLIED_UPDATES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "reference/tensor/tensor.h"

namespace lockstep::parameter_server {

// An update is the same however often its function is run, and on whichever
// worker: the ordinal is its number among the closure's updates of the variable.
// Closure 0 is none: its updates are never repeated.
struct UpdateKey {
  uint64_t closure = 0;
  uint64_t variable = 0;
  uint64_t ordinal = 0;

  auto operator<=>(const UpdateKey&) const = default;
};

// Thread-safe. The caller that finds and then keeps a key holds the
// variable's lock meanwhile.
class AppliedUpdates {
 public:
  // Errors: FailedPrecondition for a closure that is finished: a worker that
  // was thought dead still runs it.
  void CheckOpen(uint64_t closure) const;
  // The reply that an applied update had; nullopt for a new update.
  std::optional<Tensor> Find(const UpdateKey& key) const;
  // No effect for closure 0, and for one that has finished meanwhile.
  void Keep(const UpdateKey& key, const Tensor& reply);
  // Forgets the updates of closures below this number.
  void Finish(uint64_t below);
  size_t size() const;

 private:
  mutable std::mutex mutex_;
  uint64_t first_open_ = 1;
  std::map<UpdateKey, Tensor> replies_;
};

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_APPLIED_UPDATES_H_
