#include "benchmarks/library_time.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/base/log.h"
#include "reference/device/counting_timers.h"
#include "reference/device/fake_gpu.h"
#include "reference/device/fake_queue.h"

namespace lockstep::benchmarks {
namespace {

class LibraryTimeTest : public testing::Test {
 protected:
  // A call that takes so long.
  LibraryCall Call(const std::string& name, double seconds) {
    return {name, [this, seconds]() -> std::function<void()> {
              ++prepared_;
              return [this, seconds, held = std::make_shared<Held>(*this)] {
                FakeGpu::QueueOf(gpu_.device()).Submit([this, seconds] {
                  timers_.Count(seconds);
                });
              };
            }};
  }

  struct Held {
    explicit Held(LibraryTimeTest& test) : test(test) {
      EXPECT_EQ(++test.held_, 1);
    }
    ~Held() { --test.held_; }
    LibraryTimeTest& test;
  };

  FakeGpu gpu_;
  CountingTimers timers_;
  int prepared_ = 0;
  int held_ = 0;  // the memory of so many calls
};

TEST_F(LibraryTimeTest, EachCallIsTimedAloneAndCountsAsOftenAsItWasMade) {
  LibraryCalls calls;
  for (const auto& [name, seconds] :
       {std::pair{"first", 0.25}, {"second", 0.5}, {"first", 0.25}}) {
    calls.Add(Call(name, seconds));
  }
  const LogCapture log;
  const LibraryTime time = TimeLibraryCalls(gpu_.device(), calls);
  EXPECT_EQ(log.lines(),
            (std::vector<std::string>{"I [LibraryTime] 250000.0 us: first",
                                      "I [LibraryTime] 500000.0 us: second"}));
  EXPECT_EQ(time.calls, 3);
  EXPECT_DOUBLE_EQ(time.milliseconds, 1000.0);
  EXPECT_EQ(prepared_, 2);
  EXPECT_EQ(held_, 0);
}

TEST_F(LibraryTimeTest, NoCallsTakeNoTime) {
  const LibraryTime time = TimeLibraryCalls(gpu_.device(), {});
  EXPECT_EQ(time.calls, 0);
  EXPECT_EQ(time.milliseconds, 0);
}

}  // namespace
}  // namespace lockstep::benchmarks
