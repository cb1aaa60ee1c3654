#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "reference/base/failing_system_calls.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/prefetch_reader.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

// As Range, but made by a function: elements are not rows of a table.
TEST(BatchTest, StacksAndKeepsAShortLastBatch) {
  const Texts expected = {"[0, 1, 2, 3]", "[4, 5]"};
  EXPECT_EQ(ReadAll(Dataset::Range(6).Batch(4)), expected);
  EXPECT_EQ(ReadAll(Generated(6).Batch(4)), expected);
}

TEST(BatchTest, DropsTheRemainderWhenAsked) {
  EXPECT_EQ(ReadAll(Dataset::Range(6).Batch(4, true)), Texts{"[0, 1, 2, 3]"});
  EXPECT_EQ(ReadAll(Generated(6).Batch(4, true)), Texts{"[0, 1, 2, 3]"});
  EXPECT_EQ(ReadAll(Dataset::Range(3).Batch(4, true)), Texts{});
}

TEST(BatchTest, StaysAtTheEnd) {
  DatasetIterator iterator = Dataset::Range(1).Batch(2).MakeIterator();
  iterator.GetNext();
  Structure element;
  EXPECT_FALSE(iterator.Next(&element));
  EXPECT_FALSE(iterator.Next(&element));
}

TEST(BatchTest, OfNothingIsNothing) {
  EXPECT_EQ(ReadAll(Dataset::Range(0).Batch(4)), Texts{});
}

TEST(BatchTest, AllowsMoreThanTheDataset) {
  EXPECT_EQ(ReadAll(Dataset::Range(3).Batch(int64_t{1} << 60)),
            Texts{"[0, 1, 2]"});
  EXPECT_EQ(ReadAll(Generated(3).Batch(int64_t{1} << 60)), Texts{"[0, 1, 2]"});
}

TEST(BatchTest, ReadsRowsInSeveralSteps) {
  const Dataset one = Dataset::Range(10000).Shuffle(10000, 1).Batch(9000);
  DatasetIterator iterator = one.MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().dim(0), 9000);
  EXPECT_EQ(iterator.GetNext().leaf().dim(0), 1000);
}

TEST(BatchTest, OfBatchesAddsAnAxis) {
  EXPECT_EQ(ReadAll(Dataset::Range(4).Batch(2).Batch(2)),
            Texts{"[[0, 1], [2, 3]]"});
}

TEST(BatchTest, SpecHasSizeOnlyWithoutRemainder) {
  EXPECT_EQ(ToString(Dataset::Range(9).Batch(4).element_spec().leaf()),
            "int64 (None,)");
  EXPECT_EQ(ToString(Dataset::Range(9).Batch(4, true).element_spec().leaf()),
            "int64 (4,)");
}

TEST(BatchTest, CardinalityRoundsUpOrDown) {
  EXPECT_EQ(Dataset::Range(9).Batch(4).cardinality(), 3);
  EXPECT_EQ(Dataset::Range(8).Batch(4).cardinality(), 2);
  EXPECT_EQ(Dataset::Range(9).Batch(4, true).cardinality(), 2);
  EXPECT_EQ(Dataset::Range(9).Repeat().Batch(4).cardinality(),
            kInfiniteCardinality);
}

TEST(BatchTest, NeighbouringRowsAreAView) {
  const Tensor rows = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{4, 1});
  const Dataset source = Dataset::FromTensorSlices(rows);
  const Structure view = source.Batch(3).MakeIterator().GetNext();
  EXPECT_TRUE(view.leaf().SharesMemoryWith(rows));
  const Structure copy = source.Shard(2, 1).Batch(2).MakeIterator().GetNext();
  EXPECT_FALSE(copy.leaf().SharesMemoryWith(rows));
  EXPECT_EQ(ToText(copy), "[[2], [4]]");
}

TEST(BatchTest, RefusesUnlikeElementsAndContinues) {
  Dataset uneven = Dataset::Range(4).Map([](const Structure& x) -> Structure {
    return Tensor::Zeros(Shape{x.leaf().item<int64_t>() == 1 ? 2 : 1});
  });
  DatasetIterator iterator = uneven.Batch(2).MakeIterator();
  ExpectError([&] { iterator.GetNext(); }, Code::kInvalidArgument,
              "[Batch] elements of one batch must match: in component 0 the "
              "first is float32 (1,), element 1 is float32 (2,)");
  EXPECT_EQ(ToText(iterator.GetNext()), "[[0], [0]]");
}

TEST(BatchTest, SizeMustBePositive) {
  ExpectError([] { Dataset::Range(4).Batch(0); }, Code::kInvalidArgument,
              "[Batch] batch size must be positive, got 0");
  ExpectError([] { Dataset::Range(4).Batch(-2); }, Code::kInvalidArgument,
              "got -2");
}

TEST(UnbatchTest, RowsBecomeElements) {
  const Dataset rows = Dataset::Range(5).Batch(2).Unbatch();
  EXPECT_EQ(ReadAll(rows), (Texts{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(ToString(rows.element_spec().leaf()), "int64 ()");
  EXPECT_EQ(rows.cardinality(), kUnknownCardinality);
}

TEST(UnbatchTest, EmptyElementsGiveNothing) {
  const Dataset empty =
      Dataset::FromTensors(Tensor::Empty(Shape{0, 3})).Repeat(2).Unbatch();
  EXPECT_EQ(ReadAll(empty), Texts{});
}

TEST(UnbatchTest, RefusesScalarsAndUnequalLeaves) {
  ExpectError([] { Dataset::Range(5).Unbatch().element_spec(); },
              Code::kInvalidArgument, "[Unbatch] a scalar has no rows");
  ExpectError([] { Dataset::Range(5).Unbatch().MakeIterator().GetNext(); },
              Code::kInvalidArgument, "[Unbatch] all components need");
  const Dataset unequal = Dataset::FromTensors(
      Structure::Tuple({Tensor::Zeros(Shape{2}), Tensor::Zeros(Shape{3})}));
  ExpectError([&] { unequal.Unbatch().MakeIterator().GetNext(); },
              Code::kInvalidArgument, "(float32 (2,), float32 (3,))");
}

// Elements [0], [1, 1], [2, 2, 2] ...: element i is i repeated i + 1 times.
Dataset Growing(int64_t count) {
  return Dataset::Range(count).Map([](const Structure& x) -> Structure {
    const int64_t i = x.leaf().item<int64_t>();
    return Tensor::Full<int64_t>(Shape{i + 1}, i);
  });
}

TEST(PaddedBatchTest, PadsToTheLongestOfTheBatch) {
  EXPECT_EQ(ReadAll(Growing(3).PaddedBatch(2, -1)),
            (Texts{"[[0, -1], [1, 1]]", "[[2, 2, 2]]"}));
  EXPECT_EQ(ReadAll(Growing(3).PaddedBatch(2, 0, true)),
            Texts{"[[0, 0], [1, 1]]"});
}

TEST(PaddedBatchTest, PadsEveryAxis) {
  const Dataset squares = Dataset::Range(2).Map([](const Structure& x) {
    const int64_t side = x.leaf().item<int64_t>() + 1;
    return Structure(Tensor::Full<float>(Shape{side, side}, 7));
  });
  EXPECT_EQ(ReadAll(squares.PaddedBatch(2)),
            Texts{"[[[7, 0], [0, 0]], [[7, 7], [7, 7]]]"});
}

TEST(PaddedBatchTest, EqualElementsNeedNoPadding) {
  EXPECT_EQ(ReadAll(Dataset::Range(3).PaddedBatch(2)),
            (Texts{"[0, 1]", "[2]"}));
}

TEST(PaddedBatchTest, ErrorsAreTyped) {
  ExpectError([] { Growing(3).PaddedBatch(0); }, Code::kInvalidArgument,
              "[PaddedBatch] batch size must be positive, got 0");
  const Dataset words = Growing(2).Map([](const Structure& x) -> Structure {
    return Tensor::Empty(x.leaf().shape(), DType::kString);
  });
  ExpectError([&] { words.PaddedBatch(2).MakeIterator().GetNext(); },
              Code::kInvalidArgument, "[PaddedBatch] strings");
  const Dataset ranks = Dataset::Range(2).Map([](const Structure& x) {
    return x.leaf().item<int64_t>() == 0
               ? x
               : Structure(x.leaf().Reshape(Shape{1}));
  });
  ExpectError([&] { ranks.PaddedBatch(2).MakeIterator().GetNext(); },
              Code::kInvalidArgument, "[PaddedBatch] int64 () and int64 (1,)");
}

TEST(PaddedBatchTest, RefusesPaddingOutOfRange) {
  const auto first = [](const Dataset& dataset) {
    dataset.MakeIterator().GetNext();
  };
  ExpectError([&] { first(Growing(2).PaddedBatch(2, 2.5)); },
              Code::kInvalidArgument,
              "[PaddedBatch] int64 cannot be padded by 2.5");
  const Dataset bytes = Growing(2).Map([](const Structure& x) -> Structure {
    return x.leaf().Cast(DType::kUInt8);
  });
  for (const double padding : {-1.0, 256.0, std::nan("")}) {
    ExpectError([&] { first(bytes.PaddedBatch(2, padding)); },
                Code::kInvalidArgument, "[PaddedBatch] uint8 cannot be padded");
  }
  EXPECT_EQ(ReadAll(bytes.PaddedBatch(2, 255)), Texts{"[[0, 255], [1, 1]]"});
}

TEST(PaddedBatchTest, SpecAndCardinality) {
  const SpecStructure row = TensorSpec{Shape{kUnknownDim}, DType::kInt64};
  const Dataset rows =
      Dataset::Range(5).Map([](const Structure& x) { return x; }, row);
  EXPECT_EQ(ToString(rows.PaddedBatch(2).element_spec().leaf()),
            "int64 (None, None)");
  EXPECT_EQ(rows.PaddedBatch(2).cardinality(), 3);
}

}  // namespace
}  // namespace lockstep

namespace lockstep::data_internal {
namespace {

TEST(RingTest, KeepsOrderForAnyCapacity) {
  constexpr int kItems = 20000;
  for (const uint32_t capacity : {1u, 2u, 3u, 64u}) {
    Ring<int> ring(capacity);
    std::thread maker([&] {
      for (int i = 0; i < kItems; ++i) ring.Push(i);
      ring.CloseByMaker();
    });
    int value = -1;
    for (int i = 0; i < kItems; ++i) {
      ASSERT_TRUE(ring.Pop(&value));
      ASSERT_EQ(value, i);
    }
    EXPECT_FALSE(ring.Pop(&value));
    EXPECT_FALSE(ring.Pop(&value));
    maker.join();
  }
}

TEST(RingTest, MakerCloseKeepsItems) {
  Ring<int> ring(2);
  ring.Push(7);
  ring.CloseByMaker();
  int value = 0;
  EXPECT_TRUE(ring.Pop(&value));
  EXPECT_EQ(value, 7);
  EXPECT_FALSE(ring.Pop(&value));
}

TEST(RingTest, TakerCloseWakesMaker) {
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

TEST(RingTest, ARingStaysFull) {
  Ring<int> ring(4);
  std::atomic<int> pushed{0};
  std::thread maker([&] {
    for (int i = 0; i < 5; ++i) {
      ring.Push(i);
      ++pushed;
    }
  });
  while (pushed < 4) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it sleeps
  int value = 0;
  ring.Pop(&value);
  while (pushed < 5) std::this_thread::yield();
  maker.join();
}

TEST(RingTest, ARingThatIsHalfEmptyWakesMaker) {
  Ring<int> ring(4, Refill::kAtHalf);
  std::atomic<int> pushed{0};
  std::thread maker([&] {
    for (int i = 0; i < 8; ++i) {
      ring.Push(i);
      ++pushed;
    }
  });
  while (pushed < 4) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it sleeps
  int value = 0;
  ring.Pop(&value);
  ring.Pop(&value);
  while (pushed < 6) std::this_thread::yield();
  for (int i = 2; i < 8; ++i) {
    EXPECT_TRUE(ring.Pop(&value));
    EXPECT_EQ(value, i);
  }
  maker.join();
}

TEST(RingTest, PushWakesTaker) {
  Ring<int> ring(1);
  int value = 0;
  std::thread taker([&] { ring.Pop(&value); });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ring.Push(5);
  taker.join();
  EXPECT_EQ(value, 5);
}

TEST(RingTest, ReleasesTakenItems) {
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

// A map, so that the pipeline is not light and Prefetch uses a thread.
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

TEST(PrefetchTest, UserFunctionsRunOnItsThread) {
  EXPECT_NE(MakerOf(Dataset::Range(1)), std::this_thread::get_id());
}

TEST(PrefetchTest, MakesAtMostTheBufferAhead) {
  auto made = std::make_shared<std::atomic<int>>(0);
  const Dataset counted = Dataset::Range(100).Map([made](const Structure& x) {
    ++*made;
    return x;
  });
  DatasetIterator iterator = counted.Prefetch(3).MakeIterator();
  EXPECT_EQ(*made, 0);  // nothing runs before the first read
  iterator.GetNext();
  // Taken: 1. In the ring: at most 3. Held by the maker: 1.
  while (*made < 5) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(*made, 5);
}

TEST(PrefetchTest, ErrorsKeepTheirPlace) {
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

TEST(PrefetchTest, MissingThreadCostsNoElement) {
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

TEST(PrefetchTest, MayStopEarly) {
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
