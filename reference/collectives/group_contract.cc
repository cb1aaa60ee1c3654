#include "reference/collectives/group_contract.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/trace.h"

namespace lockstep {
namespace {

// The code of the error of `body`, nullopt if it returned.
std::optional<Code> CodeThrownBy(const std::function<void()>& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

TEST_P(GroupContract, EveryRankKnowsItsNumber) {
  for (const int r : ranks_.here()) {
    EXPECT_EQ(ranks_[r].rank(), r);
    EXPECT_EQ(ranks_[r].size(), size_);
    EXPECT_EQ(ranks_[r].algorithm(), GetParam().algorithm);
  }
}

TEST_P(GroupContract, AllReduceSumsOnEveryRank) {
  // r^2 + 1 on each rank, as in the documented example; 3 ranks give 8.
  float expected = 0;
  for (int r = 0; r < size_; ++r) expected += r * r + 1;
  ranks_.Run([&](Group& group) {
    const TensorList mine = {Row({group.rank() * group.rank() + 1.0f})};
    const TensorList sums = group.AllReduce(ReduceOp::kSum, mine, {}).Wait();
    const TensorList means = group.AllReduce(ReduceOp::kMean, mine, {}).Wait();
    EXPECT_EQ(sums[0].at<float>(0), expected);
    EXPECT_EQ(means[0].at<float>(0), expected / size_);
  });
}

TEST_P(GroupContract, ATraceShowsTheBytesOfAnAllReduce) {
  ranks_.Run([&](Group& group) {
    TraceTrack track;
    {
      const TraceScope scope(&track);
      group.AllReduce(ReduceOp::kSum, {Row({1.0f, 2.0f}), Row({3.0f})}, {})
          .Wait();
    }
    if (size_ == 1) {  // nothing is communicated
      EXPECT_TRUE(track.spans().empty());
      return;
    }
    ASSERT_EQ(track.spans().size(), 1u);
    EXPECT_EQ(track.spans()[0].name, "AllReduce");
    EXPECT_EQ(track.spans()[0].bytes, 12);
  });
}

// Rank r brings r + 1 in parts of 1, 2, 3, ... elements.
TEST_P(GroupContract, ReduceScatterGivesEachRankItsPart) {
  ranks_.Run([&](Group& group) {
    TensorList parts;
    for (int part = 0; part < size_; ++part) {
      parts.push_back(Row(std::vector<float>(part + 1, group.rank() + 1.0f)));
    }
    const float sum = size_ * (size_ + 1) / 2;
    EXPECT_EQ(
        group.ReduceScatter(ReduceOp::kSum, parts, {}).Wait().ToVector<float>(),
        std::vector<float>(group.rank() + 1, sum));
    EXPECT_EQ(group.ReduceScatter(ReduceOp::kMean, parts, {})
                  .Wait()
                  .ToVector<float>(),
              std::vector<float>(group.rank() + 1, sum / size_));
  });
}

TEST_P(GroupContract, ReduceScatterNeedsAPartForEveryRank) {
  const auto errors = ranks_.Errors([&](Group& group) {
    const TensorList parts(size_ + 1, Row({1}));
    group.ReduceScatter(ReduceOp::kSum, parts, {}).Wait();
  });
  for (const std::exception_ptr& error : errors) {
    EXPECT_EQ(CodeOf(error), Code::kInvalidArgument);
  }
}

TEST_P(GroupContract, BroadcastGivesWhatTheRootHas) {
  for (int root = 0; root < size_; ++root) {
    ranks_.Run([&](Group& group) {
      // Lists differ in length; only the root's counts.
      const TensorList mine(group.rank() + 1, Row({1.0f * group.rank()}));
      const TensorList got = group.Broadcast(mine, root, {}).Wait();
      ASSERT_EQ(static_cast<int>(got.size()), root + 1);
      for (const Tensor& value : got) EXPECT_EQ(value.at<float>(0), root);
    });
  }
}

TEST_P(GroupContract, AnInvalidRootIsAnErrorOnAllAndAllContinue) {
  for (const int root : {-1, size_, 1000}) {
    const auto errors = ranks_.Errors([&](Group& group) {
      EXPECT_THROW(group.Broadcast({Row({1})}, root, {}).Wait(), Error);
      group.Broadcast({Row({1})}, root, {}).Wait();
    });
    for (const std::exception_ptr& error : errors) {
      EXPECT_EQ(CodeOf(error), Code::kInvalidArgument);
    }
  }
}

TEST_P(GroupContract, AllGatherReturnsUnevenLists) {
  ranks_.Run([&](Group& group) {
    const int r = group.rank();
    const TensorList mine(r + 1, Row(std::vector<float>(r, r)));
    const auto all = group.AllGather(mine, {}).Wait();
    ASSERT_EQ(static_cast<int>(all.size()), size_);
    for (int other = 0; other < size_; ++other) {
      ASSERT_EQ(static_cast<int>(all[other].size()), other + 1);
      ASSERT_EQ(all[other][0].ToVector<float>(),
                std::vector<float>(other, other));
    }
  });
}

TEST_P(GroupContract, NoRankPassesABarrierBeforeAllHaveCome) {
  std::atomic<int>& arrivals = ranks_.counter();
  ranks_.Run([&](Group& group) {
    for (int round = 1; round <= 20; ++round) {
      arrivals.fetch_add(1);
      group.Barrier({});
      EXPECT_GE(arrivals.load(), round * size_);
    }
  });
}

TensorList SumOfOnes(Group& group) {
  return group.AllReduce(ReduceOp::kSum, {Row({1})}, {}).Wait();
}

TEST_P(GroupContract, FailureBeforeACollectiveReleasesTheOthers) {
  for (int failing = 0; failing < size_; ++failing) {
    const auto ranks = GetParam().make();
    const auto errors = ranks->Errors([&](Group& group) {
      if (group.rank() == failing) throw std::runtime_error("broken");
      SumOfOnes(group);
    });
    for (int r = 0; r < size_; ++r) {
      if (r == failing) {
        EXPECT_THROW(std::rethrow_exception(errors[r]), std::runtime_error);
      } else {
        EXPECT_EQ(CodeOf(errors[r]), Code::kCancelled) << r;
      }
    }
  }
}

TEST_P(GroupContract, FailureAfterACollectiveReleasesTheOthers) {
  for (int round = 0; round < 20; ++round) {
    const auto errors = ranks_.Errors([&](Group& group) {
      SumOfOnes(group);
      if (group.rank() == 0) throw DataLoss("[Test] {}", "broken");
      SumOfOnes(group);
    });
    EXPECT_EQ(CodeOf(errors[0]), Code::kDataLoss);
    for (int r = 1; r < size_; ++r) {
      EXPECT_EQ(CodeOf(errors[r]), Code::kCancelled);
    }
  }
}

// A thread that is not a rank's may abort the group.
TEST_P(GroupContract, AbortWakesRanksThatWait) {
  if (size_ == 1) return;  // no rank waits
  const auto errors = ranks_.Errors([&](Group& group) {
    if (group.rank() > 0) {
      SumOfOnes(group);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::thread([&] { group.Abort(); }).join();
  });
  for (int r = 1; r < size_; ++r) {
    EXPECT_EQ(CodeOf(errors[r]), Code::kCancelled) << r;
  }
}

// A deadline of any operation ends it on all ranks. Once all have left, the
// ranks can continue.
TEST_P(GroupContract, ADeadlineEndsTheWaitForAMissingRank) {
  if (size_ == 1) return;  // no rank waits
  using Operation = std::function<void(Group&, const CollectiveOptions&)>;
  const TensorList parts(size_, Row({1}));
  const std::vector<Operation> operations = {
      [&](Group& group, const CollectiveOptions& options) {
        group.AllReduce(ReduceOp::kSum, {Row({1})}, options).Wait();
      },
      [&](Group& group, const CollectiveOptions& options) {
        group.ReduceScatter(ReduceOp::kSum, parts, options).Wait();
      },
      [&](Group& group, const CollectiveOptions& options) {
        group.AllGather({Row({1})}, options).Wait();
      },
      [&](Group& group, const CollectiveOptions& options) {
        group.Broadcast({Row({1})}, 0, options).Wait();
      },
      [&](Group& group, const CollectiveOptions& options) {
        group.Barrier(options);
      }};
  std::unique_ptr<Ranks> ranks = GetParam().make();
  int gone = 0;
  for (const Operation& operation : operations) {
    if (!GetParam().outlives_deadlines) {
      ranks = GetParam().make();
      gone = 0;
    }
    gone += size_ - 1;
    const auto errors = ranks->Errors([&](Group& group) {
      if (group.rank() == 0) {  // hangs until the others have gone
        while (ranks->counter().load() < gone) std::this_thread::yield();
        return;
      }
      const auto soon =
          std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
      const auto code =
          CodeThrownBy([&] { operation(group, {.deadline = soon}); });
      ranks->counter().fetch_add(1);
      EXPECT_EQ(code, Code::kDeadlineExceeded);
    });
    RethrowAny(errors);
  }
  if (!GetParam().outlives_deadlines) return;
  ranks->Run([&](Group& group) {
    EXPECT_EQ(SumOfOnes(group)[0].at<float>(0), size_);
  });
}

TEST_P(GroupContract, ADeadlineThatIsMetChangesNothing) {
  ranks_.Run([&](Group& group) {
    const auto late = std::chrono::steady_clock::now() + std::chrono::hours(1);
    for (int i = 0; i < 20; ++i) {
      const TensorList sums =
          group.AllReduce(ReduceOp::kSum, {Row({1})}, {.deadline = late})
              .Wait();
      EXPECT_EQ(sums[0].at<float>(0), size_);
    }
  });
}

TEST_P(GroupContract, ReturningEarlyIsADisagreement) {
  if (size_ == 1) return;  // no rank waits
  const auto errors = ranks_.Errors([&](Group& group) {
    if (group.rank() > 0) SumOfOnes(group);
  });
  EXPECT_FALSE(errors[0]);
  for (int r = 1; r < size_; ++r) {
    EXPECT_EQ(CodeOf(errors[r]), Code::kFailedPrecondition);
  }
}

TEST_P(GroupContract, DifferentOperationsAreADisagreementOnAll) {
  if (size_ == 1) return;
  const auto errors = ranks_.Errors([&](Group& group) {
    if (group.rank() == 0) {
      group.AllGather({Row({1})}, {}).Wait();
    } else {
      SumOfOnes(group);
    }
  });
  for (const auto& error : errors) {
    EXPECT_EQ(CodeOf(error), Code::kFailedPrecondition);
  }
}

TEST_P(GroupContract, DifferentShapesAreInvalidOnAll) {
  if (size_ == 1) return;
  const auto errors = ranks_.Errors([&](Group& group) {
    const Tensor mine = Row(std::vector<float>(group.rank() == 0 ? 2 : 3));
    group.AllReduce(ReduceOp::kSum, {mine}, {}).Wait();
  });
  for (const auto& error : errors) {
    EXPECT_EQ(CodeOf(error), Code::kInvalidArgument);
  }
}

TEST_P(GroupContract, ManyCallsInARow) {
  ranks_.Run([&](Group& group) {
    Tensor value = Row({1.0f});
    for (int i = 0; i < 300; ++i) {
      value = group.AllReduce(ReduceOp::kMean, {value}, {}).Wait()[0];
      group.AllGather({value}, {}).Wait();
    }
    EXPECT_EQ(value.at<float>(0), 1.0f);
  });
}

}  // namespace
}  // namespace lockstep
