// Orders, errors and numbers of elements read ahead: TensorFlow 2.21.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;

void Sleep(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// 0 and 4 take longer than the others.
Structure SlowIdentity(const Structure& x) {
  Sleep(x.leaf().item<int64_t>() % 4 == 0 ? 30 : 1);
  return x;
}

TEST(ParallelMapTest, KeepsTheOrder) {
  for (const int64_t calls :
       {int64_t{1}, int64_t{4}, int64_t{1000}, kAutotune}) {
    const Dataset slow =
        Dataset::Range(8).Map(SlowIdentity, {.num_parallel_calls = calls});
    EXPECT_EQ(ReadNumbers(slow), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(slow.cardinality(), 8);
    EXPECT_EQ(ToString(slow.element_spec().leaf()), "int64 ()");
  }
}

TEST(ParallelMapTest, WithoutOrderSlowOnesComeLater) {
  Numbers numbers = ReadNumbers(Dataset::Range(8).Map(
      SlowIdentity, {.num_parallel_calls = 4, .deterministic = false}));
  EXPECT_NE(numbers.front(), 0);
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(ParallelMapTest, MakesThatManyCallsAtATime) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  const auto count = [&](const Structure& x) {
    const int now = ++running;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    Sleep(5);
    --running;
    return x;
  };
  EXPECT_EQ(
      ReadNumbers(Dataset::Range(24).Map(count, {.num_parallel_calls = 4}))
          .size(),
      24u);
  EXPECT_EQ(most, 4);
}

// Elements read after 0, 1, 2, 3 and 5 steps: 0, 5, 6, 7, 9.
TEST(ParallelMapTest, ReadsAheadAsManyAsCalls) {
  std::atomic<int> read{0};
  const auto count = [&](const Structure& x) {
    ++read;
    return x;
  };
  DatasetIterator numbers =
      Dataset::Range(100)
          .Map(count)
          .Map([](const Structure& x) { return x; }, {.num_parallel_calls = 4})
          .MakeIterator();
  EXPECT_EQ(read, 0);
  for (int step = 1; step <= 5; ++step) {
    numbers.GetNext();
    for (int i = 0; i < 1000 && read < step + 4; ++i) Sleep(1);
    Sleep(5);
    EXPECT_EQ(read, step + 4);
  }
}

// Elements of which some are light, so that Next makes them, and some are not,
// so that threads do, come in their order, with the errors in their places.
TEST(ParallelMapTest, LightAndHeavyElementsKeepTheirOrder) {
  const auto make = [](const Structure& x) {
    const auto number = x.leaf().item<int64_t>();
    if (number / 200 % 2 == 1) Sleep(1);
    if (number % 97 == 96) throw DataLoss("[Read] damaged");
    return x;
  };
  for (const int64_t calls : {int64_t{3}, kAutotune}) {
    DatasetIterator numbers = Dataset::Range(1000)
                                  .Map(make, {.num_parallel_calls = calls})
                                  .MakeIterator();
    for (int64_t i = 0; i < 1000; ++i) {
      if (i % 97 == 96) {
        ExpectError([&] { numbers.GetNext(); }, Code::kDataLoss, "damaged");
      } else {
        ASSERT_EQ(numbers.GetNext().leaf().item<int64_t>(), i);
      }
    }
    EXPECT_FALSE(numbers.GetNextAsOptional().has_value());
    EXPECT_FALSE(numbers.GetNextAsOptional().has_value());
  }
}

TEST(ParallelMapTest, ErrorComesInItsPlace) {
  const auto failing = [](const Structure& x) {
    if (x.leaf().item<int64_t>() == 2) throw DataLoss("[Read] damaged");
    return SlowIdentity(x);
  };
  DatasetIterator numbers =
      Dataset::Range(5).Map(failing, {.num_parallel_calls = 4}).MakeIterator();
  EXPECT_EQ(ToText(numbers.GetNext()), "0");
  EXPECT_EQ(ToText(numbers.GetNext()), "1");
  ExpectError([&] { numbers.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(ToText(numbers.GetNext()), "3");
  EXPECT_EQ(ToText(numbers.GetNext()), "4");
  EXPECT_FALSE(numbers.GetNextAsOptional().has_value());
  EXPECT_FALSE(numbers.GetNextAsOptional().has_value());
}

TEST(ParallelMapTest, ErrorOfTheInputComesInItsPlace) {
  const auto failing = [](const Structure& x) {
    if (x.leaf().item<int64_t>() == 1) throw std::runtime_error("oops");
    return x;
  };
  DatasetIterator numbers = Dataset::Range(3)
                                .Map(failing)
                                .Map(SlowIdentity, {.num_parallel_calls = 2})
                                .MakeIterator();
  EXPECT_EQ(ToText(numbers.GetNext()), "0");
  EXPECT_THROW(numbers.GetNext(), std::runtime_error);
  EXPECT_EQ(ToText(numbers.GetNext()), "2");
  EXPECT_FALSE(numbers.GetNextAsOptional().has_value());
}

TEST(ParallelMapTest, ChecksTheGivenSpec) {
  const Dataset wrong = Dataset::Range(2).Map(
      SlowIdentity, {.num_parallel_calls = 2,
                     .output_spec = TensorSpec{Shape{3}, DType::kInt64}});
  EXPECT_EQ(ToString(wrong.element_spec().leaf()), "int64 (3,)");
  ExpectError([&] { wrong.MakeIterator().GetNext(); }, Code::kInvalidArgument,
              "[Map] got an element int64 (), wanted int64 (3,)");
}

TEST(ParallelMapTest, EndingWaitsForCalls) {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  {
    DatasetIterator numbers = Dataset::Range(1000)
                                  .Map(
                                      [&](const Structure& x) {
                                        ++begun;
                                        if (x.leaf().item<int64_t>() > 0)
                                          Sleep(20);
                                        ++ended;
                                        return x;
                                      },
                                      {.num_parallel_calls = 4})
                                  .MakeIterator();
    numbers.GetNext();
  }
  EXPECT_EQ(begun, ended);
  EXPECT_LE(begun, 5);
}

TEST(ParallelMapTest, NotReadingStartsNoThread) {
  std::atomic<int> calls{0};
  {
    const DatasetIterator unread =
        Dataset::Range(1000)
            .Map([&](const Structure& x) { return ++calls, x; },
                 {.num_parallel_calls = 4})
            .MakeIterator();
    Sleep(5);
  }
  EXPECT_EQ(calls, 0);
}

TEST(ParallelMapTest, RefusesANegativeNumber) {
  ExpectError(
      [] { Dataset::Range(3).Map(SlowIdentity, {.num_parallel_calls = -5}); },
      Code::kInvalidArgument,
      "[Map] num_parallel_calls must be kAutotune or not negative, got -5");
}

}  // namespace
}  // namespace lockstep
