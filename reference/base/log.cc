#include "reference/base/log.h"

#include <cstdio>
#include <mutex>
#include <optional>

#include "reference/base/check.h"

namespace lockstep {
namespace {

struct LogState {
  std::mutex mutex;
  std::optional<std::vector<std::string>> captured;
};

LogState& State() {
  static LogState* state = new LogState;  // outlives static destructors
  return *state;
}

}  // namespace

void base_internal::WriteLog(char level, const std::string& message) {
  LogState& state = State();
  std::lock_guard lock(state.mutex);
  const std::string line = fmt::format("{} {}", level, message);
  if (state.captured) {
    state.captured->push_back(line);
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

LogCapture::LogCapture() {
  std::lock_guard lock(State().mutex);
  LOCKSTEP_CHECK(!State().captured);
  State().captured.emplace();
}

LogCapture::~LogCapture() {
  std::lock_guard lock(State().mutex);
  State().captured.reset();
}

std::vector<std::string> LogCapture::lines() const {
  std::lock_guard lock(State().mutex);
  return *State().captured;
}

}  // namespace lockstep
