// The coordinator's end of one worker's stream. Keeps connecting while there is
// none.
//
//   WorkerConnection worker(0, address, options, queue, events);
//   worker.AwaitFirst(deadline);    // it is there, and the queue knows
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_CONNECTION_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_CONNECTION_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "reference/base/deadline.h"
#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/control/control_plane_options.h"
#include "reference/parameter_server/coordinator/closure_queue.h"
#include "reference/parameter_server/coordinator/worker_messages.h"
#include "reference/parameter_server/rpc/rpc_client.h"

namespace lockstep::coordinator_internal {

class WorkerConnection : public WorkerPort {
 public:
  // Adds itself to the queue as its worker `index`. `finished` is called after
  // each closure that finished; it must not block. REQUIRES: the queue outlives
  // it, and is stopped first; workers are added in the order of their index.
  WorkerConnection(int index, const WorkerAddress& address,
                   const ControlPlaneOptions& options, ClosureQueue& queue,
                   std::function<void()> finished);
  ~WorkerConnection() override;

  // Waits until the worker was there once. Errors: DeadlineExceeded;
  // Unauthenticated and FailedPrecondition for a worker that can never be one
  // of this job.
  void AwaitFirst(Deadline deadline);

  void Start(const ClosurePtr& closure, uint64_t epoch) override;
  void Make(const Resource& resource) override;
  void Recall(uint64_t epoch) override;

 private:
  void KeepConnected();
  // One connection, from its begin to its end.
  void ServeOnce();
  std::unique_ptr<rpc::RpcClient> Connect();
  void NoteError(const Error& error);
  // `by_closure`: perhaps by the closure that ran.
  void Lose(bool by_closure);
  void Take(uint64_t number, rpc::Outcome outcome);
  bool Pause();

  const int index_;
  const WorkerAddress address_;
  const ControlPlaneOptions options_;
  ClosureQueue& queue_;
  const std::function<void()> finished_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool was_there_ = false;
  bool lost_ = false;
  bool lost_by_closure_ = false;
  std::optional<Error> refusal_;  // why it can never be there
  std::unique_ptr<rpc::RpcClient> client_;
  std::thread thread_;  // last: it uses everything
};

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_CONNECTION_H_
