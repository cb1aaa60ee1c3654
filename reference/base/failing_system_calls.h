// System calls that fail as they would on a full disk or where the system sets
// a limit. Linking this library puts wrappers before the C library's functions.
// Tests only.
#ifndef LOCKSTEP_REFERENCE_BASE_FAILING_SYSTEM_CALLS_H_
#define LOCKSTEP_REFERENCE_BASE_FAILING_SYSTEM_CALLS_H_

#include <functional>

#include "reference/base/error.h"

namespace lockstep {

inline constexpr int kKillProcess = -1;

// Makes the n-th file-writing system call of this process fail, as a full disk
// or a folder that went read-only would.
//
//   FailingSystemCalls faults(/*which=*/3, ENOSPC);   // the third from now on
//   ... writes ...
//   faults.happened();                                // it came to that
//
// With kKillProcess in place of an error the process is gone there, as when the
// machine stops. Counts open for writing, write, pwrite, fsync, linkat and rename.
class FailingSystemCalls {
 public:
  // REQUIRES: one at a time, in a program that writes from one thread.
  FailingSystemCalls(int which, int error_number);
  ~FailingSystemCalls();
  FailingSystemCalls(const FailingSystemCalls&) = delete;
  FailingSystemCalls& operator=(const FailingSystemCalls&) = delete;

  bool happened() const;
};

// Does `work` in a process of its own that is killed at its n-th such call; false
// where it came to its end before.
//
//   for (int which = 1; KilledAt(which, [&] { Save(file); }); ++which) {
//     ... what lies there now ...
//   }
bool KilledAt(int which, const std::function<void()>& work);

// Does `work` with its first such call failing, then with its second and so on,
// until none of them is left; tells `failed` of the Error, which it has to throw
// each time. Returns how many there are.
int FailEachCall(int error_number, const std::function<void()>& work,
                 const std::function<void(const Error& error)>& failed);

// Lets this process have only so many more threads, as a limit of the system's
// would.
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
