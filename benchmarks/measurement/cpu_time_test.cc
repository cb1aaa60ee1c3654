#include "benchmarks/measurement/cpu_time.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace lockstep::benchmarks {
namespace {

void Work(double seconds) {
  const double end = ThreadCpuSeconds() + seconds;
  while (ThreadCpuSeconds() < end) {
  }
}

// Works until stopped, and counts its work.
class Worker {
 public:
  Worker()
      : thread_([this] {
          while (!stop_) used_ = ThreadCpuSeconds();
        }) {
    while (used_ == 0) {
    }
  }
  ~Worker() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  double used() const { return used_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<double> used_{0};
  std::thread thread_;
};

// The process's clock of the kernel is behind by up to four milliseconds here.
TEST(ProcessCpuClockTest, ShortTimesCountWhatOtherThreadsUse) {
  Worker worker;
  ProcessCpuClock clock;
  for (int step = 0; step < 40; ++step) {
    const double others = worker.used();
    const double own = ThreadCpuSeconds();
    const double start = clock.Seconds();
    Work(0.001);
    const double got = clock.Seconds() - start;
    const double most =
        worker.used() - others + ThreadCpuSeconds() - own + 0.0002;
    EXPECT_GE(got, 0.001 - 1e-6);
    EXPECT_LE(got, most) << "step " << step;
  }
}

TEST(ProcessCpuClockTest, TogetherItIsWhatTheProcessUsed) {
  Worker worker;
  ProcessCpuClock clock;
  const double process = ProcessCpuSeconds();
  const double start = clock.Seconds();
  Work(0.2);
  EXPECT_NEAR(clock.Seconds() - start, ProcessCpuSeconds() - process, 0.02);
}

TEST(ProcessCpuClockTest, AThreadThatBeginsIsFoundAndOneThatEndsIsKept) {
  ProcessCpuClock clock;
  const double start = clock.Seconds();
  std::thread([] { Work(0.03); }).join();
  double last = clock.Seconds();
  {
    Worker worker;
    Work(0.05);
    const double used = worker.used();
    for (int i = 0; i < ProcessCpuClock::kReadingsBetweenLooks; ++i) {
      const double now = clock.Seconds();
      EXPECT_GE(now, last);
      last = now;
    }
    EXPECT_GE(last - start, 0.05 + used - 1e-6);
  }
  EXPECT_GE(clock.Seconds(), last);
}

}  // namespace
}  // namespace lockstep::benchmarks
