#include "reference/base/cores/free_cores.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <thread>

namespace lockstep {

std::optional<int> ReadyThreads(std::string_view loadavg) {
  for (int word = 0; word < 3; ++word) {
    const size_t space = loadavg.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    loadavg.remove_prefix(space + 1);
  }
  int ready = 0;
  const auto [end, error] =
      std::from_chars(loadavg.data(), loadavg.data() + loadavg.size(), ready);
  const bool is_number = error == std::errc() &&
                         end != loadavg.data() + loadavg.size() && *end == '/';
  return is_number ? std::optional(ready) : std::nullopt;
}

Crowding::Crowding(const std::string& path, int cores)
    : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      cores_(cores),
      crowd_(file_ < 0 ? 1.0f : 0.0f) {}

Crowding::~Crowding() {
  if (file_ >= 0) close(file_);
}

void Crowding::Sample() {
  constexpr float kKept = 0.8f;
  std::array<char, 128> text;
  const ssize_t size =
      file_ < 0 ? -1 : pread(file_, text.data(), text.size(), 0);
  const std::optional<int> ready =
      ReadyThreads({text.data(), static_cast<size_t>(size < 0 ? 0 : size)});
  const bool crowded = !ready || *ready > cores_;
  crowd_ = kKept * crowd_ + (1 - kKept) * (crowded ? 1.0f : 0.0f);
}

bool CoresAreFree() {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPeriod = std::chrono::milliseconds(10);
  static Crowding crowding(
      "/proc/loadavg", static_cast<int>(std::thread::hardware_concurrency()));
  static std::atomic<Clock::duration> next{Clock::duration::zero()};
  const Clock::duration now = Clock::now().time_since_epoch();
  Clock::duration due = next.load();
  if (now >= due && next.compare_exchange_strong(due, now + kPeriod)) {
    crowding.Sample();
  }
  return !crowding.IsCrowded();
}

}  // namespace lockstep
