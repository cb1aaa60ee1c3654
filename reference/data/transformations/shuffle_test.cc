// Orders are those of tf.data.Dataset.shuffle in TensorFlow 2.21, where a test
// says nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

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

TEST(ShuffleTest, OrdersAreThoseOfTensorFlow) {
  const Dataset whole = Dataset::Range(10).Shuffle(10, 42);
  EXPECT_EQ(ReadNumbers(whole), (Numbers{5, 9, 6, 4, 7, 1, 2, 8, 3, 0}));
  EXPECT_EQ(ReadNumbers(whole), (Numbers{3, 7, 6, 5, 8, 4, 0, 1, 9, 2}));
  const Dataset part = Dataset::Range(10).Shuffle(3, 42);
  EXPECT_EQ(ReadNumbers(part), (Numbers{0, 3, 4, 2, 1, 5, 8, 6, 7, 9}));
  EXPECT_EQ(ReadNumbers(part), (Numbers{0, 1, 4, 2, 5, 7, 8, 3, 9, 6}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(20).Shuffle(7, 5)),
            (Numbers{2, 6, 5,  0, 4,  10, 12, 13, 14, 3,
                     1, 8, 15, 9, 16, 17, 11, 19, 18, 7}));
}

TEST(ShuffleTest, OrderWithoutReshufflingIsTensorFlows) {
  const Dataset fixed = Dataset::Range(10).Shuffle(10, 42, false);
  const Numbers expected = {2, 0, 7, 8, 9, 3, 6, 4, 1, 5};
  EXPECT_EQ(ReadNumbers(fixed), expected);
  EXPECT_EQ(ReadNumbers(fixed), expected);
  EXPECT_EQ(ReadNumbers(Dataset::Range(10).Shuffle(3, 42, false)),
            (Numbers{2, 0, 3, 4, 6, 7, 1, 9, 5, 8}));
}

TEST(ShuffleTest, RepeatedOrdersAreTensorFlows) {
  const Dataset repeated = Dataset::Range(6).Shuffle(6, 42).Repeat(2);
  EXPECT_EQ(ReadNumbers(repeated),
            (Numbers{3, 2, 1, 4, 5, 0, 3, 5, 2, 4, 0, 1}));
  EXPECT_EQ(ReadNumbers(repeated),
            (Numbers{0, 1, 5, 2, 3, 4, 2, 4, 0, 3, 5, 1}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(6).Repeat(2).Shuffle(6, 42)),
            (Numbers{3, 0, 4, 1, 0, 5, 2, 3, 1, 2, 4, 5}));
}

TEST(ShuffleTest, OneShuffleReadTwiceHasTwoOrdersAsTensorFlows) {
  const Dataset numbers = Dataset::Range(6).Shuffle(6, 42);
  const Dataset pairs = Dataset::Zip({numbers, numbers});
  EXPECT_EQ(ReadAll(pairs),
            (std::vector<std::string>{"(3, 3)", "(2, 5)", "(1, 2)", "(4, 4)",
                                      "(5, 0)", "(0, 1)"}));
  EXPECT_EQ(ReadAll(pairs),
            (std::vector<std::string>{"(0, 2)", "(1, 4)", "(5, 0)", "(2, 3)",
                                      "(3, 5)", "(4, 1)"}));
}

TEST(ShuffleTest, LargeBuffersAreTensorFlows) {
  const Dataset shuffled = Dataset::Range(3000).Shuffle(2000, 42);
  ReadNumbers(shuffled);
  const Numbers second = ReadNumbers(shuffled);
  EXPECT_EQ(Numbers(second.begin(), second.begin() + 5),
            (Numbers{1363, 500, 1102, 635, 528}));
  EXPECT_EQ(Numbers(second.end() - 5, second.end()),
            (Numbers{2495, 2806, 2995, 1471, 1640}));
}

TEST(ShuffleTest, SeedsAreReducedAsTensorFlows) {
  const auto first = [](int64_t seed) {
    return ReadNumbers(Dataset::Range(10).Shuffle(10, seed));
  };
  EXPECT_EQ(first(-1), (Numbers{8, 3, 7, 5, 6, 2, 1, 0, 9, 4}));
  EXPECT_EQ(first(2147483646), first(-1));
  EXPECT_EQ(first(2147483647), (Numbers{2, 0, 1, 4, 5, 6, 9, 7, 8, 3}));
  EXPECT_EQ(first(0), first(2147483647));
}

TEST(ShuffleTest, YieldsEveryElementOnceForAnyBuffer) {
  for (const int64_t n : {0, 1, 5, 1000, 1025, 3000}) {
    for (const int64_t buffer : {1, 2, 7, 1024, 100000}) {
      const Numbers read = ReadNumbers(Dataset::Range(n).Shuffle(buffer, 1));
      EXPECT_EQ(Sorted(read), UpTo(n)) << n << " " << buffer;
    }
  }
}

TEST(ShuffleTest, BufferOfOneKeepsTheOrder) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(3000).Shuffle(1, 1)), UpTo(3000));
}

TEST(ShuffleTest, MovesElementsUpByAtMostTheBuffer) {
  const Numbers read = ReadNumbers(Dataset::Range(500).Shuffle(10, 1));
  for (int64_t i = 0; i < 500; ++i) EXPECT_LT(read[i], i + 10);
  EXPECT_NE(read, UpTo(500));
}

TEST(ShuffleTest, ReshufflesEachPassBySeed) {
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

TEST(ShuffleTest, RowsAndElementsHaveTheSameOrder) {
  const Dataset elements =
      Dataset::Range(3000).Map([](const Structure& x) { return x; });
  EXPECT_EQ(ReadNumbers(Dataset::Range(3000).Shuffle(50, 7)),
            ReadNumbers(elements.Shuffle(50, 7)));
}

TEST(ShuffleTest, OrdersAreEquallyLikely) {
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

TEST(ShuffleTest, ErrorCostsOneElement) {
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
