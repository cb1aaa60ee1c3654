// Requests to workers and their answers as rpc messages.
//
//   rpc::Message sent = ToMessage(RunRequest{.number = 7, .call = {"step"}});
//   WorkerRequest got = RequestOf(sent);    // the same RunRequest
//
// Whatever bytes arrive, reading them gives a value or an InvalidArgument.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_MESSAGES_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_MESSAGES_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "reference/parameter_server/coordinator/closure.h"
#include "reference/parameter_server/rpc/message.h"

namespace lockstep::coordinator_internal {

struct RunRequest {
  uint64_t number = 0;
  uint64_t epoch = 0;
  Call call = {};
};

struct RecallRequest {
  uint64_t epoch = 0;
};

using WorkerRequest = std::variant<RunRequest, Resource, RecallRequest>;

// The closure did not begin.
struct NotRun {};
// A parameter server is lost for the worker.
struct ServerIsLost {
  std::string text;
};

// How a run ended: with a value, the function's error, or not at all.
struct RunReply {
  std::variant<Structure, Error, NotRun, ServerIsLost> result;
  std::chrono::nanoseconds took{0};
};

rpc::Message ToMessage(uint64_t number, uint64_t epoch, const Call& call);
rpc::Message ToMessage(const Resource& resource);
rpc::Message ToMessage(const RecallRequest& recall);
WorkerRequest RequestOf(const rpc::Message& message);

rpc::Message ToMessage(const RunReply& reply);
RunReply ReplyOf(const rpc::Message& message);

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_MESSAGES_H_
