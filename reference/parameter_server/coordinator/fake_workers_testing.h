// For tests: workers that are not there, but write down what they get.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_FAKE_WORKERS_TESTING_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_FAKE_WORKERS_TESTING_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/closure_queue.h"

namespace lockstep::coordinator_internal {

class FakeWorker : public WorkerPort {
 public:
  void Start(const ClosurePtr& closure, uint64_t epoch) override {
    started.push_back(closure->number);
    last_epoch = epoch;
  }
  void Make(const Resource& resource) override {
    made.push_back(resource.id.value);
  }
  void Recall(uint64_t epoch) override { recalled.push_back(epoch); }

  std::vector<uint64_t> started;  // the numbers of closures
  std::vector<int64_t> made;      // those of resources
  std::vector<uint64_t> recalled;
  uint64_t last_epoch = 0;
};

// A queue with workers that are ready.
class FakeCluster {
 public:
  explicit FakeCluster(int num_workers, const QueueOptions& options = {})
      : queue(options), workers(num_workers) {
    for (FakeWorker& worker : workers) {
      queue.WorkerReady(queue.AddWorker(worker), kFirstIncarnation);
    }
  }

  std::shared_ptr<RemoteResult> Schedule(const std::string& function = "step") {
    return queue.Schedule({.function = function});
  }
  // Worker `w` ends a closure: with its number, or with an error.
  void Finish(int w, uint64_t number,
              std::chrono::nanoseconds took = std::chrono::seconds(1)) {
    queue.Finished(
        w, number,
        {.value = Tensor::Scalar(static_cast<int64_t>(number)), .took = took});
  }
  void FailWith(int w, uint64_t number, const std::string& message) {
    queue.Finished(w, number,
                   {.error = InvalidArgument("[Test] {}", message),
                    .took = std::chrono::seconds(1)});
  }

  static constexpr uint64_t kFirstIncarnation = 7;

  ClosureQueue queue;
  std::deque<FakeWorker> workers;
};

inline int64_t ValueOf(const std::shared_ptr<RemoteResult>& result) {
  return result->Wait().leaf().item<int64_t>();
}

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_FAKE_WORKERS_TESTING_H_
