// A worker's control plane over any link to the job's state.
//
//   const auto job_state = std::make_shared<JobState>(names);
//   JoinJob(job_state, WorkerId(0));   // a control plane without a network
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_CONTROL_PLANE_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_CONTROL_PLANE_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/cluster/control/control_plane.h"
#include "reference/cluster/control/failure_watch.h"
#include "reference/cluster/control/job_state.h"
#include "reference/cluster/control/worker_link.h"

namespace lockstep::control_internal {

class WorkerControlPlane final : public ControlPlane, private WorkerEvents {
 public:
  using Link = std::function<std::unique_ptr<WorkerLink>(WorkerEvents&)>;

  // `answer_limit` is how long a call waits after its deadline for the names of
  // the missing workers. Calls `link` once. Errors: those of `link`.
  WorkerControlPlane(WorkerId worker, int num_workers,
                     std::chrono::milliseconds answer_limit, const Link& link);

  WorkerId worker() const override { return worker_; }
  int num_workers() const override { return num_workers_; }
  std::vector<std::string> Exchange(std::string_view name,
                                    const std::string& mine,
                                    Deadline deadline) override;
  void Abort(std::string_view reason) override;
  void Check() const override { failure_.Check(); }
  std::unique_ptr<Watch> OnFailure(
      std::function<void(const Error&)> on_failure) override {
    return failure_.Add(std::move(on_failure));
  }
  void Leave() override;

 private:
  // How an exchange ended: with all workers' values, or why not.
  struct Outcome {
    std::vector<std::string> values;
    std::optional<Failure> refused;
  };

  void AllArrived(const std::vector<std::string>& values) override;
  void Refused(const Failure& why) override;
  void Failed(const Failure& why) override;

  void End(Outcome outcome);
  void CheckSize(size_t bytes) const;
  void GiveUp(std::string_view name);
  bool AwaitOutcome(Deadline deadline);
  std::optional<Outcome> TakeOutcome();

  const WorkerId worker_;
  const int num_workers_;
  const std::chrono::milliseconds answer_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Outcome> outcome_;
  FailureWatch failure_;
  // Last: its destructor stops the events, which use the rest.
  std::unique_ptr<WorkerLink> link_;
};

// For a worker in the process that keeps the job's state. Errors:
// FailedPrecondition if the worker has joined already.
std::unique_ptr<ControlPlane> JoinJob(std::shared_ptr<JobState> job_state,
                                      WorkerId worker);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_CONTROL_PLANE_H_
