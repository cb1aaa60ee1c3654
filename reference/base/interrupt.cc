#include "reference/base/interrupt.h"

namespace lockstep {
namespace {

volatile sig_atomic_t noted = 0;  // the signal's number

// Takes effect when the handler returns.
void EndBy(int signal) {
  struct sigaction end = {};
  end.sa_handler = SIG_DFL;
  sigaction(signal, &end, nullptr);
  raise(signal);
}

void OnSignal(int signal) {
  if (noted == 0) {
    noted = signal;
  } else if (signal != SIGHUP) {
    EndBy(signal);
  }
}

}  // namespace

InterruptScope::InterruptScope() {
  noted = 0;
  struct sigaction note = {};
  note.sa_handler = OnSignal;
  note.sa_flags = SA_RESTART;
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
