// Which closure runs on which worker, and who learns of which failure. No
// network and no thread: a program calls one side, what hears of workers the
// other.
//
//   ClosureQueue queue;
//   const int worker = queue.AddWorker(port);
//   queue.WorkerReady(worker, /*incarnation=*/77);
//   auto result = queue.Schedule({.function = "step"});  // port.Start(closure 1)
//   queue.Done();                                        // false
//   queue.Finished(worker, 1, {.value = Tensor::Scalar(2.0f)});
//   queue.Join();                                        // returns
//   result->Wait();                                      // 2
//
// A closure goes to the worker that has been idle for longest. Where calls of a
// function take less than QueueOptions::ahead, workers get several of them
// ahead, so that none waits for a message.
//
// A function's error is raised exactly once, by the first of Schedule, Join and
// Done. From the error on nothing begins: what has not begun becomes Cancelled,
// also with a worker, what runs is finished first, and errors of these closures
// count as the same failure. Then the queue is empty and can be used again. Results that arrived
// can always be read, errors of single results as often as one likes.
//
// Closures of a lost worker go back to the front of the queue with their
// numbers; without workers the queue waits. The one that ran, the worker's
// oldest, may be what ended its process: it goes on from worker to worker
// QueueOptions::allowed_worker_losses times, then it fails. A lost server is
// final: Unavailable for everything that is not finished, and from every later
// call.
//
// Thread-safe.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLOSURE_QUEUE_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLOSURE_QUEUE_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/closure.h"
#include "reference/parameter_server/coordinator/worker_port.h"

namespace lockstep::coordinator_internal {

struct QueueOptions {
  // Closures that wait for a worker; Schedule blocks for more. TensorFlow's.
  size_t most_queued = 256 * 1024;
  // How long the closures that a worker gets ahead may take together, and their
  // number.
  std::chrono::microseconds ahead{2000};
  size_t most_ahead = 256;
  // How many workers may be lost while they run the same closure; one more, and
  // it fails. As many as Dask, Ray and Spark allow; TensorFlow has no limit.
  int allowed_worker_losses = 3;
  // Of the first closure. A program never uses a number again.
  uint64_t first_number = 1;
};

// How a closure ended.
struct Outcome {
  Structure value = {};
  std::optional<Error> error = {};
  std::chrono::nanoseconds took{0};  // on the worker
};

class ClosureQueue {
 public:
  explicit ClosureQueue(const QueueOptions& options = {});
  // As Stop.
  ~ClosureQueue();
  ClosureQueue(const ClosureQueue&) = delete;
  ClosureQueue& operator=(const ClosureQueue&) = delete;

  // --- For the program ---
  // Queues a call; waits while the queue is full. Errors, here and below: a
  // failure that was not raised yet (then nothing is queued); Unavailable if a
  // server was lost; Cancelled after Stop.
  std::shared_ptr<RemoteResult> Schedule(Call call);
  // Waits until nothing is queued or running.
  void Join();
  // Whether nothing is queued or running. False while closures that a failure
  // left running finish.
  bool Done();
  // Makes a value on each worker, and on each new process of a worker. Sets its
  // `id`.
  ResourceId Make(Resource resource);

  // --- For what hears of workers ---
  // REQUIRES: before any other call about it. The port outlives the queue's use
  // of it: it is called until WorkerLost or Stop. Returns its number, 0, 1, ...
  int AddWorker(WorkerPort& port);
  // The worker can be given closures. A process with another incarnation than
  // before has no resources.
  void WorkerReady(int worker, uint64_t incarnation);
  // `running_is_suspect`: the closure that ran may be why.
  void WorkerLost(int worker, bool running_is_suspect = true);
  // Ignored for a closure that is not with this worker (any more).
  void Finished(int worker, uint64_t number, Outcome outcome);
  void Returned(int worker, uint64_t number);
  // The failure is final, see above.
  void ServerLost(const Error& why);

  // Cancels everything that is not finished, and wakes all who wait.
  void Stop();

  // All closures with lower numbers are finished.
  uint64_t finished_below() const;
  // The number of the next closure.
  uint64_t next_number() const;
  size_t num_queued() const;
  size_t num_running() const;

 private:
  struct Worker {
    WorkerPort* port;
    bool ready = false;
    uint64_t incarnation = 0;
    size_t num_resources = 0;  // of resources_, that its process was sent
    uint64_t last_turn = 0;    // when it got a closure
    std::deque<ClosurePtr> running = {};
  };

  bool Idle() const { return queued_.empty() && running_.empty(); }
  bool Drained() const { return failure_ && running_.empty(); }
  // Raises a final failure, or one that was not raised yet.
  void Raise();
  void Fail(const Closure& closure, const Error& error);
  void CancelQueued(const Error& why);
  void PutBack(const ClosurePtr& closure);
  // The same for a closure that ran on a worker that was lost.
  void Suspect(int worker, const ClosurePtr& closure);
  ClosurePtr TakeFrom(Worker& worker, uint64_t number);
  void Dispatch();
  Worker* ChooseWorker(const std::string& function);
  size_t DepthFor(const std::string& function) const;
  void NoteTime(const std::string& function, std::chrono::nanoseconds took);
  void SendResources(Worker& worker);
  uint64_t FinishedBelow() const;

  const QueueOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // room, a failure, or nothing left
  std::deque<ClosurePtr> queued_;    // by number
  std::set<uint64_t> running_;       // the numbers of those with a worker
  std::deque<Worker> workers_;
  std::vector<Resource> resources_;
  std::map<std::string, double> nanoseconds_;  // of a function's call, recently
  std::map<uint64_t, int> losses_;  // of workers that ran a closure, by number
  uint64_t next_number_;
  uint64_t turn_ = 0;
  uint64_t epoch_ = 0;            // the number of failures
  std::optional<Error> failure_;  // that was not raised yet
  std::optional<Error> final_;    // a lost server, or Stop
};

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLOSURE_QUEUE_H_
