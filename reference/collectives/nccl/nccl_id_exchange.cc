#include "reference/collectives/nccl/nccl_id_exchange.h"

#include "reference/base/error.h"

namespace lockstep {

NcclUniqueId InProcessNcclIdExchange::Make(const MakeId& make) {
  std::optional<NcclUniqueId> id;
  try {
    id = make();
  } catch (...) {
    std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
    throw;
  }
  std::lock_guard lock(mutex_);
  id_ = id;
  changed_.notify_all();
  return *id;
}

NcclUniqueId InProcessNcclIdExchange::Exchange(
    bool root, const MakeId& make, std::chrono::milliseconds deadline) {
  if (root) return Make(make);
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, deadline,
                         [&] { return id_.has_value() || failed_; })) {
    throw DeadlineExceeded("[NcclIdExchange] no id from the root within {} ms",
                           deadline.count());
  }
  if (failed_) {
    throw Unavailable("[NcclIdExchange] the root failed to make the {}", "id");
  }
  return *id_;
}

}  // namespace lockstep
