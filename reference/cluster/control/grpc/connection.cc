#include "reference/cluster/control/grpc/connection.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <string>

#include "reference/base/check.h"
#include "reference/cluster/control/grpc/grpc_log.h"
#include "reference/cluster/control/grpc/tls_credentials.h"

namespace lockstep::control_internal {
namespace {

// Limits of what a client without a token can make a server keep.
constexpr int kMostStreamsOfAConnection = 4;
constexpr int kMostMetadataBytes = 16 << 10;
constexpr int kHandshakeMilliseconds = 10'000;
constexpr int kIdleMilliseconds = 10'000;

struct SameCode {
  Code ours;
  grpc::StatusCode theirs;
};

constexpr SameCode kCodes[] = {
    {Code::kInvalidArgument, grpc::StatusCode::INVALID_ARGUMENT},
    {Code::kOutOfRange, grpc::StatusCode::OUT_OF_RANGE},
    {Code::kFailedPrecondition, grpc::StatusCode::FAILED_PRECONDITION},
    {Code::kNotFound, grpc::StatusCode::NOT_FOUND},
    {Code::kDataLoss, grpc::StatusCode::DATA_LOSS},
    {Code::kUnavailable, grpc::StatusCode::UNAVAILABLE},
    {Code::kDeadlineExceeded, grpc::StatusCode::DEADLINE_EXCEEDED},
    {Code::kCancelled, grpc::StatusCode::CANCELLED},
    {Code::kUnauthenticated, grpc::StatusCode::UNAUTHENTICATED},
    {Code::kResourceExhausted, grpc::StatusCode::RESOURCE_EXHAUSTED},
    {Code::kUnimplemented, grpc::StatusCode::UNIMPLEMENTED},
};

using Digest = std::array<unsigned char, 32>;

Digest Sha256(std::string_view text) {
  Digest digest;
  LOCKSTEP_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), nullptr,
                            EVP_sha256(), nullptr) == 1);
  return digest;
}

// Digests have one length, so the time does not depend on a token's length.
bool IsSameToken(std::string_view got, std::string_view wanted) {
  const Digest a = Sha256(got);
  const Digest b = Sha256(wanted);
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// With which each end notices that the other has stopped.
std::vector<std::pair<std::string, int>> KeepAliveArguments(
    const ControlPlaneOptions& options) {
  return {
      {GRPC_ARG_KEEPALIVE_TIME_MS,
       static_cast<int>(options.heartbeat_interval.count())},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
       static_cast<int>(options.heartbeat_timeout.count())},
      {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
      {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
      // Frequent heartbeats are not an attack: a worker may have a shorter
      // interval than the chief.
      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1},
      {GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0},
  };
}

}  // namespace

grpc::StatusCode ToStatusCode(Code code) {
  for (const SameCode& same : kCodes) {
    if (same.ours == code) return same.theirs;
  }
  return grpc::StatusCode::INTERNAL;
}

Code FromStatusCode(int code) {
  for (const SameCode& same : kCodes) {
    if (same.theirs == code) return same.ours;
  }
  return Code::kInternal;
}

grpc::Status ToStatus(const Error& error) {
  return {ToStatusCode(error.code()), error.what()};
}

std::string FindMetadata(const grpc::CallbackServerContext& call,
                         const char* key) {
  const auto& metadata = call.client_metadata();
  const auto found = metadata.find(key);
  if (found == metadata.end()) return "";
  return {found->second.data(), found->second.size()};
}

bool HasToken(const grpc::CallbackServerContext& call,
              std::string_view wanted) {
  return call.client_metadata().contains(kTokenKey) &&
         IsSameToken(FindMetadata(call, kTokenKey), wanted);
}

void SetArguments(const ControlPlaneOptions& options,
                  grpc::ServerBuilder& builder) {
  LogForGrpc();
  for (const auto& [name, value] : KeepAliveArguments(options)) {
    builder.AddChannelArgument(name, value);
  }
  // Otherwise a second server on the same port would start without an error.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             kMostStreamsOfAConnection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMostMetadataBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             kHandshakeMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                             kIdleMilliseconds);
  // A stream is read only after its token has been checked.
  builder.SetMaxReceiveMessageSize(-1);
}

std::shared_ptr<grpc::Channel> MakeChannel(
    const WorkerAddress& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const ControlPlaneOptions& options) {
  LogForGrpc();
  grpc::ChannelArguments arguments;
  for (const auto& [name, value] : KeepAliveArguments(options)) {
    arguments.SetInt(name, value);
  }
  // A separate, direct connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  // Not "a:1", which could be a URI.
  return grpc::CreateCustomChannel("dns:///" + address.ToString(), credentials,
                                   arguments);
}

}  // namespace lockstep::control_internal
