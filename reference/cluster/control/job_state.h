// The state of a job, which one process keeps for all workers: which of them
// have joined, which wait in an exchange, and why the job failed.
//
//   JobState job_state({"worker 0", "worker 1 (b:2222)"});
//   job_state.Join(0, events_of_0);
//   job_state.Join(1, events_of_1);
//   job_state.Arrive(0, "addresses", "a");   // returns at once
//   job_state.Arrive(1, "addresses", "b");   // both: AllArrived({"a", "b"})
//
// No call blocks. Events are called before a function returns; there is no
// thread. Thread-safe.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_JOB_STATE_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_JOB_STATE_H_

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/cluster/control/worker_link.h"

namespace lockstep::control_internal {

class JobState {
 public:
  // The workers' names in error messages, by number. REQUIRES: at least one.
  explicit JobState(std::vector<std::string> names);

  int num_workers() const { return static_cast<int>(workers_.size()); }

  // Calls `events` until Disconnect. Errors: FailedPrecondition if the worker
  // has joined already. REQUIRES, here and below: 0 <= number < num_workers().
  void Join(int number, WorkerEvents& events);

  // Records that a connection from `address` was refused. The error of a worker
  // that waits too long for others names the last one.
  void NoteRefusal(const std::string& address, const Error& why);

  // Messages of a worker that has joined, see WorkerLink.
  void Arrive(int number, const std::string& name, const std::string& value);
  void Expire(int number);
  void Abort(int number, const std::string& reason);
  void Leave(int number);
  // The worker gets no more events. Unless it has left, the job fails; `how`
  // says what happened to the worker.
  void Disconnect(int number, const std::string& how);
  // No worker gets any more events.
  void Close();

 private:
  struct Worker {
    enum Where { kAbsent, kHere, kWaiting, kLeft, kGone };

    std::string name;
    Where where = kAbsent;
    WorkerEvents* events = nullptr;
    std::string exchange = {};  // its name, while the worker waits
    std::string value = {};     // the worker's value there
  };

  void Complete();
  void RefuseAll(const Error& why);
  void Fail(const Error& why);
  std::optional<Error> FindDisagreement() const;
  const Worker* FindLeft() const;
  std::string NamesOfMissing() const;

  std::mutex mutex_;
  std::vector<Worker> workers_;
  int num_waiting_ = 0;
  int num_refused_ = 0;
  std::string last_refused_;
  std::optional<Failure> failure_;
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_JOB_STATE_H_
