#include "reference/cluster/control/grpc/attendance.h"

#include <utility>

#include "reference/base/log.h"
#include "reference/cluster/control/grpc/wire.h"

namespace lockstep::control_internal {

Attendance::Attendance(Meeting& meeting, const JobIdentity& job,
                       const grpc::CallbackServerContext& call,
                       std::function<void(Attendance*)> gone)
    : meeting_(meeting),
      job_(job),
      call_(call),
      gone_(std::move(gone)),
      outbox_([this](const control::FromChief* m) { StartWrite(m); }) {
  StartRead(&incoming_);
}

void Attendance::Close() {
  outbox_.Close([this] { Finish(grpc::Status::OK); });
}

void Attendance::OnDone() {
  Lose();
  gone_(this);
  delete this;
}

void Attendance::OnReadDone(bool ok) {
  if (!ok) {
    Lose();
    Close();
    return;
  }
  try {
    Hear(incoming_);
  } catch (const Error& why) {
    Refuse(why);
    return;
  }
  StartRead(&incoming_);
}

void Attendance::Refuse(const Error& why) {
  LogWarning("[ControlPlane] refused {}: {}", call_.peer(), why.what());
  meeting_.NoteRefusal(call_.peer(), why);
  Lose();
  outbox_.Close([this, status = ToStatus(why)] { Finish(status); });
}

void Attendance::Hear(const control::FromWorker& message) {
  using Says = control::FromWorker;
  if (worker_.has_value() == message.has_joining()) {
    throw InvalidArgument("[Join] a worker joins first, and once");
  }
  switch (message.says_case()) {
    case Says::kJoining:
      return Join(message.joining());
    case Says::kArrival:
      return meeting_.Arrive(*worker_, message.arrival().name(),
                             message.arrival().value());
    case Says::kExpiry:
      return meeting_.Expire(*worker_);
    case Says::kAbort:
      return meeting_.Abort(*worker_, message.abort().reason());
    case Says::kLeave:
      return meeting_.Leave(*worker_);
    case Says::SAYS_NOT_SET:
      break;
  }
  throw InvalidArgument("[ControlPlane] a message of no known kind");
}

void Attendance::Join(const control::Joining& joining) {
  if (joining.run_id() != job_.run_id) {
    throw FailedPrecondition("[Join] worker {} is of run '{}', the job is '{}'",
                             joining.worker(), joining.run_id(), job_.run_id);
  }
  if (joining.num_workers() != job_.num_workers || joining.worker() < 0 ||
      joining.worker() >= job_.num_workers) {
    throw FailedPrecondition("[Join] worker {} of {} comes to a job of {}",
                             joining.worker(), joining.num_workers(),
                             job_.num_workers);
  }
  meeting_.Join(joining.worker(), *this);
  worker_ = joining.worker();
  control::FromChief joined;
  joined.mutable_joined();
  outbox_.Send(std::move(joined));
}

void Attendance::Lose() {
  if (!worker_) return;
  meeting_.Lose(*worker_, call_.IsCancelled()
                              ? "the link to it broke, or it has stopped"
                              : "it ended");
  worker_.reset();
}

void Attendance::Met(const std::vector<std::string>& values) {
  control::FromChief message;
  for (const std::string& value : values) {
    message.mutable_met()->add_values(value);
  }
  outbox_.Send(std::move(message));
}

void Attendance::Refused(const Failure& why) {
  control::FromChief message;
  *message.mutable_refused() = ToMessage(why);
  outbox_.Send(std::move(message));
}

void Attendance::Failed(const Failure& why) {
  control::FromChief message;
  *message.mutable_failed() = ToMessage(why);
  outbox_.Send(std::move(message));
}

}  // namespace lockstep::control_internal
