// How it works. The calls that have begun and were not taken are a list, in the
// order of their elements. A thread that has nothing to do reads the next
// element, one thread at a time, adds a call to the end of the list, lets
// another thread read, and makes the call. Next takes the first call, or the
// first that is done, and waits until there is one.
//
// While Next waits, its element counts as taken. So the thread that makes this
// element may begin another one at once, without a wake-up of Next in between,
// and elements that take one millisecond arrive without gaps. And as long as
// Next has to wait now and then, threads that are done need not wait for Next or
// for an element that is late: they begin as many elements again, except at the
// start of the pass.
//
// To wake a thread costs more than many functions, so a thread is only woken
// for something that it can do. If nearly all elements cost less than that
// (LightGauge), the threads rest, and Next makes the elements itself. For
// kAutotune it does so from the start, until elements turn out to cost more.
#include "reference/data/transformations/parallel_map.h"

#include <condition_variable>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "reference/base/threads.h"
#include "reference/device/device.h"

namespace lockstep::data_internal {
namespace {

using Clock = CallTuner::Clock;

class ParallelMapReader final : public Reader<Structure> {
 public:
  ParallelMapReader(ReaderPtr<Structure> input, MapFunction function,
                    const CallLimit& limit, bool deterministic)
      : input_(std::move(input)),
        function_(std::move(function)),
        deterministic_(deterministic),
        device_(Device::Current()),
        alone_(limit.tuned()),
        limit_(limit),
        resting_(limit.tuned()) {}

  int64_t Next(std::span<Structure> out) override {
    if (alone_) return MakeNext(out);
    StartThreads();
    Calls taken;
    {
      Lock lock(mutex_);
      taken = TakeDone(lock);
      alone_ = resting_ && taken.empty() && !ended_;
    }
    if (alone_) return MakeNext(out);
    if (taken.empty()) return 0;
    if (taken.front().error) {
      std::rethrow_exception(std::move(taken.front().error));
    }
    out.front() = std::move(taken.front().value);
    return 1;
  }

 private:
  // Of the function or, if the input threw an error, done at once.
  struct Call {
    Structure value;  // the element, then the result
    std::exception_ptr error;
    Clock::time_point start;  // of reading the element
    bool done = false;
  };
  // A list, so that calls do not move and are taken without a copy.
  using Calls = std::list<Call>;
  using Lock = std::unique_lock<std::mutex>;

  void StartThreads() {
    const int64_t missing = limit_.calls() - started_;
    if (missing <= 0) return;
    threads_.push_back(std::make_unique<ThreadGroup>(
        "Map", static_cast<int>(missing), [this](int) { Work(); },
        [this] { Stop(); }));
    started_ += missing;
  }

  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_.notify_all();
  }

  // On the caller's thread, while the others rest. The function computes alone,
  // as on those.
  int64_t MakeNext(std::span<Structure> out) {
    const DeviceScope scope(device_);
    const ThreadTeamScope alone(nullptr);
    const Clock::time_point start = Clock::now();
    Structure element;
    if (input_->Next({&element, 1}) == 0) return 0;
    out.front() = function_(element);
    gauge_.Took(Clock::now() - start);
    if (gauge_.heavy()) EndRest();
    return 1;
  }

  void EndRest() {
    alone_ = false;
    {
      const std::lock_guard lock(mutex_);
      resting_ = false;
    }
    room_.notify_one();
  }

  // The call to be taken, if it is done.
  Calls::iterator FindDone() {
    auto call = calls_.begin();
    while (!deterministic_ && call != calls_.end() && !call->done) ++call;
    return call != calls_.end() && call->done ? call : calls_.end();
  }

  // Whether Next need not wait: there is a result, or there will be none.
  bool CanTake() {
    if (FindDone() != calls_.end()) return true;
    return calls_.empty() && (ended_ || (resting_ && !reading_));
  }

  // Nothing at the end, and when the threads rest.
  Calls TakeDone(Lock& lock) {
    Clock::duration waited{};
    if (!CanTake()) {
      const Clock::time_point start = Clock::now();
      awaited_ = 1;
      last_wait_ = taken_;
      WakeForRoom();
      done_.wait(lock, [this] { return CanTake(); });
      awaited_ = 0;
      waited = Clock::now() - start;
    }
    Calls taken;
    if (const auto call = FindDone(); call != calls_.end()) {
      taken.splice(taken.end(), calls_, call);
      ++taken_;
      limit_.Took(waited);
      WakeForRoom();
    }
    return taken;
  }

  bool HasRoom() const {
    const int64_t calls = limit_.calls();
    const bool wanted = taken_ >= 4 * calls && taken_ - last_wait_ <= calls;
    const int64_t most = calls + awaited_ + (wanted ? calls : 0);
    return !reading_ && !resting_ && running_ < calls &&
           std::ssize(calls_) < most;
  }

  // Wakes a thread that waits for room, if there is some.
  void WakeForRoom() {
    if (idle_ > 0 && HasRoom()) room_.notify_one();
  }

  // Unlocks first, so that Next need not wait for the lock when it wakes up.
  void UnlockAndWakeNext(Lock& lock) {
    const bool wake = std::exchange(wake_next_, false);
    lock.unlock();
    if (wake) done_.notify_one();
  }

  void Work() {
    const DeviceScope scope(device_);
    Lock lock(mutex_);
    const auto may_go_on = [this] { return stop_ || ended_ || HasRoom(); };
    while (true) {
      if (wake_next_ && !may_go_on()) {
        UnlockAndWakeNext(lock);
        lock.lock();
      }
      ++idle_;
      room_.wait(lock, may_go_on);
      --idle_;
      if (stop_ || ended_) return UnlockAndWakeNext(lock);
      if (Call* call = Begin(lock)) Finish(*call, lock);
    }
  }

  // Adds a call for the next element. nullptr if there is nothing to call.
  Call* Begin(Lock& lock) {
    Call call;
    call.start = Clock::now();
    bool more = true;
    reading_ = true;
    UnlockAndWakeNext(lock);
    try {
      more = input_->Next({&call.value, 1}) == 1;
    } catch (...) {
      call.error = std::current_exception();
      call.done = true;
    }
    lock.lock();
    reading_ = false;
    ended_ = !more;
    if (more) calls_.push_back(std::move(call));
    if (ended_) room_.notify_all();
    if (awaited_ == 1 && CanTake()) wake_next_ = true;
    if (ended_ || calls_.back().done) return nullptr;
    ++running_;
    WakeForRoom();
    return &calls_.back();
  }

  void Finish(Call& call, Lock& lock) {
    UnlockAndWakeNext(lock);
    try {
      call.value = function_(call.value);
    } catch (...) {
      call.error = std::current_exception();
    }
    const Clock::duration time = Clock::now() - call.start;
    lock.lock();
    --running_;
    call.done = true;
    gauge_.Took(time);
    resting_ = gauge_.light();
    if (awaited_ == 1 && CanTake()) wake_next_ = true;
  }

  ReaderPtr<Structure> input_;
  const MapFunction function_;
  const bool deterministic_;
  Device& device_;
  int64_t started_ = 0;  // threads
  bool alone_;           // Next makes the elements

  std::mutex mutex_;  // guards what follows, unless Next is alone
  std::condition_variable room_;
  std::condition_variable done_;
  CallLimit limit_;
  LightGauge gauge_;
  Calls calls_;
  int64_t taken_ = 0;       // calls so far
  int64_t last_wait_ = 0;   // of Next: `taken_` then
  int64_t running_ = 0;     // calls
  int64_t idle_ = 0;        // threads that wait for room
  int64_t awaited_ = 0;     // 1 while Next waits
  bool wake_next_ = false;  // it need not wait any more
  bool reading_ = false;    // a thread reads the input
  bool resting_;            // the threads begin no call
  bool ended_ = false;      // the input
  bool stop_ = false;

  std::vector<std::unique_ptr<ThreadGroup>> threads_;  // last: they use all
};

}  // namespace

ReaderPtr<Structure> MakeParallelMapReader(ReaderPtr<Structure> input,
                                           MapFunction function,
                                           const CallLimit& limit,
                                           bool deterministic) {
  return std::make_unique<ParallelMapReader>(
      std::move(input), std::move(function), limit, deterministic);
}

}  // namespace lockstep::data_internal
