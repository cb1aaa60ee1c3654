// Programs at a terminal: Ctrl-C as a request to stop, and a progress bar.
#ifndef LOCKSTEP_REFERENCE_BASE_TERMINAL_H_
#define LOCKSTEP_REFERENCE_BASE_TERMINAL_H_

#include <signal.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace lockstep {

// Ctrl-C as a request to stop at the next step, so that results survive it.
//
//   InterruptScope interrupt;
//   while (!interrupt.requested()) Step();
//   // write the results so far, marked incomplete
//   return interrupt.requested() ? interrupt.exit_status() : 0;
//
// SIGTERM has the same effect, and SIGHUP when a terminal is closed. A second
// Ctrl-C or SIGTERM, at least half a second later, ends the program at once, as
// without this scope: `timeout` sends each twice, and a closing terminal
// several SIGHUP. Signals that were ignored before, as SIGHUP under nohup, stay
// ignored.
//
// During its lifetime the first such signal is only recorded. REQUIRES: at most
// one at a time in the process.
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

// A progress bar on stderr: share done, rate and time left.
//
//   ProgressBar bar(60000, "images");
//   bar.SetLabel("epoch 1/10");
//   bar.Advance(128);
//   epoch 1/10 [=======>            ] 36%  21600/60000 images  7123/s  ETA 0:05
//   bar.Clear();      // before printing something else; the bar is drawn again later
//
// Silent if stderr is not a terminal. Redraws at most ten times per second.
class ProgressBar {
 public:
  // `total` units in all; 0: unknown, then only count and rate are shown. Shows
  // the unit "bytes" as kB, MB, GB.
  ProgressBar(int64_t total, std::string unit);
  // For tests: draws to `out`, as if it were a terminal.
  ProgressBar(int64_t total, std::string unit, std::FILE* out);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void SetLabel(std::string label) { label_ = std::move(label); }
  // `count` more units are done.
  void Advance(int64_t count);
  // Removes the bar from the screen until the next Advance.
  void Clear();

  // The line as drawn `seconds` after the start.
  std::string Line(double seconds) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::string Amount(double units) const;

  int64_t total_;
  std::string unit_;
  std::FILE* out_;  // nullptr: silent
  std::string label_;
  int64_t done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_ = start_;
  bool drawn_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_TERMINAL_H_
