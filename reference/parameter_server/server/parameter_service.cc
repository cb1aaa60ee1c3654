#include "reference/parameter_server/server/parameter_service.h"

#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/parameter_server/server/request_reader.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::parameter_server {

void ParameterService::Joined(const rpc::Caller& caller) {
  std::lock_guard lock(mutex_);
  if (ended_) {
    throw FailedPrecondition(
        "[ParameterServer] the coordinator has ended, and its variables with "
        "it: start this server again");
  }
  if (caller.role != rpc::kCoordinatorRole) return;
  if (coordinator_) {
    throw FailedPrecondition("[ParameterServer] there is a coordinator");
  }
  coordinator_ = caller.stream;
  changed_.notify_all();
}

void ParameterService::Left(const rpc::Caller& caller) {
  {
    std::lock_guard lock(mutex_);
    if (coordinator_ != caller.stream) return;
    ended_ = true;
    changed_.notify_all();
  }
  published_.Close(Unavailable("[ParameterServer] the coordinator has ended"));
}

void ParameterService::WaitForEnd(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto joined = [&] { return coordinator_.has_value(); };
  if (!changed_.wait_until(lock, deadline, joined)) {
    throw DeadlineExceeded(
        "[ParameterServer] no coordinator has come in time: start it, or raise "
        "join_timeout");
  }
  changed_.wait(lock, [&] { return ended_; });
}

void ParameterService::Handle(const rpc::Caller& caller, rpc::Message request,
                              rpc::Done answer) {
  const HostScope scope;
  const Request asked = ReadRequest(request.head);
  const bool changes_program =
      asked.has_create() || asked.has_publish() || asked.has_finish();
  if (changes_program && caller.role != rpc::kCoordinatorRole) {
    throw InvalidArgument(
        "[ParameterServer] only the coordinator may ask this");
  }
  if (asked.has_await()) {
    return published_.Await(asked.await().index(), asked.await().name(),
                            std::move(answer));
  }
  answer(Answer(asked, request.tensors));
}

rpc::Message ParameterService::Answer(const Request& request,
                                      std::span<const Tensor> tensors) {
  switch (request.asks_case()) {
    case Request::kCreate:
      CheckCount("Create", tensors, 1);
      values_.Create(request.create().variable(), request.create().name(),
                     tensors[0]);
      return {};
    case Request::kPublish:
      published_.Publish(request.publish().index(),
                         request.publish().variable());
      return {};
    case Request::kFinish:
      values_.Finish(request.finish().below());
      return {};
    case Request::kRead:
      return AnswerRead(request.read(), tensors);
    case Request::kUpdate:
      return AnswerUpdate(request.update(), tensors);
    default:
      break;
  }
  throw Internal("[ParameterServer] an unknown request");
}

rpc::Message ParameterService::AnswerRead(const Read& read,
                                          std::span<const Tensor> tensors) {
  const std::vector<uint64_t> variables(read.variables().begin(),
                                        read.variables().end());
  Values values;
  rpc::Message reply;
  for (const ReadValue& value : values_.Read(variables, tensors)) {
    values.add_changes(value.changes);
    reply.tensors.push_back(value.value);
  }
  reply.head = values.SerializeAsString();
  return reply;
}

rpc::Message ParameterService::AnswerUpdate(const Update& update,
                                            std::span<const Tensor> tensors) {
  UpdateOutcome outcome = values_.Apply(ReadUpdate(update, tensors));
  Updated updated;
  updated.set_applied(outcome.applied);
  return {updated.SerializeAsString(), std::move(outcome.values)};
}

}  // namespace lockstep::parameter_server
