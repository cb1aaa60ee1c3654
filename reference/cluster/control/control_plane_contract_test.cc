// The contract of every control plane, within a process and over a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/cluster/control/control_plane_testing.h"
#include "reference/cluster/control/grpc_control_plane_testing.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

using Planes = std::vector<std::unique_ptr<ControlPlane>>;

struct Implementation {
  std::string name;
  std::function<Planes(int num_workers)> make;
};

Deadline In(milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

// Calls action(w) for all of these workers at once, each on its own thread.
void OnWorkers(std::vector<int> workers,
               const std::function<void(int)>& action) {
  std::vector<std::future<void>> calls;
  for (int worker : workers) {
    calls.push_back(std::async(std::launch::async, action, worker));
  }
  for (auto& call : calls) call.get();
}

class ControlPlaneTest : public testing::TestWithParam<Implementation> {
 protected:
  Planes Make(int num_workers) { return GetParam().make(num_workers); }
};

TEST_P(ControlPlaneTest, AllGetEachWorkersValueByNumber) {
  Planes planes = Make(3);
  OnWorkers({0, 1, 2}, [&](int w) {
    EXPECT_EQ(planes[w]->worker(), WorkerId(w));
    EXPECT_EQ(planes[w]->num_workers(), 3);
    const std::string mine(w, 'x');
    EXPECT_THAT(planes[w]->Exchange("first", mine, Soon()),
                ElementsAre("", "x", "xx"));
    planes[w]->Barrier("second", Soon());
    const std::string bytes("\0\xff", 2);
    EXPECT_THAT(planes[w]->Exchange("third", bytes, kNoDeadline),
                ElementsAre(bytes, bytes, bytes));
    planes[w]->Check();
  });
}

TEST_P(ControlPlaneTest, OneWorkerAlone) {
  Planes planes = Make(1);
  EXPECT_THAT(planes[0]->Exchange("alone", "me", Soon()), ElementsAre("me"));
  planes[0]->Leave();
}

TEST_P(ControlPlaneTest, NoWorkerReturnsBeforeAllHaveCome) {
  Planes planes = Make(2);
  std::atomic<bool> came = false;
  OnWorkers({0, 1}, [&](int w) {
    if (w == 1) {
      std::this_thread::sleep_for(milliseconds(50));
      came = true;
    }
    planes[w]->Barrier("both", Soon());
    EXPECT_TRUE(came);
  });
}

TEST_P(ControlPlaneTest, SixMegabytesFromEachArrive) {
  Planes planes = Make(2);
  OnWorkers({0, 1}, [&](int w) {
    const auto values =
        planes[w]->Exchange("big", std::string(6 << 20, 'a' + w), Soon());
    EXPECT_TRUE(values[0] == std::string(6 << 20, 'a'));
    EXPECT_TRUE(values[1] == std::string(6 << 20, 'b'));
  });
}

TEST_P(ControlPlaneTest, ATooLongValueIsRefusedBeforeItIsSent) {
  Planes planes = Make(8);
  const std::string huge((128 << 20) + 1, 'x');
  ExpectError([&] { planes[1]->Exchange("huge", huge, Soon()); },
              Code::kInvalidArgument,
              "8 workers may bring 134217728 bytes each, got 134217729");
  OnWorkers({0, 1, 2, 3, 4, 5, 6, 7},
            [&](int w) { planes[w]->Barrier("on", Soon()); });
}

TEST_P(ControlPlaneTest, DifferentNamesAreAnErrorOnAllAndTheyMayContinue) {
  Planes planes = Make(3);
  OnWorkers({0, 1, 2}, [&](int w) {
    ExpectError([&] { planes[w]->Barrier(w == 2 ? "saved" : "read", Soon()); },
                Code::kFailedPrecondition,
                "worker 0 is at 'read', worker 2 at 'saved'");
    planes[w]->Check();
    EXPECT_EQ(planes[w]->Exchange("again", std::to_string(w), Soon())[2], "2");
  });
}

TEST_P(ControlPlaneTest, TheDeadlineNamesTheMissingAndFailsTheJob) {
  Planes planes = Make(4);
  OnWorkers({0, 2}, [&](int w) {
    const Deadline deadline = w == 2 ? In(milliseconds(100)) : Soon();
    ExpectError([&] { planes[w]->Barrier("all", deadline); },
                Code::kDeadlineExceeded, "worker 2");
    ExpectError([&] { planes[w]->Check(); }, Code::kDeadlineExceeded,
                "too long for worker 1");
  });
  for (int late : {1, 3}) {
    ExpectError([&] { planes[late]->Barrier("all", Soon()); },
                Code::kDeadlineExceeded, "'all'");
    ExpectError([&] { planes[late]->Leave(); }, Code::kDeadlineExceeded,
                "worker 3");
  }
}

TEST_P(ControlPlaneTest, ADeadlineThatHasPassedDoesNotWait) {
  Planes planes = Make(2);
  const auto start = std::chrono::steady_clock::now();
  ExpectError([&] { planes[1]->Barrier("all", start - milliseconds(1)); },
              Code::kDeadlineExceeded, "worker 0");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_P(ControlPlaneTest, AbortWakesAllAndFailsEveryLaterCall) {
  Planes planes = Make(3);
  OnWorkers({0, 1, 2}, [&](int w) {
    if (w == 1) {
      std::this_thread::sleep_for(milliseconds(20));
      planes[1]->Abort("the disk is full");
      planes[1]->Abort("twice");
    }
    ExpectError([&] { planes[w]->Barrier("never", kNoDeadline); },
                Code::kCancelled, "worker 1");
    ExpectError([&] { planes[w]->Check(); }, Code::kCancelled,
                "the disk is full");
    ExpectError([&] { planes[w]->Exchange("x", "", Soon()); }, Code::kCancelled,
                "the disk is full");
  });
}

TEST_P(ControlPlaneTest, AWorkerThatEndsWithoutLeavingFailsTheOthers) {
  for (int gone : {0, 2}) {
    Planes planes = Make(3);
    OnWorkers({0, 1, 2}, [&](int w) {
      if (w == gone) {
        std::this_thread::sleep_for(milliseconds(20));
        planes[w].reset();
        return;
      }
      ExpectError([&] { planes[w]->Barrier("never", kNoDeadline); },
                  Code::kUnavailable, "worker " + std::to_string(gone));
    });
  }
}

TEST_P(ControlPlaneTest, AWorkerMayLeaveIfNoneWaitsForIt) {
  for (int done : {0, 1}) {
    Planes planes = Make(2);
    OnWorkers({0, 1}, [&](int w) { planes[w]->Barrier("last", Soon()); });
    planes[done]->Leave();
    planes[done].reset();
    ControlPlane& other = *planes[1 - done];
    other.Check();
    for (const auto& words :
         {"worker " + std::to_string(done), std::string("has left")}) {
      ExpectError([&] { other.Barrier("next", kNoDeadline); },
                  Code::kFailedPrecondition, words);
    }
    other.Check();
    other.Leave();
  }
}

TEST_P(ControlPlaneTest, LeavingWakesWaitingWorkers) {
  Planes planes = Make(3);
  OnWorkers({0, 1, 2}, [&](int w) {
    if (w == 1) {
      std::this_thread::sleep_for(milliseconds(20));
      planes[1]->Leave();
      return;
    }
    ExpectError([&] { planes[w]->Barrier("never", kNoDeadline); },
                Code::kFailedPrecondition, "worker 1 has left");
    planes[w]->Check();
  });
}

TEST_P(ControlPlaneTest, WatchersAreCalledOnce) {
  Planes planes = Make(2);
  std::atomic<int> calls = 0;
  std::promise<std::string> before, after;
  const auto watch = planes[0]->OnFailure([&](const Error& why) {
    ++calls;
    before.set_value(why.what());
  });
  auto ended = planes[0]->OnFailure([&](const Error&) { calls += 100; });
  ended.reset();
  planes[1]->Abort("enough");
  const std::string why = before.get_future().get();
  EXPECT_NE(why.find("enough"), std::string::npos) << why;
  planes[1]->Abort("more");
  const auto late = planes[0]->OnFailure(
      [&](const Error& error) { after.set_value(error.what()); });
  EXPECT_EQ(after.get_future().get(), why);
  EXPECT_EQ(calls, 1);
}

TEST_P(ControlPlaneTest, AWatcherMayCallTheControlPlaneAndEndItsWatch) {
  Planes planes = Make(2);
  std::promise<Code> code_seen;
  std::promise<void> kept;
  std::unique_ptr<ControlPlane::Watch> watch;
  watch = planes[1]->OnFailure([&](const Error&) {
    kept.get_future().wait();
    planes[1]->Abort("me too");
    const Code code = CodeOf([&] { planes[1]->Check(); });
    watch.reset();
    code_seen.set_value(code);
  });
  kept.set_value();
  planes[0].reset();
  EXPECT_EQ(code_seen.get_future().get(), Code::kUnavailable);
}

TEST_P(ControlPlaneTest, EndingAWatchWaitsForItsCall) {
  Planes planes = Make(2);
  std::promise<void> began;
  std::atomic<bool> done = false;
  auto watch = planes[0]->OnFailure([&](const Error&) {
    began.set_value();
    std::this_thread::sleep_for(milliseconds(50));
    done = true;
  });
  planes[0]->Abort("enough");
  began.get_future().wait();
  watch.reset();
  EXPECT_TRUE(done);
}

// Abort, Check and OnFailure come from any thread, while others exchange.
TEST_P(ControlPlaneTest, AbortInTheMiddleOfManyExchanges) {
  Planes planes = Make(3);
  std::atomic<int> calls = 0;
  OnWorkers({0, 1, 2, 3, 4, 5}, [&](int caller) {
    ControlPlane& plane = *planes[caller % 3];
    if (caller < 3) {
      EXPECT_EQ(CodeOf([&] {
                  for (int i = 0;; ++i) {
                    const auto name = std::to_string(i);
                    EXPECT_THAT(plane.Exchange(name, name, Soon()),
                                ElementsAre(name, name, name));
                  }
                }),
                Code::kCancelled);
      return;
    }
    const auto watch = plane.OnFailure([&](const Error&) { ++calls; });
    std::this_thread::sleep_for(milliseconds(30));
    plane.Abort("enough");
    while (calls < 3) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_EQ(CodeOf([&] { plane.Check(); }), Code::kCancelled);
  });
  EXPECT_EQ(calls, 3);
}

INSTANTIATE_TEST_SUITE_P(
    , ControlPlaneTest,
    testing::Values(Implementation{"Threads", MakeThreadControlPlanes},
                    Implementation{"Grpc",
                                   [](int num_workers) {
                                     return MakeGrpcControlPlanes(num_workers);
                                   }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace lockstep
