#include "reference/collectives/mesh/operation_queue.h"

#include <exception>
#include <utility>

#include "reference/base/log.h"

namespace lockstep::collectives_internal {
namespace {

class QueuedWork final : public PendingWork {
 public:
  explicit QueuedWork(std::shared_future<void> done) : done_(std::move(done)) {}
  ~QueuedWork() override {
    try {
      Wait();
    } catch (const std::exception& error) {
      LogWarning("a collective was not waited for: {}", error.what());
    }
  }
  void Wait() override {
    const std::shared_future<void> done = std::exchange(done_, {});
    if (done.valid()) done.get();
  }

 private:
  std::shared_future<void> done_;
};

}  // namespace

std::unique_ptr<PendingWork> OperationQueue::Add(
    std::function<void()> operation) {
  if (!thread_) {
    thread_ = std::make_unique<ThreadGroup>(
        "AllReduce", 1, [this](int) { Loop(); }, [this] { Stop(); });
  }
  std::packaged_task<void()> task(std::move(operation));
  last_ = task.get_future().share();
  auto work = std::make_unique<QueuedWork>(last_);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  changed_.notify_one();
  return work;
}

void OperationQueue::Drain() {
  if (last_.valid()) last_.wait();
}

void OperationQueue::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::packaged_task<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

void OperationQueue::Stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

}  // namespace lockstep::collectives_internal
