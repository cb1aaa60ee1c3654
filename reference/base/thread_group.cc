#include "reference/base/thread_group.h"

#include <system_error>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {

ThreadGroup::ThreadGroup(std::string_view operation, int count,
                         std::function<void(int)> body,
                         std::function<void()> stop)
    : body_(std::move(body)), stop_(std::move(stop)) {
  threads_.reserve(count);
  try {
    for (int index = 0; index < count; ++index) {
      threads_.emplace_back([this, index] { body_(index); });
    }
  } catch (const std::system_error& error) {
    const size_t got = threads_.size();
    StopAndJoin();
    throw ResourceExhausted(
        "[{}] wanted {} more threads, got {}: {}. A limit on threads is "
        "reached (`ulimit -u`, or the container's): raise it, or ask for "
        "fewer replicas or threads",
        operation, count, got, error.code().message());
  }
}

ThreadGroup::~ThreadGroup() { StopAndJoin(); }

void ThreadGroup::StopAndJoin() {
  if (threads_.empty()) return;
  stop_();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace lockstep
