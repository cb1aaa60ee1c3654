// What a parameter server answers; no network.
//
//   ParameterService service;
//   service.Joined({.role = "coordinator"});
//   service.Handle(caller, {request.SerializeAsString(), {value}}, answer);
//   service.WaitForEnd(deadline);
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PARAMETER_SERVICE_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PARAMETER_SERVICE_H_

#include <condition_variable>
#include <mutex>
#include <optional>

#include "reference/base/deadline.h"
#include "reference/parameter_server/rpc/parameter.pb.h"
#include "reference/parameter_server/rpc/rpc_server.h"
#include "reference/parameter_server/server/published_variables.h"
#include "reference/parameter_server/server/stored_values.h"

namespace lockstep::parameter_server {

// Only the coordinator may create and publish, and its end is the server's.
class ParameterService : public rpc::Service {
 public:
  // Errors: FailedPrecondition for a second coordinator.
  void Joined(const rpc::Caller& caller) override;
  void Handle(const rpc::Caller& caller, rpc::Message request,
              rpc::Done answer) override;
  void Left(const rpc::Caller& caller) override;

  // Returns when the coordinator has left. Errors: DeadlineExceeded if none has
  // joined by the deadline.
  void WaitForEnd(Deadline deadline);

 private:
  rpc::Message Answer(const Request& request, std::span<const Tensor> tensors);
  rpc::Message AnswerRead(const Read& read, std::span<const Tensor> tensors);
  rpc::Message AnswerUpdate(const Update& update,
                            std::span<const Tensor> tensors);

  StoredValues values_;
  PublishedVariables published_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<uint64_t> coordinator_;  // its stream
  bool ended_ = false;
};

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PARAMETER_SERVICE_H_
