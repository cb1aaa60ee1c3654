#include "reference/parameter_server/rpc/rpc_client.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "reference/base/error.h"
#include "reference/cluster/control/chief_address.h"
#include "reference/cluster/control/grpc/attempts.h"
#include "reference/cluster/control/grpc/connection.h"
#include "reference/cluster/control/grpc/outbox.h"
#include "reference/cluster/control/grpc/tls_credentials.h"
#include "reference/parameter_server/rpc/frame.h"
#include "reference/parameter_server/rpc/identity.h"

namespace lockstep::rpc {

class RpcClient::Stream
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Stream(std::shared_ptr<grpc::Channel> channel, Peer peer,
         const Introduction& self, const ControlPlaneOptions& options);
  ~Stream() override;

  // OK once the server has said hello, else why not. Unavailable with an empty
  // message if there was no answer by the deadline.
  grpc::Status Join(Deadline deadline);

  uint64_t incarnation() const { return incarnation_; }
  void Start(Message request, Done done);

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override { outbox_.Written(ok); }
  void OnDone(const grpc::Status& status) override;

  // Errors: InvalidArgument for what no server sends.
  void Handle(const grpc::ByteBuffer& bytes);
  void Answer(DecodedFrame decoded);
  PeerLost Lost(const grpc::Status& status) const;

  const Peer peer_;
  const std::chrono::milliseconds close_limit_;
  grpc::GenericStub stub_;
  grpc::ClientContext call_;
  grpc::ByteBuffer incoming_;
  control_internal::Outbox<grpc::ByteBuffer> outbox_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool joined_ = false;
  bool closing_ = false;
  uint64_t incarnation_ = 0;
  uint64_t last_number_ = 0;
  std::map<uint64_t, Done> waiting_;
  std::string malformed_;         // why the stream was given up
  std::optional<PeerLost> lost_;  // once nothing is sent any more
  std::optional<grpc::Status> done_;
};

RpcClient::Stream::Stream(std::shared_ptr<grpc::Channel> channel, Peer peer,
                          const Introduction& self,
                          const ControlPlaneOptions& options)
    : peer_(std::move(peer)),
      close_limit_(options.heartbeat_interval),
      stub_(std::move(channel)),
      outbox_([this](const grpc::ByteBuffer* bytes) { StartWrite(bytes); }) {
  // Makes what is written here visible to the callbacks.
  std::lock_guard lock(mutex_);
  call_.AddMetadata(control_internal::kTokenKey, options.token);
  call_.AddMetadata(kVersionKey, options.library_version);
  call_.AddMetadata(kProgramKey, options.program);
  call_.AddMetadata(kRoleKey, self.role);
  call_.AddMetadata(kIndexKey, std::to_string(self.index));
  stub_.PrepareBidiStreamingCall(&call_, MethodName(), {}, this);
  // Any thread may start a write until the last read.
  AddHold();
  StartRead(&incoming_);
  StartCall();
}

RpcClient::Stream::~Stream() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  outbox_.Close([this] { StartWritesDone(); });
  std::unique_lock lock(mutex_);
  const auto done = [&] { return done_.has_value(); };
  if (joined_ && changed_.wait_for(lock, close_limit_, done)) return;
  call_.TryCancel();
  changed_.wait(lock, done);
}

grpc::Status RpcClient::Stream::Join(Deadline deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return joined_ || done_; });
  if (joined_) return grpc::Status::OK;
  if (!done_) return {grpc::StatusCode::UNAVAILABLE, ""};
  // The server ended the stream in order before it said hello.
  if (done_->ok()) return {grpc::StatusCode::UNAVAILABLE, "it has ended"};
  return *done_;
}

void RpcClient::Stream::Start(Message request, Done done) {
  std::unique_lock lock(mutex_);
  if (lost_) {
    const PeerLost lost = *lost_;
    lock.unlock();
    return done(lost);
  }
  Frame frame;
  frame.set_number(++last_number_);
  *frame.mutable_message() = std::move(request.head);
  waiting_.emplace(last_number_, std::move(done));
  // In the order of the numbers.
  outbox_.Send(EncodeFrame(std::move(frame), request.tensors));
}

void RpcClient::Stream::OnReadDone(bool ok) {
  if (ok) {
    try {
      Handle(incoming_);
      incoming_.Clear();
      StartRead(&incoming_);
      return;
    } catch (const Error& error) {
      std::lock_guard lock(mutex_);
      malformed_ = error.what();
    }
    call_.TryCancel();
  }
  outbox_.Close([] {});
  RemoveHold();
}

void RpcClient::Stream::Handle(const grpc::ByteBuffer& bytes) {
  DecodedFrame decoded = DecodeFrame(bytes);
  {
    std::lock_guard lock(mutex_);
    const bool is_hello = decoded.frame.says_case() == Frame::kHello;
    if (is_hello == joined_) {
      throw InvalidArgument("[RpcClient] a server must say hello once, first");
    }
    if (is_hello) {
      incarnation_ = decoded.frame.hello().incarnation();
      joined_ = true;
      changed_.notify_all();
      return;
    }
  }
  Answer(std::move(decoded));
}

void RpcClient::Stream::Answer(DecodedFrame decoded) {
  Done done;
  {
    std::lock_guard lock(mutex_);
    auto found = waiting_.extract(decoded.frame.number());
    if (found.empty()) {
      throw InvalidArgument("[RpcClient] a reply to no request");
    }
    done = std::move(found.mapped());
  }
  switch (decoded.frame.says_case()) {
    case Frame::kMessage:
      return done(Message{std::move(*decoded.frame.mutable_message()),
                          std::move(decoded.tensors)});
    case Frame::kFailing:
      return done(Error(
          control_internal::FromStatusCode(decoded.frame.failing().code()),
          decoded.frame.failing().message()));
    default:
      return done(Internal("[RpcClient] {} sent an unknown reply", peer_.name));
  }
}

PeerLost RpcClient::Stream::Lost(const grpc::Status& status) const {
  std::string why = status.error_message();
  if (status.ok()) why = closing_ ? "this process left it" : "it has ended";
  if (!malformed_.empty()) why = malformed_;
  return PeerLost(fmt::format("[RpcClient] {} ({}) is lost: {}", peer_.name,
                              peer_.address.ToString(), why));
}

void RpcClient::Stream::OnDone(const grpc::Status& status) {
  std::map<uint64_t, Done> unanswered;
  std::optional<PeerLost> lost;
  bool tell = false;
  {
    std::lock_guard lock(mutex_);
    lost = lost_ = Lost(status);
    unanswered.swap(waiting_);
    tell = joined_ && !closing_ && peer_.lost != nullptr;
  }
  for (const auto& [number, done] : unanswered) done(*lost);
  if (tell) peer_.lost(*lost);
  // Nothing of this stream is used after the lock: it may be destroyed then.
  std::lock_guard lock(mutex_);
  done_ = status;
  changed_.notify_all();
}

RpcClient::RpcClient(const Peer& peer, const Introduction& self,
                     const ControlPlaneOptions& options, Deadline deadline)
    : stream_([&] {
        control_internal::CheckOptions(options);
        const auto credentials =
            control_internal::MakeChannelCredentials(options.tls);
        std::unique_ptr<Stream> stream;
        control_internal::TryUntil(
            deadline,
            {"RpcClient", peer.name + " (" + peer.address.ToString() + ")"},
            [&] {
              stream = std::make_unique<Stream>(
                  control_internal::MakeChannel(peer.address, credentials,
                                                options),
                  peer, self, options);
              const grpc::Status status = stream->Join(deadline);
              if (!status.ok()) stream.reset();
              return status;
            });
        return stream;
      }()) {}

RpcClient::~RpcClient() = default;

uint64_t RpcClient::incarnation() const { return stream_->incarnation(); }

Message RpcClient::Call(Message request) {
  // Shared, because this call may return before set_value does.
  const auto promise = std::make_shared<std::promise<Outcome>>();
  std::future<Outcome> outcome = promise->get_future();
  stream_->Start(std::move(request), [promise](Outcome reply) {
    promise->set_value(std::move(reply));
  });
  return outcome.get().Take();
}

void RpcClient::Start(Message request, Done done) {
  stream_->Start(std::move(request), std::move(done));
}

}  // namespace lockstep::rpc
