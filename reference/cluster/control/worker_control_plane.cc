#include "reference/cluster/control/worker_control_plane.h"

#include <utility>

namespace lockstep::control_internal {
namespace {

class InProcessLink : public WorkerLink {
 public:
  InProcessLink(std::shared_ptr<JobState> job_state, int worker,
                WorkerEvents& events)
      : job_state_(std::move(job_state)), worker_(worker) {
    job_state_->Join(worker_, events);
  }
  ~InProcessLink() override { job_state_->Disconnect(worker_, "it ended"); }

  void Arrive(const std::string& name, const std::string& value) override {
    job_state_->Arrive(worker_, name, value);
  }
  void Expire() override { job_state_->Expire(worker_); }
  void Abort(const std::string& reason) override {
    job_state_->Abort(worker_, reason);
  }
  void Leave() override { job_state_->Leave(worker_); }

 private:
  const std::shared_ptr<JobState> job_state_;
  const int worker_;
};

}  // namespace

WorkerControlPlane::WorkerControlPlane(WorkerId worker, int num_workers,
                                       std::chrono::milliseconds answer_limit,
                                       const Link& link)
    : worker_(worker),
      num_workers_(num_workers),
      answer_limit_(answer_limit),
      link_(link(*this)) {}

std::vector<std::string> WorkerControlPlane::Exchange(std::string_view name,
                                                      const std::string& mine,
                                                      Deadline deadline) {
  failure_.Check();
  CheckSize(mine.size());
  link_->Arrive(std::string(name), mine);
  if (!AwaitOutcome(deadline)) GiveUp(name);
  std::optional<Outcome> outcome = TakeOutcome();
  if (!outcome) failure_.Check();
  if (outcome->refused) throw outcome->refused->ToError();
  return std::move(outcome->values);
}

void WorkerControlPlane::CheckSize(size_t bytes) const {
  const size_t most = kMostExchangedBytes / num_workers_;
  if (bytes <= most) return;
  throw InvalidArgument("[Exchange] {} workers may bring {} bytes each, got {}",
                        num_workers_, most, bytes);
}

void WorkerControlPlane::GiveUp(std::string_view name) {
  link_->Expire();
  if (AwaitOutcome(std::chrono::steady_clock::now() + answer_limit_)) return;
  const Error why = DeadlineExceeded("[Exchange] '{}': worker {} got no answer",
                                     name, worker_.value());
  Failed(Failure(why));
  link_->Abort(why.what());
}

// Whether the exchange has ended, or the job has failed, by the deadline.
bool WorkerControlPlane::AwaitOutcome(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto known = [&] { return outcome_ || failure_.IsSet(); };
  if (deadline != kNoDeadline) {
    return changed_.wait_until(lock, deadline, known);
  }
  changed_.wait(lock, known);
  return true;
}

// Values that are complete are returned even if the job failed right after.
std::optional<WorkerControlPlane::Outcome> WorkerControlPlane::TakeOutcome() {
  std::lock_guard lock(mutex_);
  return std::exchange(outcome_, std::nullopt);
}

void WorkerControlPlane::Abort(std::string_view reason) {
  link_->Abort(std::string(reason));
}

void WorkerControlPlane::Leave() {
  failure_.Check();
  link_->Leave();
}

void WorkerControlPlane::AllArrived(const std::vector<std::string>& values) {
  End({.values = values, .refused = {}});
}

void WorkerControlPlane::Refused(const Failure& why) {
  // The failure ends the waiting call.
  if (failure_.IsSet()) return;
  End({.values = {}, .refused = why});
}

void WorkerControlPlane::End(Outcome outcome) {
  std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  changed_.notify_all();
}

void WorkerControlPlane::Failed(const Failure& why) {
  failure_.Set(why);
  std::lock_guard lock(mutex_);
  changed_.notify_all();
}

std::unique_ptr<ControlPlane> JoinJob(std::shared_ptr<JobState> job_state,
                                      WorkerId worker) {
  const int workers = job_state->num_workers();
  // The job's state answers an Expire before it returns.
  return std::make_unique<WorkerControlPlane>(
      worker, workers, std::chrono::milliseconds(0), [&](WorkerEvents& events) {
        return std::make_unique<InProcessLink>(std::move(job_state),
                                               worker.value(), events);
      });
}

}  // namespace lockstep::control_internal
