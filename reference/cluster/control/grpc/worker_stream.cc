#include "reference/cluster/control/grpc/worker_stream.h"

#include <utility>

#include "reference/base/log.h"
#include "reference/cluster/control/grpc/connection.h"
#include "reference/cluster/control/grpc/wire.h"

namespace lockstep::control_internal {

WorkerStream::WorkerStream(JobState& job_state, const JobIdentity& job,
                           const grpc::CallbackServerContext& call,
                           std::function<void(WorkerStream*)> gone)
    : job_state_(job_state),
      job_(job),
      call_(call),
      gone_(std::move(gone)),
      outbox_([this](const control::FromChief* m) { StartWrite(m); }) {
  StartRead(&incoming_);
}

void WorkerStream::Close() {
  outbox_.Close([this] { Finish(grpc::Status::OK); });
}

void WorkerStream::OnDone() {
  Disconnect();
  gone_(this);
  delete this;
}

void WorkerStream::OnReadDone(bool ok) {
  if (!ok) {
    Disconnect();
    Close();
    return;
  }
  try {
    Handle(incoming_);
  } catch (const Error& why) {
    Refuse(why);
    return;
  }
  StartRead(&incoming_);
}

void WorkerStream::Refuse(const Error& why) {
  LogWarning("[ControlPlane] refused {}: {}", call_.peer(), why.what());
  job_state_.NoteRefusal(call_.peer(), why);
  Disconnect();
  outbox_.Close([this, status = ToStatus(why)] { Finish(status); });
}

void WorkerStream::Handle(const control::FromWorker& message) {
  using Says = control::FromWorker;
  if (worker_.has_value() == message.has_joining()) {
    throw InvalidArgument(
        "[Join] a worker must join once, before anything else");
  }
  switch (message.says_case()) {
    case Says::kJoining:
      return Join(message.joining());
    case Says::kArrival:
      return job_state_.Arrive(*worker_, message.arrival().name(),
                               message.arrival().value());
    case Says::kExpiry:
      return job_state_.Expire(*worker_);
    case Says::kAbort:
      return job_state_.Abort(*worker_, message.abort().reason());
    case Says::kLeave:
      return job_state_.Leave(*worker_);
    case Says::SAYS_NOT_SET:
      break;
  }
  throw InvalidArgument("[ControlPlane] a worker sent an unknown message");
}

void WorkerStream::Join(const control::Joining& joining) {
  if (joining.run_id() != job_.run_id) {
    throw FailedPrecondition("[Join] worker {} is of run '{}', the job is '{}'",
                             joining.worker(), joining.run_id(), job_.run_id);
  }
  if (joining.num_workers() != job_.num_workers || joining.worker() < 0 ||
      joining.worker() >= job_.num_workers) {
    throw FailedPrecondition("[Join] worker {} of {} cannot join a job of {}",
                             joining.worker(), joining.num_workers(),
                             job_.num_workers);
  }
  job_state_.Join(joining.worker(), *this);
  worker_ = joining.worker();
  control::FromChief joined;
  joined.mutable_joined();
  outbox_.Send(std::move(joined));
}

void WorkerStream::Disconnect() {
  if (!worker_) return;
  job_state_.Disconnect(
      *worker_, call_.IsCancelled() ? "the link to it broke, or it has stopped"
                                    : "it ended");
  worker_.reset();
}

void WorkerStream::AllArrived(const std::vector<std::string>& values) {
  control::FromChief message;
  for (const std::string& value : values) {
    message.mutable_all_arrived()->add_values(value);
  }
  outbox_.Send(std::move(message));
}

void WorkerStream::Refused(const Failure& why) {
  control::FromChief message;
  *message.mutable_refused() = ToMessage(why);
  outbox_.Send(std::move(message));
}

void WorkerStream::Failed(const Failure& why) {
  control::FromChief message;
  *message.mutable_failed() = ToMessage(why);
  outbox_.Send(std::move(message));
}

}  // namespace lockstep::control_internal
