// System calls that fail as on a full disk or at a limit of the system. Linking
// this library puts wrappers before the C library's functions. For tests only.
#ifndef LOCKSTEP_REFERENCE_BASE_FAILING_SYSTEM_CALLS_H_
#define LOCKSTEP_REFERENCE_BASE_FAILING_SYSTEM_CALLS_H_

#include <functional>

#include "reference/base/error.h"

namespace lockstep {

inline constexpr int kKillProcess = -1;

// Makes the n-th file-writing system call of this process fail, as on a full
// disk or in a read-only folder.
//
//   FailingSystemCalls faults(/*which=*/3, ENOSPC);   // the third from now on
//   ... writes ...
//   faults.happened();                                // whether the call was made
//
// With kKillProcess in place of an error the call kills the process, as if the
// machine stops. Counts open for writing, write, pwrite, fsync, linkat and
// rename.
class FailingSystemCalls {
 public:
  // REQUIRES: one at a time, in a program that writes from one thread.
  FailingSystemCalls(int which, int error_number);
  ~FailingSystemCalls();
  FailingSystemCalls(const FailingSystemCalls&) = delete;
  FailingSystemCalls& operator=(const FailingSystemCalls&) = delete;

  bool happened() const;
};

// Runs `work` in a new process that is killed at its n-th such call. Returns
// false if `work` finished before that.
//
//   for (int which = 1; KilledAt(which, [&] { Save(file); }); ++which) {
// ... check the files ...
//   }
bool KilledAt(int which, const std::function<void()>& work);

// Runs `work` with its first such call failing, then with its second and so on,
// until no call fails. `work` must throw an Error each time, which is passed to
// `failed`. Returns the number of calls.
int FailEachCall(int error_number, const std::function<void()>& work,
                 const std::function<void(const Error& error)>& failed);

// Limits the number of threads that this process may still start, as the system
// does.
//
//   ThreadLimit limit(/*more=*/2);
//   ... the third std::thread from now on, and all later ones, fail: EAGAIN
class ThreadLimit {
 public:
  // REQUIRES: one at a time.
  explicit ThreadLimit(int more);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FAILING_SYSTEM_CALLS_H_
