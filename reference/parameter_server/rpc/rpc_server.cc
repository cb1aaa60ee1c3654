#include "reference/parameter_server/rpc/rpc_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <random>
#include <set>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/cluster/control/chief_address.h"
#include "reference/cluster/control/grpc/connection.h"
#include "reference/cluster/control/grpc/outbox.h"
#include "reference/cluster/control/grpc/tls_credentials.h"
#include "reference/parameter_server/rpc/frame.h"
#include "reference/parameter_server/rpc/identity.h"

namespace lockstep::rpc {
namespace {

using control_internal::FindMetadata;
using control_internal::Outbox;
using control_internal::ToStatus;

// The same process never gives it twice, nor do two in practice.
uint64_t RandomIncarnation() {
  std::random_device random;
  return (uint64_t{random()} << 32) | random();
}

// Ends a stream without reading from it.
class Refusal : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const Error& why) { Finish(ToStatus(why)); }
  void OnDone() override { delete this; }
};

class ServerStream;

// Through which answers reach a stream, as long as there is one.
struct Line {
  std::mutex mutex;
  ServerStream* stream;
};

// One client's stream. Owns itself; deleted in OnDone.
class ServerStream : public grpc::ServerGenericBidiReactor {
 public:
  // Calls `gone` last. REQUIRES: the service outlives the stream, and knows
  // the caller.
  ServerStream(Service& service, Caller caller, uint64_t incarnation,
               std::function<void(ServerStream*)> gone);

  // Ends the stream after sending the answers that were given.
  void Close() {
    outbox_.Close([this] { Finish(grpc::Status::OK); });
  }

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override { outbox_.Written(ok); }
  void OnDone() override;

  void Handle(const grpc::ByteBuffer& bytes);
  void Send(uint64_t number, Outcome outcome);

  Service& service_;
  const Caller caller_;
  const std::function<void(ServerStream*)> gone_;
  const std::shared_ptr<Line> line_;
  grpc::ByteBuffer incoming_;
  Outbox<grpc::ByteBuffer> outbox_;
};

ServerStream::ServerStream(Service& service, Caller caller,
                           uint64_t incarnation,
                           std::function<void(ServerStream*)> gone)
    : service_(service),
      caller_(std::move(caller)),
      gone_(std::move(gone)),
      line_(std::make_shared<Line>()),
      outbox_([this](const grpc::ByteBuffer* bytes) { StartWrite(bytes); }) {
  line_->stream = this;
  Frame frame;
  frame.mutable_hello()->set_incarnation(incarnation);
  outbox_.Send(EncodeFrame(std::move(frame), {}));
  StartRead(&incoming_);
}

void ServerStream::OnReadDone(bool ok) {
  if (!ok) return Close();
  try {
    Handle(incoming_);
  } catch (const Error& why) {
    LogWarning("[RpcServer] refused {} {} ({}): {}", caller_.role,
               caller_.index, caller_.address, why.what());
    outbox_.Close([this, status = ToStatus(why)] { Finish(status); });
    return;
  }
  incoming_.Clear();
  StartRead(&incoming_);
}

// Errors: InvalidArgument for a message that is not a request.
void ServerStream::Handle(const grpc::ByteBuffer& bytes) {
  DecodedFrame decoded = DecodeFrame(bytes);
  if (decoded.frame.says_case() != Frame::kMessage) {
    throw InvalidArgument("[RpcServer] a client must send requests");
  }
  const uint64_t number = decoded.frame.number();
  const Done answer = [line = line_, number](Outcome outcome) {
    std::lock_guard lock(line->mutex);
    if (line->stream != nullptr) line->stream->Send(number, std::move(outcome));
  };
  Message request{std::move(*decoded.frame.mutable_message()),
                  std::move(decoded.tensors)};
  try {
    service_.Handle(caller_, std::move(request), answer);
  } catch (const Error& error) {
    answer(error);
  } catch (const std::exception& error) {
    answer(Internal("[RpcServer] {}", error.what()));
  }
}

void ServerStream::Send(uint64_t number, Outcome outcome) {
  Frame frame;
  frame.set_number(number);
  std::vector<Tensor> tensors;
  try {
    Message reply = outcome.Take();
    *frame.mutable_message() = std::move(reply.head);
    tensors = std::move(reply.tensors);
  } catch (const Error& error) {
    frame.mutable_failing()->set_code(
        control_internal::ToStatusCode(error.code()));
    frame.mutable_failing()->set_message(error.what());
  }
  outbox_.Send(EncodeFrame(std::move(frame), tensors));
}

void ServerStream::OnDone() {
  {
    std::lock_guard lock(line_->mutex);
    line_->stream = nullptr;
  }
  service_.Left(caller_);
  gone_(this);
  delete this;
}

void CheckSame(const char* what, const std::string& got,
               const std::string& wanted) {
  if (got == wanted) return;
  throw FailedPrecondition(
      "[RpcServer] processes differ in their {}: the server has '{}', the "
      "client '{}'",
      what, wanted, got);
}

int IndexIn(const std::string& text) {
  int index = -1;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc() && end == text.data() + text.size() && index >= 0) {
    return index;
  }
  throw InvalidArgument("[RpcServer] a client's index must be from 0 on");
}

}  // namespace

class RpcServer::Listener : public grpc::CallbackGenericService {
 public:
  Listener(const std::string& address, const ControlPlaneOptions& options,
           Service& service);
  ~Listener() override;

  int port() const { return port_; }
  uint64_t incarnation() const { return incarnation_; }

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* call) override;
  // Errors: Unauthenticated, FailedPrecondition, InvalidArgument.
  Caller Identify(const grpc::GenericCallbackServerContext& call) const;
  void Forget(ServerStream* stream);

  const ControlPlaneOptions options_;
  const uint64_t incarnation_ = RandomIncarnation();
  Service& service_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<ServerStream*> streams_;
  int joining_ = 0;  // calls that are about to add a stream
  uint64_t last_stream_ = 0;
  bool closed_ = false;
  std::unique_ptr<grpc::Server> server_;
};

RpcServer::Listener::Listener(const std::string& address,
                              const ControlPlaneOptions& options,
                              Service& service)
    : options_(options), service_(service) {
  control_internal::CheckOptions(options);
  grpc::ServerBuilder builder;
  control_internal::SetArguments(options, builder);
  builder.AddListeningPort(
      address, control_internal::MakeServerCredentials(options.tls), &port_);
  builder.RegisterCallbackGenericService(this);
  server_ = builder.BuildAndStart();
  if (server_ && port_ != 0) return;
  throw Unavailable(
      "[RpcServer] cannot listen at {}: the port is in use, or the address is "
      "not of this machine",
      address);
}

RpcServer::Listener::~Listener() {
  if (!server_) return;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    for (ServerStream* stream : streams_) stream->Close();
  }
  server_->Shutdown(std::chrono::system_clock::now() +
                    options_.heartbeat_interval);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return streams_.empty() && joining_ == 0; });
}

Caller RpcServer::Listener::Identify(
    const grpc::GenericCallbackServerContext& call) const {
  if (!control_internal::HasToken(call, options_.token)) {
    throw Unauthenticated("[RpcServer] wrong token");
  }
  if (call.method() != MethodName()) {
    throw Unimplemented("[RpcServer] the only method is {}", MethodName());
  }
  CheckSame("library version", FindMetadata(call, kVersionKey),
            options_.library_version);
  CheckSame("program", FindMetadata(call, kProgramKey), options_.program);
  return {.role = FindMetadata(call, kRoleKey),
          .index = IndexIn(FindMetadata(call, kIndexKey)),
          .address = call.peer()};
}

grpc::ServerGenericBidiReactor* RpcServer::Listener::CreateReactor(
    grpc::GenericCallbackServerContext* call) {
  bool joining = false;
  try {
    Caller caller = Identify(*call);
    {
      std::lock_guard lock(mutex_);
      if (closed_) throw Unavailable("[RpcServer] the process ends");
      caller.stream = ++last_stream_;
      ++joining_;
      joining = true;
    }
    service_.Joined(caller);
    std::lock_guard lock(mutex_);
    --joining_;
    auto* stream = new ServerStream(service_, caller, incarnation_,
                                    [this](ServerStream* s) { Forget(s); });
    streams_.insert(stream);
    if (closed_) stream->Close();
    return stream;
  } catch (const Error& why) {
    LogWarning("[RpcServer] refused {}: {}", call->peer(), why.what());
    if (joining) Forget(nullptr);
    return new Refusal(why);
  }
}

// Without a stream: a call that was joining was refused.
void RpcServer::Listener::Forget(ServerStream* stream) {
  std::lock_guard lock(mutex_);
  if (stream == nullptr) {
    --joining_;
  } else {
    streams_.erase(stream);
  }
  changed_.notify_all();
}

RpcServer::RpcServer(const std::string& address,
                     const ControlPlaneOptions& options, Service& service)
    : listener_(std::make_unique<Listener>(address, options, service)) {}

RpcServer::~RpcServer() = default;

int RpcServer::port() const { return listener_->port(); }
uint64_t RpcServer::incarnation() const { return listener_->incarnation(); }

}  // namespace lockstep::rpc
