// The queue of a fake GPU: runs what it is given at once, or keeps it for a
// graph while it is captured.
//
//   FakeQueue::Recording recording;
//   queue.RecordInto(&recording);
//   queue.Submit([] { ... });       // not run
//   queue.RecordInto(nullptr);
//   recording.Run();                // now, and as often as wanted
#ifndef LOCKSTEP_REFERENCE_DEVICE_FAKE_QUEUE_H_
#define LOCKSTEP_REFERENCE_DEVICE_FAKE_QUEUE_H_

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep {

// Thread-safe.
class FakeQueue {
 public:
  using Work = std::function<void()>;

  // Of one queue or of several. Work that waits for another queue's is given
  // later than that: the order in which all of it was given is a right one.
  class Recording {
   public:
    void Add(Work work) {
      std::lock_guard lock(mutex_);
      works_.push_back(std::move(work));
    }
    void Run() const {
      for (const Work& work : works_) work();
    }

   private:
    std::mutex mutex_;
    std::vector<Work> works_;
  };

  // `run` calls the work that it is given; an empty one stands for that alone.
  explicit FakeQueue(std::function<void(const Work&)> run = nullptr)
      : run_(std::move(run)) {}

  void Submit(Work work) {
    if (run_) work = [this, inner = std::move(work)] { run_(inner); };
    Recording* recording = recording_;
    if (recording != nullptr) return recording->Add(std::move(work));
    work();
  }

  // nullptr: runs again what it is given.
  void RecordInto(Recording* recording) { recording_ = recording; }
  bool recording() const { return recording_ != nullptr; }

 private:
  const std::function<void(const Work&)> run_;
  std::atomic<Recording*> recording_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_FAKE_QUEUE_H_
