// Gloo writes to connections whose other end may be gone, which ends a process
// by SIGPIPE where nobody handles it. While a guard lives its thread, and those
// that are started from it, get an error instead; the process's own handling
// stays as it is.
//
//   const SigpipeGuard guard;
//   buffer->send(rank, slot);    // throws
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_SIGPIPE_GUARD_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_SIGPIPE_GUARD_H_

#include <signal.h>
#include <time.h>

namespace lockstep::collectives_internal {

class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  // One that came meanwhile is taken, else it would come now.
  ~SigpipeGuard() {
    const timespec at_once = {};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_SIGPIPE_GUARD_H_
