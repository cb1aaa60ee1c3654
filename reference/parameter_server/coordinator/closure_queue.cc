#include "reference/parameter_server/coordinator/closure_queue.h"

#include <algorithm>
#include <utility>

#include "reference/base/log.h"

namespace lockstep::coordinator_internal {
namespace {

Error CancelledBecause(const Closure& closure, const Error& why) {
  return Cancelled(
      "[Fetch] closure {} of '{}' was cancelled before it began, because: {}",
      closure.number, closure.call.function, why.what());
}

}  // namespace

ClosureQueue::ClosureQueue(const QueueOptions& options)
    : options_(options), next_number_(options.first_number) {}

ClosureQueue::~ClosureQueue() { Stop(); }

std::shared_ptr<RemoteResult> ClosureQueue::Schedule(Call call) {
  auto closure = std::make_shared<Closure>();
  closure->call = std::move(call);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return final_ || Drained() ||
           (!failure_ && queued_.size() < options_.most_queued);
  });
  Raise();
  closure->number = next_number_++;
  queued_.push_back(closure);
  Dispatch();
  return closure->result;
}

void ClosureQueue::Join() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return final_ || Idle(); });
  Raise();
}

bool ClosureQueue::Done() {
  std::lock_guard lock(mutex_);
  if (final_ || Drained()) Raise();
  return Idle();
}

void ClosureQueue::Raise() {
  if (final_) throw Error(*final_);
  if (!failure_) return;
  const Error failure = *std::exchange(failure_, std::nullopt);
  changed_.notify_all();
  throw Error(failure);
}

ResourceId ClosureQueue::Make(Resource resource) {
  std::lock_guard lock(mutex_);
  if (final_) Raise();
  resource.id = ResourceId{static_cast<int64_t>(resources_.size()) + 1};
  resources_.push_back(std::move(resource));
  for (Worker& worker : workers_) {
    if (worker.ready) SendResources(worker);
  }
  return resources_.back().id;
}

int ClosureQueue::AddWorker(WorkerPort& port) {
  std::lock_guard lock(mutex_);
  workers_.push_back({.port = &port});
  return static_cast<int>(workers_.size()) - 1;
}

void ClosureQueue::WorkerReady(int number, uint64_t incarnation) {
  std::lock_guard lock(mutex_);
  if (final_) return;
  Worker& worker = workers_[number];
  if (worker.incarnation != incarnation) worker.num_resources = 0;
  worker.incarnation = incarnation;
  worker.ready = true;
  SendResources(worker);
  Dispatch();
}

void ClosureQueue::WorkerLost(int number, bool running_is_suspect) {
  std::lock_guard lock(mutex_);
  Worker& worker = workers_[number];
  worker.ready = false;
  const std::deque<ClosurePtr> lost = std::exchange(worker.running, {});
  for (const ClosurePtr& closure : lost) running_.erase(closure->number);
  for (const ClosurePtr& closure : lost) {
    if (running_is_suspect && closure == lost.front()) {
      Suspect(number, closure);
    } else {
      PutBack(closure);
    }
  }
  Dispatch();
  changed_.notify_all();
}

void ClosureQueue::Finished(int number, uint64_t closure_number,
                            Outcome outcome) {
  std::lock_guard lock(mutex_);
  const ClosurePtr closure = TakeFrom(workers_[number], closure_number);
  if (closure == nullptr) return;
  losses_.erase(closure_number);
  NoteTime(closure->call.function, outcome.took);
  if (outcome.error) {
    closure->result->Fail(*outcome.error);
    Fail(*closure, *outcome.error);
  } else {
    closure->result->Set(std::move(outcome.value));
  }
  Dispatch();
  if (running_.empty()) changed_.notify_all();
}

void ClosureQueue::Returned(int number, uint64_t closure_number) {
  std::lock_guard lock(mutex_);
  const ClosurePtr closure = TakeFrom(workers_[number], closure_number);
  if (closure == nullptr) return;
  PutBack(closure);
  Dispatch();
  if (running_.empty()) changed_.notify_all();
}

void ClosureQueue::ServerLost(const Error& why) {
  std::lock_guard lock(mutex_);
  if (final_) return;
  final_ = why;
  for (Worker& worker : workers_) {
    for (const ClosurePtr& closure : std::exchange(worker.running, {})) {
      closure->result->Fail(why);
    }
  }
  running_.clear();
  CancelQueued(why);
  changed_.notify_all();
}

void ClosureQueue::Stop() {
  std::lock_guard lock(mutex_);
  if (!final_) {
    final_ = Cancelled("[ClusterCoordinator] {}", "the coordinator has ended");
  }
  for (Worker& worker : workers_) {
    for (const ClosurePtr& closure : std::exchange(worker.running, {})) {
      closure->result->Fail(*final_);
    }
  }
  running_.clear();
  CancelQueued(*final_);
  changed_.notify_all();
}

uint64_t ClosureQueue::finished_below() const {
  std::lock_guard lock(mutex_);
  return FinishedBelow();
}

uint64_t ClosureQueue::next_number() const {
  std::lock_guard lock(mutex_);
  return next_number_;
}

size_t ClosureQueue::num_queued() const {
  std::lock_guard lock(mutex_);
  return queued_.size();
}

size_t ClosureQueue::num_running() const {
  std::lock_guard lock(mutex_);
  return running_.size();
}

// The first failure is the one that is raised.
void ClosureQueue::Fail(const Closure& closure, const Error& error) {
  if (failure_ || final_) return;
  failure_ = error;
  ++epoch_;
  CancelQueued(Error(
      error.code(), fmt::format("closure {} of '{}' failed: {}", closure.number,
                                closure.call.function, error.what())));
  for (const Worker& worker : workers_) {
    if (worker.ready && !worker.running.empty()) worker.port->Recall(epoch_);
  }
}

void ClosureQueue::CancelQueued(const Error& why) {
  for (const ClosurePtr& closure : std::exchange(queued_, {})) {
    losses_.erase(closure->number);
    closure->result->Fail(CancelledBecause(*closure, why));
  }
}

// Keeps the queue in order, so that its front is the lowest number.
void ClosureQueue::PutBack(const ClosurePtr& closure) {
  if (final_ || failure_) {
    closure->result->Fail(
        CancelledBecause(*closure, final_ ? *final_ : *failure_));
    return;
  }
  const auto place = std::ranges::lower_bound(
      queued_, closure->number, {},
      [](const ClosurePtr& queued) { return queued->number; });
  queued_.insert(place, closure);
}

void ClosureQueue::Suspect(int worker, const ClosurePtr& closure) {
  if (final_ || failure_) return PutBack(closure);
  const int losses = ++losses_[closure->number];
  const int most = options_.allowed_worker_losses + 1;
  LogWarning(
      "[ClusterCoordinator] worker {} was lost while it ran '{}' (closure {}), "
      "loss {} of at most {}",
      worker, closure->call.function, closure->number, losses, most);
  if (losses < most) return PutBack(closure);
  losses_.erase(closure->number);
  const Error error = Internal(
      "[Schedule] {} workers were lost while they ran '{}' (closure {}), the "
      "last is worker {}; does the function end its process, or use too much "
      "memory? Look at what the workers printed. What it changed before stays "
      "changed",
      losses, closure->call.function, closure->number, worker);
  closure->result->Fail(error);
  Fail(*closure, error);
}

ClosurePtr ClosureQueue::TakeFrom(Worker& worker, uint64_t number) {
  const auto found = std::ranges::find(
      worker.running, number,
      [](const ClosurePtr& running) { return running->number; });
  if (found == worker.running.end()) return nullptr;
  ClosurePtr closure = *found;
  worker.running.erase(found);
  running_.erase(number);
  return closure;
}

void ClosureQueue::Dispatch() {
  if (final_ || failure_) return;
  const bool was_full = queued_.size() >= options_.most_queued;
  while (!queued_.empty()) {
    Worker* worker = ChooseWorker(queued_.front()->call.function);
    if (worker == nullptr) break;
    const ClosurePtr closure = queued_.front();
    queued_.pop_front();
    running_.insert(closure->number);
    worker->running.push_back(closure);
    worker->last_turn = ++turn_;
    worker->port->Start(closure, epoch_);
  }
  if (was_full && queued_.size() < options_.most_queued) changed_.notify_all();
}

// The one with the fewest closures, of several the one that waits for longest.
ClosureQueue::Worker* ClosureQueue::ChooseWorker(const std::string& function) {
  Worker* best = nullptr;
  for (Worker& worker : workers_) {
    if (!worker.ready) continue;
    if (best == nullptr || worker.running.size() < best->running.size() ||
        (worker.running.size() == best->running.size() &&
         worker.last_turn < best->last_turn)) {
      best = &worker;
    }
  }
  if (best == nullptr || best->running.empty()) return best;
  return best->running.size() < DepthFor(function) ? best : nullptr;
}

// How many closures a worker may have, the running one included.
size_t ClosureQueue::DepthFor(const std::string& function) const {
  const auto known = nanoseconds_.find(function);
  if (known == nanoseconds_.end()) return 1;
  const double ahead =
      std::chrono::duration<double, std::nano>(options_.ahead).count() /
      std::max(known->second, 1.0);
  return 1 + std::min(options_.most_ahead, static_cast<size_t>(ahead));
}

// Follows slow calls at once, and fast ones slowly: what waits behind a slow
// call could run elsewhere.
void ClosureQueue::NoteTime(const std::string& function,
                            std::chrono::nanoseconds took) {
  constexpr double kShare = 0.1;
  const auto now = static_cast<double>(took.count());
  const auto [known, is_first] = nanoseconds_.try_emplace(function, now);
  known->second = std::max(now, known->second + kShare * (now - known->second));
}

void ClosureQueue::SendResources(Worker& worker) {
  for (; worker.num_resources < resources_.size(); ++worker.num_resources) {
    worker.port->Make(resources_[worker.num_resources]);
  }
}

uint64_t ClosureQueue::FinishedBelow() const {
  uint64_t lowest = next_number_;
  if (!queued_.empty()) lowest = std::min(lowest, queued_.front()->number);
  if (!running_.empty()) lowest = std::min(lowest, *running_.begin());
  return lowest;
}

}  // namespace lockstep::coordinator_internal
