// Ctrl-C as a request to stop at the next step, so that results survive it.
//
//   InterruptScope interrupt;
//   while (!interrupt.requested()) Step();
//   // write what was measured, marked incomplete
//
// A second Ctrl-C ends the program at once, as without this scope.
#ifndef LOCKSTEP_REFERENCE_BASE_INTERRUPT_H_
#define LOCKSTEP_REFERENCE_BASE_INTERRUPT_H_

namespace lockstep {

// While it lives, the first SIGINT or SIGTERM is only noted.
// REQUIRES: at most one at a time in the process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  bool requested() const;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_INTERRUPT_H_
