// Runs operations one after another on its own thread.
//
//   OperationQueue queue;
//   std::unique_ptr<PendingWork> work = queue.Add([&] { sums = Reduce(x); });
//   ...
//   work->Wait();     // throws what the operation threw
//   queue.Drain();    // all that was added is done
//
// The thread starts with the first operation. One thread adds and waits.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_OPERATION_QUEUE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_OPERATION_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>

#include "reference/base/threads.h"
#include "reference/collectives/group.h"

namespace lockstep::collectives_internal {

class OperationQueue {
 public:
  // Runs the remaining operations first.
  ~OperationQueue() = default;

  // Errors: ResourceExhausted if no thread can be started.
  std::unique_ptr<PendingWork> Add(std::function<void()> operation);
  void Drain();

 private:
  void Loop();
  void Stop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> waiting_;
  bool stopping_ = false;
  std::shared_future<void> last_;
  std::unique_ptr<ThreadGroup> thread_;  // last: it uses the rest
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_OPERATION_QUEUE_H_
