#include "reference/cluster/control/failure_watch.h"

#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>

namespace lockstep::control_internal {

// Outlives the FailureWatch if a watch does.
struct FailureWatch::Shared {
  struct Watcher {
    std::function<void(const Error&)> on_failure;
    bool ended = false;
  };

  void NotifyUntilStopped();

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Failure> failure;
  std::deque<std::shared_ptr<Watcher>> pending;
  const Watcher* notifying = nullptr;
  std::thread::id notifier;
  bool stopped = false;
};

class FailureWatch::Entry : public ControlPlane::Watch {
 public:
  Entry(std::shared_ptr<Shared> shared, std::shared_ptr<Shared::Watcher> mine)
      : shared_(std::move(shared)), mine_(std::move(mine)) {}

  ~Entry() override {
    std::unique_lock lock(shared_->mutex);
    mine_->ended = true;
    // A callback that ends its own watch would wait for itself.
    if (shared_->notifier == std::this_thread::get_id()) return;
    shared_->changed.wait(lock,
                          [&] { return shared_->notifying != mine_.get(); });
  }

 private:
  const std::shared_ptr<Shared> shared_;
  const std::shared_ptr<Shared::Watcher> mine_;
};

void FailureWatch::Shared::NotifyUntilStopped() {
  std::unique_lock lock(mutex);
  notifier = std::this_thread::get_id();
  for (;;) {
    changed.wait(lock,
                 [&] { return stopped || (failure && !pending.empty()); });
    if (stopped) return;
    const std::shared_ptr<Watcher> watcher = pending.front();
    pending.pop_front();
    if (watcher->ended) continue;
    notifying = watcher.get();
    const Error why = failure->ToError();
    lock.unlock();
    watcher->on_failure(why);
    lock.lock();
    notifying = nullptr;
    changed.notify_all();
  }
}

FailureWatch::FailureWatch() : shared_(std::make_shared<Shared>()) {}
FailureWatch::~FailureWatch() = default;

bool FailureWatch::Set(const Failure& why) {
  std::lock_guard lock(shared_->mutex);
  if (shared_->failure) return false;
  shared_->failure.emplace(why);
  shared_->changed.notify_all();
  return true;
}

bool FailureWatch::IsSet() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->failure.has_value();
}

void FailureWatch::Check() const {
  std::lock_guard lock(shared_->mutex);
  if (shared_->failure) throw shared_->failure->ToError();
}

std::unique_ptr<ControlPlane::Watch> FailureWatch::Add(
    std::function<void(const Error&)> on_failure) {
  const auto watcher = std::make_shared<Shared::Watcher>();
  watcher->on_failure = std::move(on_failure);
  {
    std::lock_guard lock(starting_);
    if (!notifier_) {
      notifier_.emplace(
          "OnFailure", 1, [this](int) { shared_->NotifyUntilStopped(); },
          [this] {
            std::lock_guard stopping(shared_->mutex);
            shared_->stopped = true;
            shared_->changed.notify_all();
          });
    }
  }
  std::lock_guard lock(shared_->mutex);
  shared_->pending.push_back(watcher);
  shared_->changed.notify_all();
  return std::make_unique<Entry>(shared_, watcher);
}

}  // namespace lockstep::control_internal
