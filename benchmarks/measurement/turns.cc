#include "benchmarks/measurement/turns.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "benchmarks/measurement/cpu_time.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

// A signal can come to any thread, so that it may not end the poll.
constexpr int kBetweenLooks = 50;  // milliseconds

}  // namespace

Turns::Turns(const TurnsOptions& options, std::function<bool()> stop)
    : options_(options), stop_(std::move(stop)) {}

bool Turns::Begin() { return options_.steps == 0 || HandOver(); }

bool Turns::StepIsOver() {
  if (options_.steps == 0 || ++steps_ < options_.steps) return true;
  return HandOver();
}

bool Turns::EpochIsOver() { return steps_ == 0 || HandOver(); }

bool Turns::HandOver() {
  steps_ = 0;
  Announce();
  return Wait();
}

void Turns::Announce() {
  const std::string line = fmt::format("turn {:.6f}\n", ProcessCpuSeconds());
  if (std::fputs(line.c_str(), options_.out) < 0 ||
      std::fflush(options_.out) != 0) {
    throw SystemError(errno, "[Turns] cannot say that a turn is over");
  }
}

bool Turns::Wait() {
  while (given_ == 0) {
    if (stop_()) return false;
    pollfd input = {.fd = options_.in, .events = POLLIN, .revents = 0};
    if (poll(&input, 1, kBetweenLooks) > 0) Read();
  }
  --given_;
  return true;
}

void Turns::Read() {
  std::array<char, 256> bytes;
  const ssize_t size = read(options_.in, bytes.data(), bytes.size());
  if (size == 0) {
    throw Cancelled(
        "[Turns] the input ended, wanted a line that gives the next turn");
  }
  if (size > 0) {
    given_ += std::count(bytes.data(), bytes.data() + size, '\n');
  } else if (errno != EINTR && errno != EAGAIN) {
    throw SystemError(errno, "[Turns] cannot read whose turn it is");
  }
}

}  // namespace lockstep::benchmarks
