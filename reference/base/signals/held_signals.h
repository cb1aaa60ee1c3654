// Turns the signals of a thread's own writes into errors of these writes:
// SIGPIPE if the reader is gone, SIGXFSZ at a size limit.
//
//   const HeldSignals held({SIGPIPE});
//   write(pipe, ...);              // EPIPE, and the process continues
#ifndef LOCKSTEP_REFERENCE_BASE_SIGNALS_HELD_SIGNALS_H_
#define LOCKSTEP_REFERENCE_BASE_SIGNALS_HELD_SIGNALS_H_

#include <signal.h>
#include <time.h>

#include <initializer_list>

namespace lockstep {

// During its lifetime its thread, and threads started by it, do not get these
// signals. A signal that arrives meanwhile is discarded; one that was pending
// before stays pending. The handlers of the process are unchanged.
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
