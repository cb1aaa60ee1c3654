// Ctrl-C as a request to stop at the next step, so that results survive it.
//
//   InterruptScope interrupt;
//   while (!interrupt.requested()) Step();
//   // write what was measured, marked incomplete
//   return interrupt.requested() ? interrupt.exit_status() : 0;
//
// So are SIGTERM, and SIGHUP when a terminal is closed. A second Ctrl-C or SIGTERM,
// half a second later or more, ends the program at once, as without this scope:
// `timeout` sends each twice, and a closing terminal several SIGHUP. What was
// ignored before, as SIGHUP is under nohup, stays ignored.
#ifndef LOCKSTEP_REFERENCE_BASE_INTERRUPT_H_
#define LOCKSTEP_REFERENCE_BASE_INTERRUPT_H_

#include <signal.h>

#include <array>

namespace lockstep {

// While it lives, the first such signal is only noted.
// REQUIRES: at most one at a time in the process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  bool requested() const;

  // 128 and the signal's number, as a shell reports it: 130 after Ctrl-C.
  // REQUIRES: requested().
  int exit_status() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_INTERRUPT_H_
