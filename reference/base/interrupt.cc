#include "reference/base/interrupt.h"

#include <csignal>

namespace lockstep {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void OnSignal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptScope::InterruptScope() {
  interrupted = 0;
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
}

InterruptScope::~InterruptScope() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptScope::requested() const { return interrupted != 0; }

}  // namespace lockstep
