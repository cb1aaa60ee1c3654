#include "reference/cluster/control/grpc/stream_link.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "reference/cluster/control/grpc/attempts.h"
#include "reference/cluster/control/grpc/connection.h"
#include "reference/cluster/control/grpc/control.grpc.pb.h"
#include "reference/cluster/control/grpc/outbox.h"
#include "reference/cluster/control/grpc/tls_credentials.h"
#include "reference/cluster/control/grpc/wire.h"

namespace lockstep::control_internal {
namespace {

class StreamLink
    : public WorkerLink,
      public grpc::ClientBidiReactor<control::FromWorker, control::FromChief> {
 public:
  StreamLink(std::shared_ptr<grpc::Channel> channel, std::string chief,
             const ControlPlaneOptions& options, WorkerEvents& events);
  ~StreamLink() override;

  // OK once the chief has admitted this worker, else why not. Unavailable with
  // an empty message if there was no answer by the deadline.
  grpc::Status Join(const control::FromWorker& joining, Deadline deadline);

  void Arrive(const std::string& name, const std::string& value) override;
  void Expire() override;
  void Abort(const std::string& reason) override;
  void Leave() override;

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override { outbox_.Written(ok); }
  void OnDone(const grpc::Status& status) override;

  void Handle(const control::FromChief& message);
  void RefuseAfterChiefLeft();

  const std::string chief_;
  const std::chrono::milliseconds close_limit_;
  WorkerEvents& events_;
  const std::unique_ptr<control::Control::Stub> stub_;
  grpc::ClientContext call_;
  control::FromChief incoming_;
  Outbox<control::FromWorker> outbox_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool joined_ = false;
  bool waiting_ = false;
  std::optional<grpc::Status> done_;
};

StreamLink::StreamLink(std::shared_ptr<grpc::Channel> channel,
                       std::string chief, const ControlPlaneOptions& options,
                       WorkerEvents& events)
    : chief_(std::move(chief)),
      close_limit_(options.heartbeat_interval),
      events_(events),
      stub_(control::Control::NewStub(std::move(channel))),
      outbox_([this](const control::FromWorker* m) { StartWrite(m); }) {
  // Makes what is written here visible to the callbacks.
  std::lock_guard lock(mutex_);
  call_.AddMetadata(kTokenKey, options.token);
  stub_->async()->Attend(&call_, this);
  // Any thread may start a write until the last read.
  AddHold();
  StartRead(&incoming_);
  StartCall();
}

StreamLink::~StreamLink() {
  outbox_.Close([this] { StartWritesDone(); });
  std::unique_lock lock(mutex_);
  const auto done = [&] { return done_.has_value(); };
  if (joined_ && changed_.wait_for(lock, close_limit_, done)) return;
  call_.TryCancel();
  changed_.wait(lock, done);
}

grpc::Status StreamLink::Join(const control::FromWorker& joining,
                              Deadline deadline) {
  outbox_.Send(joining);
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return joined_ || done_; });
  if (joined_) return grpc::Status::OK;
  if (!done_) return {grpc::StatusCode::UNAVAILABLE, ""};
  // The chief ended the stream in order before it admitted this worker.
  if (done_->ok()) return {grpc::StatusCode::UNAVAILABLE, "it has ended"};
  return *done_;
}

void StreamLink::OnReadDone(bool ok) {
  if (ok) {
    Handle(incoming_);
    StartRead(&incoming_);
    return;
  }
  outbox_.Close([] {});
  RemoveHold();
}

void StreamLink::Handle(const control::FromChief& message) {
  std::lock_guard lock(mutex_);
  // Any message implies that this worker has joined: the job's failure may come
  // first.
  joined_ = true;
  changed_.notify_all();
  switch (message.says_case()) {
    case control::FromChief::kJoined:
      break;
    case control::FromChief::kAllArrived:
      waiting_ = false;
      events_.AllArrived({message.all_arrived().values().begin(),
                          message.all_arrived().values().end()});
      break;
    case control::FromChief::kRefused:
      waiting_ = false;
      events_.Refused(FromMessage(message.refused()));
      break;
    case control::FromChief::kFailed:
      events_.Failed(FromMessage(message.failed()));
      break;
    case control::FromChief::SAYS_NOT_SET:
      events_.Failed({Code::kInternal,
                      "[ControlPlane] the chief sent an unknown message"});
      break;
  }
}

void StreamLink::OnDone(const grpc::Status& status) {
  std::lock_guard lock(mutex_);
  done_ = status;
  if (joined_ && !status.ok()) {
    events_.Failed(Failure(Unavailable("[ControlPlane] {} is gone: {}", chief_,
                                       status.error_message())));
  }
  if (waiting_ && status.ok()) RefuseAfterChiefLeft();
  changed_.notify_all();
}

// The chief ends a stream in order when it has left, or when the job has
// failed, which this worker already knows.
void StreamLink::RefuseAfterChiefLeft() {
  waiting_ = false;
  events_.Refused(
      Failure(FailedPrecondition("[Exchange] given up: {} has left", chief_)));
}

void StreamLink::Arrive(const std::string& name, const std::string& value) {
  std::lock_guard lock(mutex_);
  waiting_ = true;
  if (done_ && done_->ok()) return RefuseAfterChiefLeft();
  control::FromWorker message;
  message.mutable_arrival()->set_name(name);
  message.mutable_arrival()->set_value(value);
  outbox_.Send(std::move(message));
}

void StreamLink::Expire() {
  control::FromWorker message;
  message.mutable_expiry();
  outbox_.Send(std::move(message));
}

void StreamLink::Abort(const std::string& reason) {
  {
    std::lock_guard lock(mutex_);
    // If the chief has left, no other worker can be notified.
    if (done_) {
      events_.Failed(Failure(
          Cancelled("[Abort] this worker gave the job up: {}", reason)));
    }
  }
  control::FromWorker message;
  message.mutable_abort()->set_reason(reason);
  outbox_.Send(std::move(message));
}

void StreamLink::Leave() {
  control::FromWorker message;
  message.mutable_leave();
  outbox_.Send(std::move(message));
}

control::FromWorker MakeJoining(const ClusterSpec& cluster) {
  control::FromWorker message;
  control::Joining& joining = *message.mutable_joining();
  joining.set_worker(cluster.worker().value());
  joining.set_num_workers(cluster.num_workers());
  joining.set_run_id(cluster.run_id());
  return message;
}

}  // namespace

std::unique_ptr<WorkerLink> JoinChief(const ClusterSpec& cluster,
                                      const WorkerAddress& chief,
                                      const ControlPlaneOptions& options,
                                      Deadline deadline, WorkerEvents& events) {
  const auto credentials = MakeChannelCredentials(options.tls);
  const std::string name = "worker 0 (" + chief.ToString() + ")";
  const control::FromWorker joining = MakeJoining(cluster);
  std::unique_ptr<StreamLink> link;
  TryUntil(deadline, {"ConnectControlPlane", name}, [&] {
    link = std::make_unique<StreamLink>(
        MakeChannel(chief, credentials, options), name, options, events);
    const grpc::Status status = link->Join(joining, deadline);
    if (!status.ok()) link.reset();
    return status;
  });
  return link;
}

}  // namespace lockstep::control_internal
