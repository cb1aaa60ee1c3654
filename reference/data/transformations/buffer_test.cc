#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "reference/base/failing_system_calls.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/prefetch_reader.h"

namespace lockstep::data_internal {
namespace {

TEST(RingTest, ItemsComeInOrderForAnyCapacity) {
  for (const uint32_t capacity : {1u, 2u, 3u, 64u}) {
    Ring<int> ring(capacity);
    std::thread maker([&] {
      for (int i = 0; i < 20000; ++i) ring.Push(i);
      ring.CloseByMaker();
    });
    int value = -1;
    for (int i = 0; i < 20000; ++i) {
      ASSERT_TRUE(ring.Pop(&value));
      ASSERT_EQ(value, i);
    }
    EXPECT_FALSE(ring.Pop(&value));
    EXPECT_FALSE(ring.Pop(&value));
    maker.join();
  }
}

TEST(RingTest, ClosingByTheMakerLetsTheRestBeTaken) {
  Ring<int> ring(2);
  ring.Push(7);
  ring.CloseByMaker();
  int value = 0;
  EXPECT_TRUE(ring.Pop(&value));
  EXPECT_EQ(value, 7);
  EXPECT_FALSE(ring.Pop(&value));
}

TEST(RingTest, ClosingByTheTakerReleasesASleepingMaker) {
  Ring<int> ring(1);
  bool pushed = true;
  std::thread maker([&] {
    ring.Push(1);
    pushed = ring.Push(2);  // waits: the ring is full
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ring.CloseByTaker();
  maker.join();
  EXPECT_FALSE(pushed);
  EXPECT_FALSE(ring.Push(3));
}

TEST(RingTest, ASleepingTakerIsWoken) {
  Ring<int> ring(1);
  int value = 0;
  std::thread taker([&] { ring.Pop(&value); });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ring.Push(5);
  taker.join();
  EXPECT_EQ(value, 5);
}

TEST(RingTest, TakenItemsAreNotKept) {
  Ring<std::shared_ptr<int>> ring(2);
  auto item = std::make_shared<int>(1);
  ring.Push(item);
  std::shared_ptr<int> taken;
  ring.Pop(&taken);
  taken.reset();
  EXPECT_EQ(item.use_count(), 1);
}

}  // namespace
}  // namespace lockstep::data_internal

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

Numbers Sorted(Numbers numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

Numbers UpTo(int64_t n) {
  Numbers numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(ShuffleTest, YieldsEveryElementOnceForAnyBuffer) {
  for (const int64_t n : {0, 1, 5, 1000, 1025, 3000}) {
    for (const int64_t buffer : {1, 2, 7, 1024, 100000}) {
      const Numbers read = ReadNumbers(Dataset::Range(n).Shuffle(buffer, 1));
      EXPECT_EQ(Sorted(read), UpTo(n)) << n << " " << buffer;
    }
  }
}

TEST(ShuffleTest, ABufferOfOneKeepsTheOrder) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(3000).Shuffle(1, 1)), UpTo(3000));
}

TEST(ShuffleTest, AnElementComesAtMostTheBufferEarly) {
  const Numbers read = ReadNumbers(Dataset::Range(500).Shuffle(10, 1));
  for (int64_t i = 0; i < 500; ++i) EXPECT_LT(read[i], i + 10);
  EXPECT_NE(read, UpTo(500));
}

TEST(ShuffleTest, ReshufflesEachPassAndTheSequenceOfOrdersRepeats) {
  const Dataset a = Dataset::Range(100).Shuffle(100, 7);
  const Dataset b = Dataset::Range(100).Shuffle(100, 7);
  const Numbers first = ReadNumbers(a);
  const Numbers second = ReadNumbers(a);
  EXPECT_NE(first, second);
  EXPECT_EQ(ReadNumbers(b), first);
  EXPECT_EQ(ReadNumbers(b), second);
}

TEST(ShuffleTest, WithoutReshufflingAllPassesAreEqual) {
  const Dataset fixed = Dataset::Range(100).Shuffle(100, 7, false);
  const Numbers first = ReadNumbers(fixed);
  EXPECT_EQ(ReadNumbers(fixed), first);
  EXPECT_NE(first, UpTo(100));
}

TEST(ShuffleTest, RepeatReshufflesToo) {
  const Numbers two =
      ReadNumbers(Dataset::Range(100).Shuffle(100, 7).Repeat(2));
  const Numbers first(two.begin(), two.begin() + 100);
  const Numbers second(two.begin() + 100, two.end());
  EXPECT_EQ(Sorted(first), UpTo(100));
  EXPECT_EQ(Sorted(second), UpTo(100));
  EXPECT_NE(first, second);
}

TEST(ShuffleTest, SeedsDiffer) {
  const Dataset range = Dataset::Range(100);
  EXPECT_NE(ReadNumbers(range.Shuffle(100, 1)),
            ReadNumbers(range.Shuffle(100, 2)));
  EXPECT_NE(ReadNumbers(range.Shuffle(100)), ReadNumbers(range.Shuffle(100)));
}

TEST(ShuffleTest, RowsAndElementsComeInTheSameOrder) {
  const Dataset elements =
      Dataset::Range(3000).Map([](const Structure& x) { return x; });
  EXPECT_EQ(ReadNumbers(Dataset::Range(3000).Shuffle(50, 7)),
            ReadNumbers(elements.Shuffle(50, 7)));
}

TEST(ShuffleTest, EveryOrderOfThreeIsAboutEquallyLikely) {
  const Dataset three = Dataset::Range(3).Shuffle(3, 5);
  std::map<Numbers, int> seen;
  for (int i = 0; i < 6000; ++i) ++seen[ReadNumbers(three)];
  ASSERT_EQ(seen.size(), 6u);
  // 1000 expected, standard deviation 28.9: 150 is more than 5 of those.
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 150);
}

TEST(ShuffleTest, RowsOfStructuresStayTogether) {
  const Tensor x = Tensor::FromVector<float>({0, 1, 2, 3, 4, 5}, Shape{6, 1});
  const Tensor y = Tensor::FromVector<int64_t>({0, 10, 20, 30, 40, 50});
  const Dataset pairs = Dataset::FromTensorSlices(Structure::Tuple({x, y}));
  for (const Structure& batch : pairs.Shuffle(6, 1).Batch(4)) {
    for (int64_t i = 0; i < batch[0].leaf().dim(0); ++i) {
      EXPECT_EQ(batch[0].leaf().at<float>(i) * 10,
                batch[1].leaf().at<int64_t>(i));
    }
  }
}

TEST(ShuffleTest, AnErrorBelowCostsOneElement) {
  const Dataset failing = Dataset::Range(5).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 2) throw DataLoss("[Read] damaged");
    return x;
  });
  DatasetIterator iterator = failing.Shuffle(5, 1).MakeIterator();
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "damaged");
  Numbers rest;
  Structure element;
  while (iterator.Next(&element)) {
    rest.push_back(element.leaf().item<int64_t>());
  }
  EXPECT_EQ(Sorted(rest), (Numbers{0, 1, 3, 4}));
}

TEST(ShuffleTest, BufferMustBePositive) {
  ExpectError([] { Dataset::Range(1).Shuffle(0); }, Code::kInvalidArgument,
              "[Shuffle] buffer size must be positive, got 0");
}

// A map, so that handing over to a thread is thought worth it.
Dataset Heavy(int64_t stop) {
  return Dataset::Range(stop).Map([](const Structure& x) { return x; });
}

std::thread::id MakerOf(const Dataset& dataset) {
  auto maker = std::make_shared<std::thread::id>();
  const Dataset watched = dataset.Map([maker](const Structure& x) {
    *maker = std::this_thread::get_id();
    return x;
  });
  ReadAll(watched.Prefetch(2));
  return *maker;
}

TEST(PrefetchTest, GivesTheSameElements) {
  for (const int64_t depth : {-1, 0, 1, 2, 100}) {
    Numbers expected(1000);
    for (int64_t i = 0; i < 1000; ++i) expected[i] = i;
    EXPECT_EQ(ReadNumbers(Heavy(1000).Prefetch(depth)), expected) << depth;
  }
}

TEST(PrefetchTest, UserFunctionsRunOnAThreadOfTheirOwn) {
  EXPECT_NE(MakerOf(Dataset::Range(1)), std::this_thread::get_id());
}

TEST(PrefetchTest, MakesAtMostTheBufferAndOneInHandAhead) {
  auto made = std::make_shared<std::atomic<int>>(0);
  const Dataset counted = Dataset::Range(100).Map([made](const Structure& x) {
    ++*made;
    return x;
  });
  DatasetIterator iterator = counted.Prefetch(3).MakeIterator();
  EXPECT_EQ(*made, 0);  // nothing runs before the first read
  iterator.GetNext();
  // Taken: 1. In the ring: at most 3. In the maker's hands: 1.
  while (*made < 5) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(*made, 5);
}

TEST(PrefetchTest, ErrorsComeInOrderAndReadingGoesOn) {
  const Dataset failing = Dataset::Range(4).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 1) throw Unavailable("[Read] busy");
    if (x.leaf().item<int64_t>() == 2) throw std::runtime_error("other");
    return x;
  });
  DatasetIterator iterator = failing.Prefetch(4).MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 0);
  ExpectError([&] { iterator.GetNext(); }, Code::kUnavailable, "busy");
  EXPECT_THROW(iterator.GetNext(), std::runtime_error);
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 3);
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
}

TEST(PrefetchTest, WithoutAThreadItIsAnErrorThatCostsNoElement) {
  DatasetIterator iterator = Heavy(3).Prefetch(2).MakeIterator();
  {
    const ThreadLimit limit(/*more=*/0);
    ExpectError([&] { iterator.GetNext(); }, Code::kResourceExhausted,
                "[Prefetch] wanted 1 more threads, got 0");
  }
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), i);
  }
}

TEST(PrefetchTest, MayBeLeftInTheMiddle) {
  for (int reads = 0; reads < 5; ++reads) {
    DatasetIterator iterator = Heavy(1000000).Prefetch(2).MakeIterator();
    for (int i = 0; i < reads; ++i) iterator.GetNext();
  }
}

TEST(PrefetchTest, RowsStayRows) {
  const Tensor rows = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{4, 1});
  const Dataset batches =
      Dataset::FromTensorSlices(rows).Prefetch(1).Batch(2).Prefetch(2);
  const Structure batch = batches.MakeIterator().GetNext();
  EXPECT_TRUE(batch.leaf().SharesMemoryWith(rows));
}

TEST(PrefetchTest, SpecAndCardinalityAreTheInputs) {
  const Dataset dataset = Dataset::Range(5).Batch(2).Prefetch(1);
  EXPECT_EQ(dataset.cardinality(), 3);
  EXPECT_EQ(ToString(dataset.element_spec().leaf()), "int64 (None,)");
}

}  // namespace
}  // namespace lockstep
