// One worker's stream, seen from the chief.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_ATTENDANCE_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_ATTENDANCE_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/cluster/control/grpc/control.grpc.pb.h"
#include "reference/cluster/control/grpc/outbox.h"
#include "reference/cluster/control/meeting.h"

namespace lockstep::control_internal {

// What a worker must say to be let in.
struct JobIdentity {
  int num_workers;
  std::string run_id;
};

// Hands on what the worker says to the meeting, and back. Belongs to itself:
// goes when the stream is done.
class Attendance
    : public grpc::ServerBidiReactor<control::FromWorker, control::FromChief>,
      private MemberEvents {
 public:
  // `gone` is called last. REQUIRES: the rest outlives the stream.
  Attendance(Meeting& meeting, const JobIdentity& job,
             const grpc::CallbackServerContext& call,
             std::function<void(Attendance*)> gone);

  // Ends the stream behind what the worker has been sent.
  void Close();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override { outbox_.Written(ok); }
  void OnDone() override;

  void Met(const std::vector<std::string>& values) override;
  void Refused(const Failure& why) override;
  void Failed(const Failure& why) override;

  void Hear(const control::FromWorker& message);
  void Join(const control::Joining& joining);
  void Refuse(const Error& why);
  void Lose();

  Meeting& meeting_;
  const JobIdentity& job_;
  const grpc::CallbackServerContext& call_;
  const std::function<void(Attendance*)> gone_;
  control::FromWorker incoming_;
  Outbox<control::FromChief> outbox_;
  std::optional<int> worker_;  // once it has joined
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_ATTENDANCE_H_
