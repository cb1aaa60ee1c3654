#include "reference/parameter_server/server/applied_updates.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep::parameter_server {

void AppliedUpdates::CheckOpen(uint64_t closure) const {
  std::lock_guard lock(mutex_);
  if (closure == 0 || closure >= first_open_) return;
  throw FailedPrecondition(
      "[Update] closure {} is finished: all below {} are; it has been run "
      "elsewhere",
      closure, first_open_);
}

std::optional<Tensor> AppliedUpdates::Find(const UpdateKey& key) const {
  std::lock_guard lock(mutex_);
  const auto found = replies_.find(key);
  if (found == replies_.end()) return std::nullopt;
  return found->second;
}

void AppliedUpdates::Keep(const UpdateKey& key, const Tensor& reply) {
  std::lock_guard lock(mutex_);
  if (key.closure >= first_open_) replies_.emplace(key, reply);
}

void AppliedUpdates::Finish(uint64_t below) {
  std::lock_guard lock(mutex_);
  first_open_ = std::max(first_open_, below);
  replies_.erase(replies_.begin(),
                 replies_.lower_bound({.closure = first_open_}));
}

size_t AppliedUpdates::size() const {
  std::lock_guard lock(mutex_);
  return replies_.size();
}

}  // namespace lockstep::parameter_server
