#include "benchmarks/measurement/cpu_time.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace lockstep::benchmarks {
namespace {

std::optional<double> Seconds(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

// As pthread_getcpuclockid computes it; of threads that others started only the
// number is known.
clockid_t ClockOfThread(int thread) {
  constexpr unsigned kOneThreadsProcessorTime = 6;
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) |
                                kOneThreadsProcessorTime);
}

}  // namespace

double ProcessCpuSeconds() { return *Seconds(CLOCK_PROCESS_CPUTIME_ID); }

double ThreadCpuSeconds() { return *Seconds(CLOCK_THREAD_CPUTIME_ID); }

ProcessCpuClock::ProcessCpuClock() { LookForThreads(); }

void ProcessCpuClock::LookForThreads() {
  // A look that fails leaves the threads that are known.
  std::error_code failed;
  std::filesystem::directory_iterator tasks("/proc/self/task", failed);
  const std::filesystem::directory_iterator end;
  for (; !failed && tasks != end; tasks.increment(failed)) {
    const std::string name = tasks->path().filename();
    int thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread > 0) seconds_.try_emplace(ClockOfThread(thread), 0.0);
  }
}

double ProcessCpuClock::Seconds() {
  if (++readings_ % kReadingsBetweenLooks == 0) LookForThreads();
  double sum = 0;
  for (auto thread = seconds_.begin(); thread != seconds_.end();) {
    const auto now = benchmarks::Seconds(thread->first);
    // A number may have been given to a new thread, which begins from 0.
    if (!now || *now < thread->second) {
      ended_ += thread->second;
    }
    if (!now) {
      thread = seconds_.erase(thread);
      continue;
    }
    thread->second = *now;
    sum += *now;
    ++thread;
  }
  return ended_ + sum;
}

}  // namespace lockstep::benchmarks
