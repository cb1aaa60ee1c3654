// What a dataset remembers of its passes, read locally and distributed.
#include "reference/data/pass.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/sharding/auto_shard.h"

namespace lockstep {
namespace {

using data_internal::PassScope;
using Numbers = std::vector<int64_t>;

// Distributes the dataset again for one pass, and concatenates its batches.
Numbers ReadDistributed(const Dataset& batches, int64_t replicas) {
  return ReadNumbers(AutoShard(batches, {.replicas = replicas}));
}

Numbers Sorted(Numbers numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

Numbers UpTo(int64_t stop) {
  Numbers numbers(stop);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// tensorflow#29558, #27680, #26179, #31343
TEST(PassTest, EveryUseIsTheNextPass) {
  const Dataset batches = Dataset::Range(50).Shuffle(50, /*seed=*/1).Batch(4);
  std::set<Numbers> orders;
  for (int use = 0; use < 10; ++use) {
    orders.insert(use % 2 == 0 ? ReadNumbers(batches)
                               : ReadDistributed(batches, 1 + use % 4));
  }
  EXPECT_EQ(orders.size(), 10u);
}

TEST(PassTest, NextPassIgnoresHowFarThisOneWasRead) {
  const auto second_pass = [](int64_t read_of_first) {
    const Dataset numbers =
        Dataset::Range(6).Shuffle(6, /*seed=*/1).Repeat(5).Prefetch(3);
    DatasetIterator first = numbers.MakeIterator();
    for (int64_t i = 0; i < read_of_first; ++i) first.GetNext();
    return ReadNumbers(numbers);
  };
  const Numbers expected = second_pass(0);
  EXPECT_EQ(second_pass(5), expected);
  EXPECT_EQ(second_pass(7), expected);
  EXPECT_EQ(second_pass(30), expected);
}

TEST(PassTest, RepeatReshuffles) {
  const Numbers all =
      ReadNumbers(Dataset::Range(20).Shuffle(20, /*seed=*/1).Repeat(3));
  const auto order = [&](int64_t i) {
    return Numbers(all.begin() + 20 * i, all.begin() + 20 * (i + 1));
  };
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(Sorted(order(i)), UpTo(20));
  EXPECT_NE(order(0), order(1));
  EXPECT_NE(order(1), order(2));
  EXPECT_NE(order(0), order(2));
}

// tensorflow#38879
TEST(PassTest, ZipWithItselfShufflesTwice) {
  const Dataset numbers = Dataset::Range(30).Shuffle(30, /*seed=*/1);
  const Dataset pairs = Dataset::Zip({numbers, numbers}).Batch(30);
  for (const Dataset& read : {pairs, AutoShard(pairs, {.replicas = 1})}) {
    const Structure batch = read.MakeIterator().GetNext();
    EXPECT_NE(batch[0].leaf().ToVector<int64_t>(),
              batch[1].leaf().ToVector<int64_t>());
  }
}

// tensorflow#59279: a part for training, and one for validation.
TEST(PassTest, CachedShuffleSplitsWithoutLoss) {
  const Dataset numbers = Dataset::Range(6).Shuffle(6, /*seed=*/1).Cache();
  const Dataset first = AutoShard(numbers.Take(4).Batch(2), {.replicas = 2});
  const Dataset rest = AutoShard(numbers.Skip(4).Batch(2), {.replicas = 1});
  ReadAll(rest);  // reads the whole of what is cached
  for (int epoch = 0; epoch < 3; ++epoch) {
    Numbers all = ReadNumbers(first);
    for (const int64_t number : ReadNumbers(rest)) all.push_back(number);
    EXPECT_EQ(Sorted(all), UpTo(6));
  }
}

TEST(PassTest, DistributedCacheIsFilledOnce) {
  auto calls = std::make_shared<int>(0);
  const Dataset batches = Dataset::Range(8)
                              .Map([calls](const Structure& x) {
                                ++*calls;
                                return x;
                              })
                              .Shuffle(8)
                              .Batch(4)
                              .Cache();
  const Numbers first = ReadDistributed(batches, 2);
  EXPECT_EQ(ReadDistributed(batches, 3), first);
  EXPECT_EQ(ReadNumbers(batches), first);
  const Dataset of_worker =
      AutoShard(batches, {.workers = 2, .worker = 0, .replicas = 2});
  EXPECT_EQ(ReadNumbers(of_worker),
            (Numbers{first[0], first[1], first[4], first[5]}));
  EXPECT_EQ(*calls, 8);
}

TEST(PassTest, PeekBeginsNoPass) {
  const auto make = [] {
    return Dataset::Range(20)
        .Shuffle(20, /*seed=*/1)
        .FlatMap([](const Structure& x) { return Dataset::FromTensors(x); })
        .Batch(20);
  };
  const Dataset looked_at = make();
  looked_at.element_spec();
  EXPECT_EQ(ReadNumbers(looked_at), ReadNumbers(make()));
}

// Each step doubles the paths and adds one node.
Dataset WithManyPaths(Dataset numbers) {
  for (int step = 0; step < 200; ++step) {
    numbers = numbers.Concatenate(numbers.Take(0));
  }
  return numbers.Batch(2);
}

TEST(PassTest, CostGrowsWithNodesNotPaths) {
  const Dataset batches = WithManyPaths(Dataset::Range(5).Shuffle(5));
  EXPECT_EQ(batches.cardinality(), 3);
  EXPECT_EQ(Sorted(ReadDistributed(batches, 2)), UpTo(5));
  const InputShard shard{.workers = 2, .worker = 1, .replicas = 2};
  EXPECT_LT(DescribeSharding(batches, shard).description.size(), 20000u);
  ReadAll(AutoShard(batches, shard));
}

TEST(PassTest, RestoreRefusesStateOfAnotherPipeline) {
  const Dataset one = Dataset::Range(9).Shuffle(9, /*seed=*/1);
  const Dataset two = Dataset::Range(9).Shuffle(9, /*seed=*/1);
  const std::vector other{one.Shuffle(2).node()};
  const std::vector nodes{one.node()};
  ExpectError(
      [&] {
        RestorePasses(nodes, data_internal::SavePasses(other), PassScope::kAll);
      },
      Code::kInvalidArgument, "it has 4 numbers, wanted 2");
  EXPECT_EQ(ReadNumbers(one), ReadNumbers(two));
}

TEST(PassTest, RestoringCountsKeepsTheSeed) {
  const Dataset mine = Dataset::Range(20).Shuffle(20, /*seed=*/1);
  const Dataset other = Dataset::Range(20).Shuffle(20, /*seed=*/2);
  ReadAll(other);
  RestorePasses(std::vector{mine.node()},
                data_internal::SavePasses(std::vector{other.node()}),
                PassScope::kCounts);
  const Dataset same = Dataset::Range(20).Shuffle(20, /*seed=*/1);
  ReadAll(same);
  EXPECT_EQ(ReadNumbers(mine), ReadNumbers(same));
}

// A pipeline with shared nodes, the same for the same choices.
class Graph {
 public:
  Graph() {
    const auto steps = *rc::gen::inRange(1, 9);
    for (int i = 0; i < steps; ++i) {
      steps_.push_back({.kind = *rc::gen::inRange(0, 8),
                        .input = *rc::gen::inRange(0, i + 1),
                        .other = *rc::gen::inRange(0, i + 1),
                        .number = *rc::gen::inRange<int64_t>(1, 6)});
    }
    batch_ = *rc::gen::inRange<int64_t>(1, 5);
  }

  Dataset Make() const {
    std::vector<Dataset> made{Dataset::Range(7)};
    for (const Step& step : steps_) made.push_back(Add(step, made));
    return made.back().Batch(batch_);
  }

 private:
  struct Step {
    int kind;
    int input;
    int other;
    int64_t number;
  };

  static Dataset Add(const Step& step, const std::vector<Dataset>& made) {
    const Dataset& input = made[step.input];
    switch (step.kind) {
      case 0:
        return input.Take(step.number);
      case 1:
        return input.Skip(step.number);
      case 2:
        return input.Cache();
      case 3:
        return input.Concatenate(made[step.other]).Take(30);
      case 4:
        return input.Repeat(2).Take(30);
      case 5:
        return Dataset::Zip({input, made[step.other]})
            .Map([](const Structure& pair) {
              return Structure(
                  Tensor::Scalar<int64_t>((10 * pair[0].leaf().item<int64_t>() +
                                           pair[1].leaf().item<int64_t>()) %
                                          1000003));
            });
      default:
        return input.Shuffle(10, /*seed=*/step.number);
    }
  }

  std::vector<Step> steps_;
  int64_t batch_;
};

RC_GTEST_PROP(PassProperty, DistributedReadsWhatLocalReads, ()) {
  const Graph graph;
  const Dataset plain = graph.Make(), distributed = graph.Make();
  for (int pass = 0; pass < 4; ++pass) {
    RC_ASSERT(ReadDistributed(distributed, 1 + pass) == ReadNumbers(plain));
  }
}

RC_GTEST_PROP(PassProperty, WorkersTogetherReadWhatOneReads, ()) {
  const Graph graph;
  const auto workers = *rc::gen::inRange<int64_t>(1, 4);
  const auto each = *rc::gen::inRange<int64_t>(1, 3);
  const Dataset plain = graph.Make();
  std::vector<Dataset> parts;
  for (int64_t worker = 0; worker < workers; ++worker) {
    parts.push_back(AutoShard(
        graph.Make(),
        {.workers = workers, .worker = worker, .replicas = workers * each}));
  }
  for (int pass = 0; pass < 3; ++pass) {
    std::vector<DatasetIterator> iterators;
    for (const Dataset& own : parts) iterators.push_back(own.MakeIterator());
    for (const std::string& batch : ReadAll(plain)) {
      Numbers rows;
      for (int64_t part = 0; part < workers * each; ++part) {
        const Tensor own = iterators[part / each].GetNext().leaf();
        const auto numbers = own.span<int64_t>();
        rows.insert(rows.end(), numbers.begin(), numbers.end());
      }
      RC_ASSERT(ToText(Tensor::FromVector(rows)) == batch);
    }
    // A cache keeps a pass that was read to its end.
    for (DatasetIterator& iterator : iterators) {
      RC_ASSERT(!iterator.GetNextAsOptional().has_value());
    }
  }
}

RC_GTEST_PROP(PassProperty, SavedStateResumesInAnotherProcess, ()) {
  const Graph graph;
  const Dataset first = graph.Make(), other = graph.Make();
  const auto read = *rc::gen::inRange(0, 4);
  for (int pass = 0; pass < read; ++pass) ReadAll(first);
  const auto read_by_other = *rc::gen::inRange(0, 3);
  for (int pass = 0; pass < read_by_other; ++pass) ReadAll(other);
  RestorePasses(std::vector{other.node()},
                data_internal::SavePasses(std::vector{first.node()}),
                PassScope::kAll);
  for (int pass = 0; pass < 3; ++pass) {
    RC_ASSERT(ReadNumbers(other) == ReadNumbers(first));
  }
}

}  // namespace
}  // namespace lockstep
