// What the kernel signals about a thread's own writes, made an error of those
// writes and no more than that: SIGPIPE where the reader is gone, SIGXFSZ at a
// size limit.
//
//   const HeldSignals held({SIGPIPE});
//   write(pipe, ...);              // EPIPE, and the process goes on
#ifndef LOCKSTEP_REFERENCE_BASE_SIGNALS_HELD_SIGNALS_H_
#define LOCKSTEP_REFERENCE_BASE_SIGNALS_HELD_SIGNALS_H_

#include <signal.h>
#include <time.h>

#include <initializer_list>

namespace lockstep {

// While it lives its thread, and those that are started from it, do not get
// these signals. One that came meanwhile is taken, one that waited before still
// waits; the process's own handling stays as it is.
class HeldSignals {
 public:
  explicit HeldSignals(std::initializer_list<int> signals) {
    sigset_t pending, all;
    sigpending(&pending);
    sigemptyset(&taken_);
    sigemptyset(&all);
    for (const int signal : signals) {
      sigaddset(&all, signal);
      if (sigismember(&pending, signal) == 0) sigaddset(&taken_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~HeldSignals() {
    const timespec at_once = {};
    while (sigtimedwait(&taken_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t taken_;
  sigset_t before_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_SIGNALS_HELD_SIGNALS_H_
