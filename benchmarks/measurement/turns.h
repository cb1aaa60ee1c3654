// Shares the machine with another program: some steps each, in turn. One
// works while the other waits, so both run under the same conditions.
//
//   Turns turns({.steps = 15}, [&] { return interrupt.requested(); });
//   if (!turns.Begin()) return;          // "turn 0.812345", then waits for a line
//   ... a step ...
//   if (!turns.StepIsOver()) return;     // the same after every 15th
//   ... the epoch's last step ...
//   if (!turns.EpochIsOver()) return;    // and here, unless that was a 15th
//
// The protocol is in docs/formats.md ("Taking turns").
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_TURNS_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_TURNS_H_

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>

namespace lockstep::benchmarks {

struct TurnsOptions {
  int steps = 0;            // a turn; 0: there is no other program, never wait
  int in = STDIN_FILENO;    // a line on it gives a turn
  std::FILE* out = stdout;  // a line on it ends one
};

class Turns {
 public:
  // `stop` is also checked during a wait.
  Turns(const TurnsOptions& options, std::function<bool()> stop);

  // Each returns false when `stop` ended the wait for a turn.
  // Errors: Cancelled where the input ends, so that no turn can come; what
  // SystemError makes of a failed write or read.
  bool Begin();  // before the first step
  bool StepIsOver();
  bool EpochIsOver();

 private:
  bool HandOver();
  void Announce();
  bool Wait();
  void Read();

  const TurnsOptions options_;
  const std::function<bool()> stop_;
  int steps_ = 0;      // of this turn
  int64_t given_ = 0;  // turns that wait to be taken
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_TURNS_H_
