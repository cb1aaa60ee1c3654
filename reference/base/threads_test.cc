#include "reference/base/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/failing_system_calls.h"
#include "reference/base/limits/allocation_limit.h"

namespace lockstep {
namespace {

using Range = std::tuple<int64_t, int64_t, int>;  // begin, end, member

class RangeLog {
 public:
  LoopBody Body() {
    return [this](int64_t begin, int64_t end, int member) {
      std::lock_guard lock(mutex_);
      ranges_.emplace_back(begin, end, member);
    };
  }
  std::vector<Range> Sorted() {
    std::ranges::sort(ranges_);
    return ranges_;
  }

 private:
  std::mutex mutex_;
  std::vector<Range> ranges_;
};

TEST(ThreadTeamTest, VisitsEveryElementOnce) {
  for (int size = 1; size <= 8; ++size) {
    ThreadTeam team(size);
    EXPECT_EQ(team.size(), size);
    for (const int64_t count : {0, 1, 2, 7, 8, 9, 1000}) {
      std::vector<int> visits(count, 0);
      team.ParallelFor(count, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) ++visits[i];
      });
      EXPECT_EQ(visits, std::vector<int>(count, 1)) << size << " " << count;
    }
  }
}

TEST(ThreadTeamTest, RangesAreContiguousInMemberOrder) {
  ThreadTeam team(4);
  for (int repetition = 0; repetition < 3; ++repetition) {
    RangeLog log;
    team.ParallelFor(10, log.Body());
    EXPECT_EQ(log.Sorted(), (std::vector<Range>{
                                {0, 2, 0}, {2, 5, 1}, {5, 7, 2}, {7, 10, 3}}));
  }
}

TEST(ThreadTeamTest, CallerIsMemberZero) {
  ThreadTeam team(3);
  std::vector<std::thread::id> first(3), second(3);
  team.ParallelFor(3, [&](int64_t, int64_t, int member) {
    first[member] = std::this_thread::get_id();
  });
  team.ParallelFor(3, [&](int64_t, int64_t, int member) {
    second[member] = std::this_thread::get_id();
  });
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(first, second);
  EXPECT_NE(first[1], first[2]);
}

TEST(ThreadTeamTest, ThrowsTheLowestMembersError) {
  ThreadTeam team(4);
  std::vector<int> done(4, 0);
  try {
    team.ParallelFor(4, [&](int64_t begin, int64_t, int member) {
      done[begin] = 1;
      if (member >= 2) throw std::runtime_error(std::to_string(member));
    });
    FAIL() << "the error was lost";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "2");
  }
  EXPECT_EQ(done, std::vector<int>(4, 1));
  EXPECT_NO_THROW(team.ParallelFor(4, [](int64_t, int64_t, int) {}));
}

TEST(ThreadTeamTest, ManySmallLoopsInARow) {
  ThreadTeam team(3);
  std::vector<int64_t> sums(3, 0);
  for (int i = 0; i < 2000; ++i) {
    team.ParallelFor(3, [&](int64_t, int64_t, int member) { ++sums[member]; });
  }
  EXPECT_EQ(sums, std::vector<int64_t>(3, 2000));
}

// Half of the smallest normal number, computed by each member.
std::vector<float> Halves(ThreadTeam& team) {
  std::vector<float> halves(team.size());
  team.ParallelFor(team.size(), [&](int64_t, int64_t, int member) {
    volatile float smallest = 0x1p-126f;
    halves[member] = smallest / 2;
  });
  return halves;
}

TEST(ThreadTeamTest, MembersFlushDenormalsLikeTheCaller) {
  ThreadTeam team(3);
  EXPECT_EQ(Halves(team), std::vector<float>(3, 0x1p-127f));
  {
    const FlushDenormals flush;
    EXPECT_TRUE(FlushDenormals::Active());
    EXPECT_EQ(Halves(team), std::vector<float>(3, 0));
    const FlushDenormals keep(false);
    EXPECT_EQ(Halves(team), std::vector<float>(3, 0x1p-127f));
  }
  EXPECT_FALSE(FlushDenormals::Active());
  EXPECT_EQ(Halves(team), std::vector<float>(3, 0x1p-127f));
}

TEST(ThreadTeamTest, RefusesEmptyTeams) {
  for (const int size : {0, -1}) {
    try {
      ThreadTeam team(size);
      FAIL() << "made a team of " << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
    }
  }
}

TEST(ThreadTeamTest, JoinsThreadsIfOneCannotStart) {
  for (int more = 0; more < 3; ++more) {
    const ThreadLimit limit(more);
    ExpectError(
        [] { ThreadTeam team(4); }, Code::kResourceExhausted,
        "[ThreadTeam] wanted 3 more threads, got " + std::to_string(more));
  }
  const ThreadLimit limit(/*more=*/3);
  ThreadTeam team(4);
  RangeLog log;
  team.ParallelFor(4, log.Body());
  EXPECT_EQ(log.Sorted().size(), 4u);
}

// Each of some four allocations per thread fails once.
TEST(ThreadTeamTest, JoinsThreadsOnLackOfMemory) {
  int64_t more = 0;
  for (bool failed = true; failed; ++more) {
    failed = false;
    const AllocationLimit limit(more);
    try {
      ThreadTeam team(4);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
  }
  EXPECT_GT(more, 3);
}

TEST(ParallelForTest, WithoutATeamTheCallerRunsAll) {
  EXPECT_EQ(ThreadTeam::Current(), nullptr);
  EXPECT_EQ(CurrentTeamSize(), 1);
  RangeLog log;
  ParallelFor(100, 1, log.Body());
  EXPECT_EQ(log.Sorted(), (std::vector<Range>{{0, 100, 0}}));
}

TEST(ParallelForTest, UsesTheScopesTeam) {
  ThreadTeam team(2), other(3);
  {
    ThreadTeamScope scope(&team);
    EXPECT_EQ(CurrentTeamSize(), 2);
    {
      ThreadTeamScope inner(&other);
      EXPECT_EQ(ThreadTeam::Current(), &other);
    }
    RangeLog log;
    ParallelFor(5, 1, log.Body());
    EXPECT_EQ(log.Sorted(), (std::vector<Range>{{0, 2, 0}, {2, 5, 1}}));
  }
  EXPECT_EQ(ThreadTeam::Current(), nullptr);
}

TEST(ParallelForTest, RangesAreAtLeastTheGrain) {
  ThreadTeam team(4);
  ThreadTeamScope scope(&team);
  for (const int64_t count : {1, 9, 10, 19, 20, 25, 39, 40, 1000}) {
    RangeLog log;
    ParallelFor(count, 10, log.Body());
    int64_t next = 0;
    for (const auto& [begin, end, member] : log.Sorted()) {
      EXPECT_EQ(begin, next);
      EXPECT_GE(end - begin, std::min<int64_t>(count, 10)) << count;
      next = end;
    }
    EXPECT_EQ(next, count);
  }
}

TEST(ParallelForTest, NestedLoopsRunOnTheirThread) {
  ThreadTeam team(3);
  ThreadTeamScope scope(&team);
  std::vector<int> visits(300, 0);
  ParallelFor(3, 1, [&](int64_t begin, int64_t end, int) {
    const auto outer_thread = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i) {
      ParallelFor(100, 1, [&](int64_t first, int64_t last, int member) {
        EXPECT_EQ(std::this_thread::get_id(), outer_thread);
        EXPECT_EQ(member, 0);
        for (int64_t j = first; j < last; ++j) ++visits[i * 100 + j];
      });
    }
  });
  EXPECT_EQ(visits, std::vector<int>(300, 1));
  EXPECT_EQ(CurrentTeamSize(), 3);
}

TEST(ParallelForTest, EmptyLoopsCallNothing) {
  ParallelFor(0, 1, [](int64_t, int64_t, int) { FAIL() << "called"; });
  EXPECT_THROW(ParallelFor(1, 0, [](int64_t, int64_t, int) {}), Error);
}

TEST(ParallelForTest, TeamsOfSeveralThreadsDoNotMix) {
  std::vector<std::vector<int>> visits(3, std::vector<int>(64, 0));
  {
    std::vector<std::jthread> replicas;
    for (int replica = 0; replica < 3; ++replica) {
      replicas.emplace_back([&visits, replica] {
        ThreadTeam team(2);
        ThreadTeamScope scope(&team);
        for (int loop = 0; loop < 20; ++loop) {
          ParallelFor(64, 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) ++visits[replica][i];
          });
        }
      });
    }
  }
  for (const auto& one : visits) EXPECT_EQ(one, std::vector<int>(64, 20));
}

}  // namespace
}  // namespace lockstep
