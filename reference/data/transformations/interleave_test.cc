#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;

// x, repeated `times` times.
FlatMapFunction Repeated(std::function<int64_t(int64_t)> times) {
  return [times](const Structure& x) {
    return Dataset::FromTensors(x).Repeat(times(x.leaf().item<int64_t>()));
  };
}

const FlatMapFunction kOneMore = Repeated([](int64_t x) { return x + 1; });
const FlatMapFunction kOneLess = Repeated([](int64_t x) { return x - 1; });
const FlatMapFunction kSix = Repeated([](int64_t) { return 6; });

TEST(FlatMapTest, ConcatenatesTheDatasets) {
  const Dataset numbers = Dataset::Range(4).FlatMap([](const Structure& x) {
    return Dataset::Range(x.leaf().item<int64_t>());
  });
  EXPECT_EQ(ReadNumbers(numbers), (Numbers{0, 0, 1, 0, 1, 2}));
  EXPECT_EQ(ReadNumbers(numbers.Repeat(2)).size(), 12u);
  EXPECT_EQ(numbers.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(numbers.element_spec().leaf()), "int64 ()");
  EXPECT_EQ(Dataset::Range(0).FlatMap(kSix).cardinality(), 0);
}

// tf.data.Dataset.interleave's documented example.
TEST(InterleaveTest, TakesBlocksInTurn) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(1, 6).Interleave(
                kSix, {.cycle_length = 2, .block_length = 4})),
            (Numbers{1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3,
                     3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5}));
}

// As TensorFlow 2.21 does, also with num_parallel_calls.
TEST(InterleaveTest, ReplacesDatasetsThatEnd) {
  for (const int64_t parallel :
       {int64_t{0}, int64_t{1}, int64_t{2}, kAutotune}) {
    const auto read = [&](const FlatMapFunction& function, int64_t cycle) {
      return ReadNumbers(Dataset::Range(1, 6).Interleave(
          function, {.cycle_length = cycle,
                     .block_length = 2,
                     .num_parallel_calls = parallel}));
    };
    EXPECT_EQ(read(kOneMore, 2), (Numbers{1, 1, 2, 2, 2, 3, 3, 4, 4, 3,
                                          3, 4, 4, 4, 5, 5, 5, 5, 5, 5}));
    EXPECT_EQ(read(kOneLess, 3), (Numbers{2, 3, 3, 4, 4, 5, 5, 4, 5, 5}));
    EXPECT_EQ(read(kOneLess, INT64_MAX).size(), 10u);
  }
}

TEST(InterleaveTest, ErrorCostsItsElementOrDataset) {
  const auto function = [](const Structure& x) {
    const int64_t number = x.leaf().item<int64_t>();
    if (number == 1) throw NotFound("[Test] no dataset");
    return Dataset::Range(10 * number, 10 * number + 3)
        .Map([](const Structure& y) {
          if (y.leaf().item<int64_t>() == 21) throw DataLoss("[Test] bad");
          return y;
        });
  };
  for (const int64_t parallel : {0, 2}) {
    DatasetIterator numbers =
        Dataset::Range(3)
            .Interleave(function,
                        {.cycle_length = 2, .num_parallel_calls = parallel})
            .MakeIterator();
    EXPECT_EQ(ToText(numbers.GetNext()), "0");
    ExpectError([&] { numbers.GetNext(); }, Code::kNotFound, "no dataset");
    EXPECT_EQ(ToText(numbers.GetNext()), "20");
    EXPECT_EQ(ToText(numbers.GetNext()), "1");
    ExpectError([&] { numbers.GetNext(); }, Code::kDataLoss, "bad");
    EXPECT_EQ(ToText(numbers.GetNext()), "22");
    EXPECT_EQ(ToText(numbers.GetNext()), "2");
    EXPECT_FALSE(numbers.GetNextAsOptional().has_value());
    EXPECT_FALSE(numbers.GetNextAsOptional().has_value());
  }
}

TEST(InterleaveTest, ThreadsReadAheadByAtMostABuffer) {
  std::atomic<int> made{0};
  const auto counted = [&](const Structure& x) {
    return Dataset::FromTensors(x).Repeat().Map([&](const Structure& y) {
      ++made;
      return y;
    });
  };
  {
    DatasetIterator numbers =
        Dataset::Range(2)
            .Interleave(counted, {.cycle_length = 2, .num_parallel_calls = 2})
            .MakeIterator();
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(numbers.GetNext().leaf().item<int64_t>(), i % 2);
    }
  }
  EXPECT_GE(made, 100);
  EXPECT_LE(made, 100 + 2 * (8 + 1));
}

// TensorFlow 2.21.
TEST(InterleaveTest, TakesTurnsAsTensorFlow) {
  const auto read = [](std::vector<int64_t> lengths, int64_t cycle,
                       int64_t block, int64_t parallel) {
    return ReadNumbers(
        Dataset::Range(std::ssize(lengths))
            .Interleave(Repeated([=](int64_t x) { return lengths[x]; }),
                        {.cycle_length = cycle,
                         .block_length = block,
                         .num_parallel_calls = parallel}));
  };
  for (const int64_t parallel : {0, 1}) {
    EXPECT_EQ(read({3, 3, 3}, 2, 1, parallel),
              (Numbers{0, 1, 0, 1, 0, 1, 2, 2, 2}));
    EXPECT_EQ(read({3, 3, 3}, 2, 2, parallel),
              (Numbers{0, 0, 1, 1, 0, 1, 2, 2, 2}));
    EXPECT_EQ(read({3, 3, 3}, 1, 1, parallel),
              (Numbers{0, 0, 0, 1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(read({1, 2, 3, 4}, 3, 2, parallel),
              (Numbers{0, 1, 1, 2, 2, 3, 3, 2, 3, 3}));
  }
}

TEST(InterleaveTest, WithoutOrderReadsAllOnce) {
  std::promise<void> third_is_read;
  const std::shared_future<void> third = third_is_read.get_future().share();
  const auto wait = [&](int64_t number) {
    // By then all of the second dataset is there, which nothing delays.
    if (number == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    if (number == 1) third.wait_for(std::chrono::seconds(10));
    if (number == 200) third_is_read.set_value();
  };
  const auto read = [&](bool deterministic) {
    const auto numbers_of = [&, deterministic](const Structure& x) {
      const int64_t id = 100 * x.leaf().item<int64_t>();
      return Dataset::Range(id, id == 200 ? 201 : id + 3)
          .Map([&, deterministic](const Structure& y) {
            if (!deterministic) wait(y.leaf().item<int64_t>());
            return y;
          });
    };
    return ReadNumbers(Dataset::Range(3).Interleave(
        numbers_of, {.cycle_length = 2,
                     .num_parallel_calls = 2,
                     .deterministic = deterministic}));
  };
  EXPECT_EQ(read(true), (Numbers{0, 100, 1, 101, 2, 102, 200}));
  Numbers unordered = read(false);
  EXPECT_LT(std::ranges::find(unordered, 200), std::ranges::find(unordered, 1));
  EXPECT_EQ(unordered.back(), 2);
  std::ranges::sort(unordered);
  EXPECT_EQ(unordered, (Numbers{0, 1, 2, 100, 101, 102, 200}));
}

TEST(InterleaveTest, WithoutOrderTheFirstThatIsReadyIsRead) {
  std::promise<void> first_is_read;
  const std::shared_future<void> first = first_is_read.get_future().share();
  // The second has the turn when nothing is ready and nothing left to open. It
  // waits for the first to be read.
  const auto wait = [&](const Structure& x) {
    if (x.leaf().item<int64_t>() == 1) {
      first.wait_for(std::chrono::seconds(10));
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return x;
  };
  DatasetIterator numbers = Dataset::Range(2)
                                .Interleave(
                                    [&](const Structure& x) {
                                      return Dataset::FromTensors(x).Map(wait);
                                    },
                                    {.cycle_length = 2,
                                     .num_parallel_calls = 2,
                                     .deterministic = false})
                                .MakeIterator();
  EXPECT_EQ(ToText(numbers.GetNext()), "0");
  first_is_read.set_value();
  EXPECT_EQ(ToText(numbers.GetNext()), "1");
}

// Calling the function for its spec is not a pass over the input.
TEST(InterleaveTest, FindingTheSpecBeginsNoPass) {
  const auto shuffled = [] {
    return Dataset::Range(50).Shuffle(50, /*seed=*/1).FlatMap(kOneMore);
  };
  const Dataset asked = shuffled();
  EXPECT_EQ(ToString(asked.element_spec().leaf()), "int64 ()");
  EXPECT_EQ(ReadNumbers(asked), ReadNumbers(shuffled()));
}

TEST(InterleaveTest, RefusesInvalidArguments) {
  const Dataset numbers = Dataset::Range(3);
  ExpectError([&] { numbers.Interleave(kSix, {.cycle_length = 0}); },
              Code::kInvalidArgument,
              "[Interleave] cycle_length must be positive, got 0");
  ExpectError([&] { numbers.Interleave(kSix, {.block_length = 0}); },
              Code::kInvalidArgument, "block_length must be positive, got 0");
  ExpectError([&] { numbers.Interleave(kSix, {.num_parallel_calls = -5}); },
              Code::kInvalidArgument,
              "num_parallel_calls must be kAutotune or not negative, got -5");
  ExpectError(
      [&] {
        numbers.Interleave(kSix, {.cycle_length = 2, .num_parallel_calls = 3});
      },
      Code::kInvalidArgument,
      "num_parallel_calls must be at most cycle_length, got 3 and 2");
  ExpectError([&] { numbers.FlatMap(nullptr); }, Code::kInvalidArgument,
              "[FlatMap] there is no function");
  ExpectError([&] { numbers.Interleave(nullptr, {}); }, Code::kInvalidArgument,
              "[Interleave] there is no function");
  ExpectError([&] { Dataset::Range(0).FlatMap(kSix).element_spec(); },
              Code::kInvalidArgument, "[FlatMap] the input has no element");
}

}  // namespace
}  // namespace lockstep
