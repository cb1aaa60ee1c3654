#include "reference/autodiff/trackable.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep {

void Trackable::TrackChild(const std::string& name, Trackable& child) {
  const auto known = std::ranges::find(children_, name, &Child::name);
  if (known != children_.end()) {
    if (known->object == &child) return;
    throw InvalidArgument(
        "[TrackChild] the name '{}' belongs to another object already", name);
  }
  children_.push_back({name, &child});
  for (size_t i = 0; i < pending_restores_.size(); ++i) {
    // A copy, because the call may add pending restores here.
    const std::shared_ptr<PendingRestore> restore = pending_restores_[i];
    restore->OnChildTracked(*this, name, child);
  }
}

void Trackable::AddPendingRestore(std::shared_ptr<PendingRestore> restore) {
  pending_restores_.push_back(std::move(restore));
}

}  // namespace lockstep
