#include "reference/collectives/group.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/group_contract.h"
#include "reference/collectives/in_process_group.h"

namespace lockstep {
namespace {

GroupBackend Threads(int size) {
  return {.name = std::to_string(size),
          .algorithm = "SharedMemoryAllReduce",
          .make = [size] { return std::make_unique<Ranks>(size); }};
}

INSTANTIATE_TEST_SUITE_P(InProcess, GroupContract,
                         testing::Values(Threads(1), Threads(2), Threads(3),
                                         Threads(4), Threads(5), Threads(8)),
                         NameOfBackend);

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

class InProcessGroupTest : public testing::TestWithParam<int> {
 protected:
  const int size_ = GetParam();
  std::shared_ptr<Rendezvous> rendezvous_ = std::make_shared<Rendezvous>(size_);
  Ranks ranks_{rendezvous_, std::make_shared<SharedMemoryAllReduce>()};
};

TEST_P(InProcessGroupTest, MergeRunsOnceWithAllArguments) {
  int runs = 0;
  int sum = 0;
  std::vector<int> seen(size_);
  RethrowAny(RunRanks(size_, EndsOf(*rendezvous_), [&](int r) {
    const int mine = r + 1;
    rendezvous_->Merge(r, &mine, [&](std::span<const void* const> arguments) {
      ++runs;
      for (const void* argument : arguments) {
        sum += *static_cast<const int*>(argument);
      }
    });
    seen[r] = sum;
  }));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(seen, std::vector<int>(size_, size_ * (size_ + 1) / 2));
}

TEST_P(InProcessGroupTest, ErrorInMergeReachesEveryRankAndAllContinue) {
  ranks_.Run([&](Group& group) {
    try {
      rendezvous_->Merge(group.rank(), nullptr,
                         [](std::span<const void* const>) {
                           throw OutOfRange("[Test] {}", "merge");
                         });
      ADD_FAILURE() << "no error on " << group.rank();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kOutOfRange);
      EXPECT_STREQ(error.what(), "[Test] merge");
    }
    const TensorList sums =
        group.AllReduce(ReduceOp::kSum, {Row({1})}, {}).Wait();
    EXPECT_EQ(sums[0].at<float>(0), size_);
  });
}

// Fails on one rank in one round, like an algorithm that runs out of memory.
class FailingOps : public CrossDeviceOps {
 public:
  FailingOps(int rank, int round) : rank_(rank), round_(round) {}
  std::string_view name() const override { return "FailingOps"; }
  int rounds(int) const override { return 3; }
  void RunRound(int round, int rank, const Reduction&) const override {
    if (rank == rank_ && round == round_)
      throw ResourceExhausted("[Test] full");
  }

 private:
  int rank_;
  int round_;
};

TEST_P(InProcessGroupTest, FailureInsideAnAllReduceReachesAll) {
  if (size_ == 1) return;  // nothing is reduced on one rank
  for (int round = 0; round < 3; ++round) {
    const int failing = round % size_;
    Ranks ranks(size_, std::make_shared<FailingOps>(failing, round));
    const auto errors = ranks.Errors([](Group& group) {
      group.AllReduce(ReduceOp::kSum, {Row({1})}, {}).Wait();
    });
    for (int r = 0; r < size_; ++r) {
      EXPECT_EQ(CodeOf(errors[r]),
                r == failing ? Code::kResourceExhausted : Code::kCancelled);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, InProcessGroupTest,
                         testing::Values(1, 2, 3, 4, 5, 8));

}  // namespace
}  // namespace lockstep
