#include "reference/base/interrupt.h"

#include <time.h>

#include <atomic>
#include <cstdint>
#include <limits>

namespace lockstep {
namespace {

// Who forwards signals to a program and to its group, as `timeout` does, sends
// each twice; people are slower.
constexpr int64_t kOneAndTheSame = 500'000'000;  // nanoseconds

constexpr int64_t kNotYet = std::numeric_limits<int64_t>::max();

// Atomic: of two signals each may come to another thread.
std::atomic<int> noted{0};  // the signal's number
std::atomic<int64_t> noted_at{kNotYet};
static_assert(std::atomic<int64_t>::is_always_lock_free);

int64_t Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Takes effect when the handler returns.
void EndBy(int signal) {
  struct sigaction end = {};
  end.sa_handler = SIG_DFL;
  sigaction(signal, &end, nullptr);
  raise(signal);
}

void OnSignal(int signal) {
  int none = 0;
  if (noted.compare_exchange_strong(none, signal)) {
    noted_at = Now();
  } else if (signal != SIGHUP && Now() - noted_at > kOneAndTheSame) {
    EndBy(signal);
  }
}

}  // namespace

InterruptScope::InterruptScope() {
  noted = 0;
  noted_at = kNotYet;
  struct sigaction note = {};
  note.sa_handler = OnSignal;
  note.sa_flags = SA_RESTART;
  for (const int signal : kSignals) sigaddset(&note.sa_mask, signal);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) {
      sigaction(kSignals[i], &note, nullptr);
    }
  }
}

InterruptScope::~InterruptScope() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
}

bool InterruptScope::requested() const { return noted != 0; }

int InterruptScope::exit_status() const { return 128 + noted; }

}  // namespace lockstep
