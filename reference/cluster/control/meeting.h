// Where the workers of a job meet: who is there, who waits, and why it failed.
//
//   Meeting meeting({"worker 0", "worker 1 (b:2222)"});
//   meeting.Join(0, events_of_0);
//   meeting.Join(1, events_of_1);
//   meeting.Arrive(0, "addresses", "a");   // returns at once
//   meeting.Arrive(1, "addresses", "b");   // both get Met({"a", "b"})
//
// It waits for nobody and owns no thread; events are called before a function
// returns. Thread-safe.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_MEETING_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_MEETING_H_

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/cluster/control/member_link.h"

namespace lockstep::control_internal {

class Meeting {
 public:
  // What messages call the workers, by number. REQUIRES: at least one.
  explicit Meeting(std::vector<std::string> names);

  int num_workers() const { return static_cast<int>(members_.size()); }

  // `events` are called until Lose. Errors: FailedPrecondition for a worker
  // that has joined before. REQUIRES, of all: 0 <= worker < num_workers().
  void Join(int worker, MemberEvents& events);

  // Somebody from `address` was refused: the error of a worker that waits too
  // long for others names the last one.
  void NoteRefusal(const std::string& address, const Error& why);

  // What a worker says that has joined, see MemberLink.
  void Arrive(int worker, const std::string& name, const std::string& value);
  void Expire(int worker);
  void Abort(int worker, const std::string& reason);
  void Leave(int worker);
  // The worker hears nothing any more, and is gone where it did not leave:
  // `how` says what became of it.
  void Lose(int worker, const std::string& how);
  // Nobody hears anything any more.
  void Close();

 private:
  struct Member {
    enum Where { kAbsent, kHere, kWaiting, kLeft, kGone };

    std::string name;
    Where where = kAbsent;
    MemberEvents* events = nullptr;
    std::string meets_at = {};  // while it waits, and what it brings
    std::string brings = {};
  };

  void Complete();
  void RefuseAll(const Error& why);
  void Fail(const Error& why);
  std::optional<Error> FindDisagreement() const;
  const Member* FindLeft() const;
  std::string NamesOfMissing() const;

  std::mutex mutex_;
  std::vector<Member> members_;
  int num_waiting_ = 0;
  int num_refused_ = 0;
  std::string last_refused_;
  std::optional<Failure> failure_;
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_MEETING_H_
