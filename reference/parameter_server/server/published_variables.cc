#include "reference/parameter_server/server/published_variables.h"

#include <utility>

namespace lockstep::parameter_server {
namespace {

rpc::Outcome OutcomeFor(uint64_t index, const std::string& name,
                        const Published& variable) {
  if (variable.name() == name) {
    return rpc::Message{variable.SerializeAsString()};
  }
  return FailedPrecondition(
      "[Variable] all processes must make the same variables in the same "
      "order: number {} of the coordinator is '{}', here it is '{}'",
      index, variable.name(), name);
}

}  // namespace

void PublishedVariables::Publish(uint64_t index, Published variable) {
  std::vector<Waiting> waited;
  {
    std::lock_guard lock(mutex_);
    if (!variables_.try_emplace(index, variable).second) {
      throw FailedPrecondition("[Publish] variable {} has been published",
                               index);
    }
    const auto [begin, end] = waiting_.equal_range(index);
    for (auto next = begin; next != end; ++next) {
      waited.push_back(std::move(next->second));
    }
    waiting_.erase(begin, end);
  }
  for (const Waiting& one : waited) {
    one.answer(OutcomeFor(index, one.name, variable));
  }
}

void PublishedVariables::Await(uint64_t index, const std::string& name,
                               rpc::Done answer) {
  std::optional<rpc::Outcome> outcome;
  {
    std::lock_guard lock(mutex_);
    const auto found = variables_.find(index);
    if (found != variables_.end()) {
      outcome = OutcomeFor(index, name, found->second);
    } else if (closed_) {
      outcome = *closed_;
    } else {
      waiting_.emplace(index, Waiting{name, std::move(answer)});
      return;
    }
  }
  answer(*std::move(outcome));
}

void PublishedVariables::Close(const Error& why) {
  std::multimap<uint64_t, Waiting> waited;
  {
    std::lock_guard lock(mutex_);
    closed_ = why;
    waited.swap(waiting_);
  }
  for (const auto& [index, one] : waited) one.answer(why);
}

}  // namespace lockstep::parameter_server
