// What a worker reads of a coordinator, and a coordinator of a worker: any bytes
// are a message or are refused. A message that was read is written as one that
// reads the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/worker_messages.h"
#include "reference/parameter_server/rpc/frame.h"

namespace lockstep::coordinator_internal {
namespace {

rpc::Message Write(const WorkerRequest& request) {
  if (const auto* run = std::get_if<RunRequest>(&request)) {
    return ToMessage(run->number, run->epoch, run->call);
  }
  if (const auto* resource = std::get_if<Resource>(&request)) {
    return ToMessage(*resource);
  }
  return ToMessage(std::get<RecallRequest>(request));
}

void CheckSame(const rpc::Message& a, const rpc::Message& b) {
  LOCKSTEP_CHECK(a.head == b.head);
  LOCKSTEP_CHECK(std::ranges::equal(a.tensors, b.tensors, BitwiseEqual));
}

void TryRequest(const rpc::Message& message) {
  const rpc::Message written = Write(RequestOf(message));
  CheckSame(written, Write(RequestOf(written)));
}

void TryReply(const rpc::Message& message) {
  const rpc::Message written = ToMessage(ReplyOf(message));
  CheckSame(written, ToMessage(ReplyOf(written)));
}

void Try(void (*read)(const rpc::Message&), const rpc::Message& message) {
  try {
    read(message);
  } catch (const Error& error) {
    LOCKSTEP_CHECK(error.code() == Code::kInvalidArgument);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const grpc::Slice slice(data, size);
  rpc::Message message;
  try {
    rpc::DecodedFrame decoded = rpc::DecodeFrame(grpc::ByteBuffer(&slice, 1));
    message = {decoded.frame.message(), std::move(decoded.tensors)};
  } catch (const Error&) {
    return 0;
  }
  Try(TryRequest, message);
  Try(TryReply, message);
  return 0;
}

}  // namespace lockstep::coordinator_internal
