#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "reference/base/thread_limit.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

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
