#include "reference/collectives/nccl/polling_thread.h"

#include <utility>

namespace lockstep {

PollingThread::PollingThread(std::chrono::milliseconds interval,
                             std::function<bool()> poll)
    : interval_(interval),
      poll_(std::move(poll)),
      thread_(
          "PollingThread", 1, [this](int) { Run(); }, [this] { Stop(); }) {}

void PollingThread::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

void PollingThread::Wake() {
  {
    std::lock_guard lock(mutex_);
    awake_ = true;
  }
  changed_.notify_all();
}

void PollingThread::Run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    changed_.wait(lock, [&] { return awake_ || stop_; });
    if (stop_) return;
    awake_ = false;  // a Wake during the poll counts again
    lock.unlock();
    const bool more = poll_();
    lock.lock();
    awake_ |= more;
    changed_.wait_for(lock, interval_, [&] { return stop_; });
  }
}

}  // namespace lockstep
