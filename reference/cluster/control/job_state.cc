#include "reference/cluster/control/job_state.h"

#include <utility>

#include "reference/base/check.h"

namespace lockstep::control_internal {
namespace {

// Keeps messages short with thousands of workers.
constexpr int kMostNames = 8;

}  // namespace

JobState::JobState(std::vector<std::string> names) {
  LOCKSTEP_CHECK(!names.empty());
  for (std::string& name : names) workers_.push_back({.name = std::move(name)});
}

void JobState::Join(int number, WorkerEvents& events) {
  std::lock_guard lock(mutex_);
  Worker& worker = workers_[number];
  if (worker.where != Worker::kAbsent) {
    throw FailedPrecondition("[Join] {} has joined before", worker.name);
  }
  worker.where = Worker::kHere;
  worker.events = &events;
  if (failure_) events.Failed(*failure_);
}

void JobState::NoteRefusal(const std::string& address, const Error& why) {
  std::lock_guard lock(mutex_);
  ++num_refused_;
  last_refused_ = fmt::format("{}: {}", address, why.what());
}

void JobState::Arrive(int number, const std::string& name,
                      const std::string& value) {
  std::lock_guard lock(mutex_);
  Worker& worker = workers_[number];
  if (failure_ || worker.where != Worker::kHere) return;
  if (const Worker* left = FindLeft()) {
    worker.events->Refused(Failure(FailedPrecondition(
        "[Exchange] '{}' cannot complete: {} has left", name, left->name)));
    return;
  }
  worker.where = Worker::kWaiting;
  worker.exchange = name;
  worker.value = value;
  if (++num_waiting_ == num_workers()) Complete();
}

void JobState::Complete() {
  const std::optional<Error> disagreement = FindDisagreement();
  std::vector<std::string> values;
  for (Worker& worker : workers_) values.push_back(std::move(worker.value));
  if (disagreement) {
    RefuseAll(*disagreement);
    return;
  }
  num_waiting_ = 0;
  for (Worker& worker : workers_) {
    worker.where = Worker::kHere;
    worker.events->AllArrived(values);
  }
}

std::optional<Error> JobState::FindDisagreement() const {
  for (const Worker& worker : workers_) {
    if (worker.exchange == workers_[0].exchange) continue;
    return FailedPrecondition(
        "[Exchange] workers disagree: {} is at '{}', {} at '{}'",
        workers_[0].name, workers_[0].exchange, worker.name, worker.exchange);
  }
  return std::nullopt;
}

void JobState::RefuseAll(const Error& why) {
  num_waiting_ = 0;
  for (Worker& worker : workers_) {
    if (worker.where != Worker::kWaiting) continue;
    worker.where = Worker::kHere;
    worker.value.clear();
    worker.events->Refused(Failure(why));
  }
}

void JobState::Expire(int number) {
  std::lock_guard lock(mutex_);
  const Worker& worker = workers_[number];
  if (worker.where != Worker::kWaiting) return;
  Fail(DeadlineExceeded("[Exchange] '{}': {} waited too long for {}",
                        worker.exchange, worker.name, NamesOfMissing()));
}

std::string JobState::NamesOfMissing() const {
  std::string names;
  int missing = 0;
  for (const Worker& worker : workers_) {
    if (worker.where == Worker::kWaiting || missing++ >= kMostNames) continue;
    if (!names.empty()) names += ", ";
    names += worker.name;
    if (worker.where == Worker::kAbsent) names += ", which never joined";
  }
  if (missing > kMostNames) {
    names += fmt::format(" and {} more", missing - kMostNames);
  }
  if (num_refused_ == 0) return names;
  return names + fmt::format("; {} connections were refused, the last one: {}",
                             num_refused_, last_refused_);
}

void JobState::Abort(int number, const std::string& reason) {
  std::lock_guard lock(mutex_);
  const Worker& worker = workers_[number];
  if (worker.where == Worker::kLeft) return;
  Fail(Cancelled("[Abort] {} gave the job up: {}", worker.name, reason));
}

void JobState::Leave(int number) {
  std::lock_guard lock(mutex_);
  Worker& worker = workers_[number];
  if (failure_ || worker.where != Worker::kHere) return;
  worker.where = Worker::kLeft;
  RefuseAll(
      FailedPrecondition("[Exchange] given up: {} has left", worker.name));
}

void JobState::Disconnect(int number, const std::string& how) {
  std::lock_guard lock(mutex_);
  Worker& worker = workers_[number];
  worker.events = nullptr;
  if (worker.where == Worker::kLeft) return;
  worker.where = Worker::kGone;
  Fail(Unavailable("[ControlPlane] {} is gone: {}", worker.name, how));
}

void JobState::Close() {
  std::lock_guard lock(mutex_);
  failure_.emplace(Code::kUnavailable, "[ControlPlane] the chief has ended");
  for (Worker& worker : workers_) worker.events = nullptr;
}

void JobState::Fail(const Error& why) {
  if (failure_) return;
  failure_.emplace(why);
  num_waiting_ = 0;
  for (Worker& worker : workers_) {
    if (worker.where == Worker::kWaiting) worker.where = Worker::kHere;
    worker.value.clear();
    if (worker.events) worker.events->Failed(*failure_);
  }
}

const JobState::Worker* JobState::FindLeft() const {
  for (const Worker& worker : workers_) {
    if (worker.where == Worker::kLeft) return &worker;
  }
  return nullptr;
}

}  // namespace lockstep::control_internal
