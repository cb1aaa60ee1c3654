// How it works. The calls that have begun and were not taken are a list, in the
// order of their elements. A thread that has nothing to do reads the next
// element, one thread at a time, adds a call to the end of the list, lets
// another thread read, and makes the call. Next takes the first call, or the
// first that is done, and waits until there is one.
//
// While Next waits, its element counts as taken. So the thread that makes this
// element may begin another one at once, without a wake-up of Next in between,
// and elements that take one millisecond arrive without gaps.
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
        limit_(limit) {}

  int64_t Next(std::span<Structure> out) override {
    StartThreads();
    Calls taken;
    {
      std::unique_lock lock(mutex_);
      taken = TakeDone(lock);
    }
    room_.notify_one();
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

  // The call to be taken, if it is done.
  Calls::iterator FindDone() {
    auto call = calls_.begin();
    while (!deterministic_ && call != calls_.end() && !call->done) ++call;
    return call != calls_.end() && call->done ? call : calls_.end();
  }

  // Nothing at the end.
  Calls TakeDone(Lock& lock) {
    Clock::duration waited{};
    if (FindDone() == calls_.end()) {
      const Clock::time_point start = Clock::now();
      awaited_ = 1;
      room_.notify_one();
      done_.wait(lock, [this] {
        return FindDone() != calls_.end() || (ended_ && calls_.empty());
      });
      awaited_ = 0;
      waited = Clock::now() - start;
    }
    Calls taken;
    if (const auto call = FindDone(); call != calls_.end()) {
      taken.splice(taken.end(), calls_, call);
      limit_.Took(waited);
    }
    return taken;
  }

  bool HasRoom() const {
    const int64_t calls = limit_.calls();
    return !reading_ && running_ < calls &&
           std::ssize(calls_) < calls + awaited_;
  }

  void Work() {
    const DeviceScope scope(device_);
    Lock lock(mutex_);
    while (true) {
      room_.wait(lock, [this] { return stop_ || ended_ || HasRoom(); });
      if (stop_ || ended_) return;
      if (Call* call = Begin(lock)) Finish(*call, lock);
    }
  }

  // Adds a call for the next element. nullptr if there is nothing to call.
  Call* Begin(Lock& lock) {
    Call call;
    bool more = true;
    reading_ = true;
    lock.unlock();
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
    if (ended_ || calls_.back().done) {
      done_.notify_one();
      return nullptr;
    }
    ++running_;
    room_.notify_one();
    return &calls_.back();
  }

  void Finish(Call& call, Lock& lock) {
    lock.unlock();
    try {
      call.value = function_(call.value);
    } catch (...) {
      call.error = std::current_exception();
    }
    lock.lock();
    --running_;
    call.done = true;
    done_.notify_one();
  }

  ReaderPtr<Structure> input_;
  const MapFunction function_;
  const bool deterministic_;
  Device& device_;
  int64_t started_ = 0;  // threads

  std::mutex mutex_;  // guards what follows
  std::condition_variable room_;
  std::condition_variable done_;
  CallLimit limit_;
  Calls calls_;
  int64_t running_ = 0;   // calls
  int64_t awaited_ = 0;   // 1 while Next waits
  bool reading_ = false;  // a thread reads the input
  bool ended_ = false;    // the input
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
