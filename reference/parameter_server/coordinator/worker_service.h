// A worker's end of the coordinator's stream: runs what it asks for, in order.
//
//   WorkerService service(program);
//   rpc::RpcServer server(address, options, service);
//   service.RunUntilEnd();          // runs functions on this thread
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_SERVICE_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_SERVICE_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "reference/parameter_server/coordinator/worker_program.h"
#include "reference/parameter_server/rpc/rpc_server.h"

namespace lockstep::coordinator_internal {

// Requests of a stream that broke are dropped, except for the one that runs.
// After a closure that failed, those of the same epoch are answered NotRun.
class WorkerService : public rpc::Service {
 public:
  // REQUIRES: `program` outlives it.
  explicit WorkerService(WorkerProgram& program) : program_(program) {}

  // Returns when the servers are gone (ServersGone) and no coordinator has a
  // stream.
  void RunUntilEnd();
  // The servers end with the coordinator; a lost one ends the job.
  void ServersGone();

  // Errors: FailedPrecondition for another caller than the coordinator. A new
  // stream of the coordinator takes the place of the old one.
  void Joined(const rpc::Caller& caller) override;
  void Handle(const rpc::Caller& caller, rpc::Message message,
              rpc::Done answer) override;
  void Left(const rpc::Caller& caller) override;

 private:
  struct Task {
    WorkerRequest request;
    rpc::Done answer;
  };

  // The next task; nothing at the end.
  std::optional<Task> NextTask();
  void Perform(const Task& task);
  void PerformRun(const RunRequest& run, const rpc::Done& answer);
  bool IsRefused(uint64_t epoch);
  void RefuseBelow(uint64_t epoch);

  WorkerProgram& program_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::optional<uint64_t> stream_;  // the coordinator's
  uint64_t lowest_epoch_ = 0;       // closures of lower ones must not begin
  bool servers_gone_ = false;
};

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_SERVICE_H_
