#include "reference/collectives/gloo/alarm.h"

#include <utility>

namespace lockstep::collectives_internal {

void Alarm::Set(Deadline deadline, int rank) {
  if (deadline == kNoDeadline) return;
  if (!thread_) {
    thread_ = std::make_unique<ThreadGroup>(
        "Alarm", 1, [this](int) { Loop(); }, [this] { Stop(); });
  }
  const std::lock_guard lock(mutex_);
  deadline_ = deadline;
  rank_ = rank;
  // A thread that wakes up too early goes to sleep again. Deadlines grow, so it
  // rarely has to be woken.
  if (deadline < sleeps_until_) changed_.notify_one();
}

void Alarm::Clear() {
  if (!thread_) return;
  const std::lock_guard lock(mutex_);
  deadline_ = kNoDeadline;
}

void Alarm::Loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (deadline_ <= std::chrono::steady_clock::now()) {
      deadline_ = kNoDeadline;
      const int rank = rank_;
      lock.unlock();
      ring_(rank);
      lock.lock();
      continue;
    }
    sleeps_until_ = deadline_;
    if (deadline_ == kNoDeadline) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, deadline_);
    }
  }
}

void Alarm::Stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

}  // namespace lockstep::collectives_internal
