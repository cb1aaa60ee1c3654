#include "reference/cluster/control/grpc/wire.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>

#include "reference/base/check.h"

namespace lockstep::control_internal {
namespace {

struct SameCode {
  Code ours;
  grpc::StatusCode theirs;
};

constexpr SameCode kCodes[] = {
    {Code::kInvalidArgument, grpc::StatusCode::INVALID_ARGUMENT},
    {Code::kFailedPrecondition, grpc::StatusCode::FAILED_PRECONDITION},
    {Code::kUnavailable, grpc::StatusCode::UNAVAILABLE},
    {Code::kDeadlineExceeded, grpc::StatusCode::DEADLINE_EXCEEDED},
    {Code::kCancelled, grpc::StatusCode::CANCELLED},
    {Code::kUnauthenticated, grpc::StatusCode::UNAUTHENTICATED},
    {Code::kResourceExhausted, grpc::StatusCode::RESOURCE_EXHAUSTED},
    {Code::kUnimplemented, grpc::StatusCode::UNIMPLEMENTED},
};

grpc::StatusCode ToStatusCode(Code code) {
  for (const SameCode& same : kCodes) {
    if (same.ours == code) return same.theirs;
  }
  return grpc::StatusCode::INTERNAL;
}

using Digest = std::array<unsigned char, 32>;

Digest Sha256(std::string_view text) {
  Digest digest;
  LOCKSTEP_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), nullptr,
                            EVP_sha256(), nullptr) == 1);
  return digest;
}

}  // namespace

Code FromStatusCode(int code) {
  for (const SameCode& same : kCodes) {
    if (same.theirs == code) return same.ours;
  }
  return Code::kInternal;
}

grpc::Status ToStatus(const Error& error) {
  return {ToStatusCode(error.code()), error.what()};
}

control::Failing ToMessage(const Failure& failure) {
  control::Failing failing;
  failing.set_code(ToStatusCode(failure.code));
  failing.set_message(failure.message);
  return failing;
}

Failure FromMessage(const control::Failing& failing) {
  return {FromStatusCode(failing.code()), failing.message()};
}

// Digests have one length, so the time does not depend on a token's length.
bool IsSameToken(std::string_view got, std::string_view wanted) {
  const Digest a = Sha256(got);
  const Digest b = Sha256(wanted);
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

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

}  // namespace lockstep::control_internal
