// The chief's end of one worker's stream.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WORKER_STREAM_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WORKER_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/cluster/control/grpc/control.grpc.pb.h"
#include "reference/cluster/control/grpc/outbox.h"
#include "reference/cluster/control/job_state.h"

namespace lockstep::control_internal {

// What a worker must send to join.
struct JobIdentity {
  int num_workers;
  std::string run_id;
};

// Passes the worker's messages to the job's state, and its events back. Owns
// itself; deleted in OnDone.
class WorkerStream
    : public grpc::ServerBidiReactor<control::FromWorker, control::FromChief>,
      private WorkerEvents {
 public:
  // Calls `gone` last. REQUIRES: the other arguments outlive the stream.
  WorkerStream(JobState& job_state, const JobIdentity& job,
               const grpc::CallbackServerContext& call,
               std::function<void(WorkerStream*)> gone);

  // Ends the stream after sending the queued messages.
  void Close();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override { outbox_.Written(ok); }
  void OnDone() override;

  void AllArrived(const std::vector<std::string>& values) override;
  void Refused(const Failure& why) override;
  void Failed(const Failure& why) override;

  void Handle(const control::FromWorker& message);
  void Join(const control::Joining& joining);
  void Refuse(const Error& why);
  void Disconnect();

  JobState& job_state_;
  const JobIdentity& job_;
  const grpc::CallbackServerContext& call_;
  const std::function<void(WorkerStream*)> gone_;
  control::FromWorker incoming_;
  Outbox<control::FromChief> outbox_;
  std::optional<int> worker_;  // once it has joined
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WORKER_STREAM_H_
