// What callers that do not belong to the job can do: nothing.
#include <arpa/inet.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <map>
#include <string>

#include "reference/base/error_testing.h"
#include "reference/parameter_server/rpc/frame.h"
#include "reference/parameter_server/rpc/rpc_client.h"
#include "reference/parameter_server/rpc/rpc_server.h"

namespace lockstep::rpc {
namespace {

class Repeat : public Service {
  void Handle(const Caller&, Message request, Done answer) override {
    answer(std::move(request));
  }
};

const ControlPlaneOptions kJob{
    .token = "secret", .program = "p1", .library_version = "7"};

struct JobServer {
  Repeat service;
  RpcServer server{"127.0.0.1:0", kJob, service};

  void Connect(const ControlPlaneOptions& options) const {
    RpcClient client(
        {.name = "server 0", .address = {"127.0.0.1", server.port()}},
        {"worker", 0}, options,
        Deadline::clock::now() + std::chrono::seconds(30));
    EXPECT_EQ(client.Call({"x"}).head, "x");
  }
};

TEST(RpcTrustTest, RefusesAnotherTokenVersionAndProgram) {
  const JobServer job;
  ControlPlaneOptions other = kJob;
  other.token = "guess";
  ExpectError([&] { job.Connect(other); }, Code::kUnauthenticated,
              "wrong token");
  other = kJob;
  other.library_version = "8";
  ExpectError([&] { job.Connect(other); }, Code::kFailedPrecondition,
              "library version: the server has '7', the client '8'");
  other = kJob;
  other.program = "p2";
  ExpectError([&] { job.Connect(other); }, Code::kFailedPrecondition,
              "program: the server has 'p1', the client 'p2'");
  job.Connect(kJob);
}

// Writes bytes to the port, and hangs up.
void SendBytes(int port, const std::string& bytes) {
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(client, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  close(client);
}

TEST(RpcTrustTest, LivesOnAfterAStrangersBytes) {
  const JobServer job;
  const int port = job.server.port();
  SendBytes(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  SendBytes(port, std::string(100'000, '\xff'));
  SendBytes(port, "\x16\x03\x01\x02");
  SendBytes(port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff");
  SendBytes(port, "");
  job.Connect(kJob);
}

// A client that sends what it likes.
class RawCall
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  RawCall(int port, const std::string& method,
          const std::map<std::string, std::string>& metadata,
          const std::string& bytes)
      : stub_(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                  grpc::InsecureChannelCredentials())) {
    for (const auto& [key, value] : metadata) call_.AddMetadata(key, value);
    stub_.PrepareBidiStreamingCall(&call_, method, {}, this);
    const grpc::Slice slice(bytes);
    outgoing_ = grpc::ByteBuffer(&slice, 1);
    StartWrite(&outgoing_);
    StartRead(&incoming_);
    StartCall();
  }
  grpc::Status Wait() { return done_.get_future().get(); }

 private:
  void OnReadDone(bool ok) override {
    if (ok) StartRead(&incoming_);
  }
  void OnDone(const grpc::Status& status) override { done_.set_value(status); }

  grpc::GenericStub stub_;
  grpc::ClientContext call_;
  grpc::ByteBuffer outgoing_;
  grpc::ByteBuffer incoming_;
  std::promise<grpc::Status> done_;
};

const std::map<std::string, std::string> kMember = {
    {"lockstep-token-bin", "secret"},
    {"lockstep-version-bin", "7"},
    {"lockstep-program-bin", "p1"},
    {"lockstep-role-bin", "worker"},
    {"lockstep-index", "0"}};
const std::string kTheMethod =
    std::string("/") + "lockstep.rpc.Requests/Attend";

TEST(RpcTrustTest, EndsAStreamWithAMalformedMessage) {
  const JobServer job;
  for (const std::string& bytes :
       {std::string(), std::string("garbage"), std::string(5'000'000, '\1')}) {
    RawCall call(job.server.port(), kTheMethod, kMember, bytes);
    EXPECT_EQ(call.Wait().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  job.Connect(kJob);
}

TEST(RpcTrustTest, RefusesCallsThatAreNotTheLibrarys) {
  const JobServer job;
  const int port = job.server.port();
  RawCall no_token(port, kTheMethod, {}, "x");
  EXPECT_EQ(no_token.Wait().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  RawCall other_method(port, kTheMethod + "s", kMember, "x");
  EXPECT_EQ(other_method.Wait().error_code(), grpc::StatusCode::UNIMPLEMENTED);
  auto metadata = kMember;
  metadata["lockstep-index"] = "-1";
  RawCall bad_index(port, kTheMethod, metadata, "x");
  EXPECT_EQ(bad_index.Wait().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  job.Connect(kJob);
}

}  // namespace
}  // namespace lockstep::rpc
