#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

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

}  // namespace
}  // namespace lockstep
