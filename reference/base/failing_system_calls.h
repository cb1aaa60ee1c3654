// Makes the n-th file-writing system call of this process fail, as a full disk
// or a folder that went read-only would.
//
//   FailingSystemCalls faults(/*which=*/3, ENOSPC);   // the third from now on
//   ... writes ...
//   faults.happened();                                // it came to that
//
// With kKillProcess in place of an error the process is gone there, as when the
// machine stops. Counts open for writing, write, fsync, linkat and rename. Linking this library puts
// wrappers before the C library's functions. Tests only.
#ifndef LOCKSTEP_REFERENCE_BASE_FAILING_SYSTEM_CALLS_H_
#define LOCKSTEP_REFERENCE_BASE_FAILING_SYSTEM_CALLS_H_

namespace lockstep {

inline constexpr int kKillProcess = -1;

class FailingSystemCalls {
 public:
  // REQUIRES: one at a time, in a program that writes from one thread.
  FailingSystemCalls(int which, int error_number);
  ~FailingSystemCalls();
  FailingSystemCalls(const FailingSystemCalls&) = delete;
  FailingSystemCalls& operator=(const FailingSystemCalls&) = delete;

  bool happened() const;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FAILING_SYSTEM_CALLS_H_
