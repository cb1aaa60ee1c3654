#include "reference/parameter_server/coordinator/closure.h"

#include <utility>

namespace lockstep::coordinator_internal {

const Structure& RemoteResult::Wait() const {
  for (State state = state_.load(); state != kReady; state = state_.load()) {
    state_.wait(state);
  }
  if (const auto* error = std::get_if<Error>(&outcome_)) throw Error(*error);
  return std::get<Structure>(outcome_);
}

void RemoteResult::Settle(std::variant<Structure, Error> outcome) {
  State empty = kEmpty;
  if (!state_.compare_exchange_strong(empty, kBeingSet)) return;
  outcome_ = std::move(outcome);
  state_.store(kReady);
  state_.notify_all();
}

}  // namespace lockstep::coordinator_internal
