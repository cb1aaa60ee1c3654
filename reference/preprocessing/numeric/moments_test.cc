#include "reference/preprocessing/numeric/moments.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

using DoubleList = std::vector<double>;

TEST(MomentsTest, ColumnsByHand) {
  Moments a(2), b(2);
  a.Add(std::array{1.0f, 10.0f, 3.0f, 20.0f});
  EXPECT_EQ(a.mean(), (DoubleList{2, 15}));
  EXPECT_EQ(a.squared_deviations(), (DoubleList{2, 50}));
  b.Add(std::array{5.0f, 30.0f, 7.0f, 40.0f});
  a.Merge(b);
  EXPECT_EQ(a.count(), 4);
  EXPECT_EQ(a.mean(), (DoubleList{4, 25}));
  EXPECT_EQ(a.Variance(), (DoubleList{5, 125}));
}

TEST(MomentsTest, NoRows) {
  Moments none(1), some(1);
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.Variance(), DoubleList{0});
  none.Add(std::span<const float>());
  some.Add(std::array{1.0, 5.0});
  some.Merge(none);
  none.Merge(some);
  for (const Moments& moments : {some, none}) {
    EXPECT_EQ(moments.count(), 2);
    EXPECT_EQ(moments.mean(), DoubleList{3});
    EXPECT_EQ(moments.Variance(), DoubleList{4});
  }
}

// 0, 1, 2, ..., so that column c of n rows has mean c + columns * (n - 1) / 2
// and variance columns^2 * (n^2 - 1) / 12.
std::vector<float> Counting(int64_t size) {
  std::vector<float> numbers(size);
  for (int64_t i = 0; i < size; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

TEST(MomentsTest, AnyNumberOfColumnsAndRows) {
  for (const int64_t columns : {1, 3, 7, 8, 12, 63, 64, 65, 200}) {
    for (const int64_t rows : {1, 2, 9, 1000, 5001}) {
      Moments moments(columns);
      moments.Add(Counting(columns * rows));
      EXPECT_EQ(moments.count(), rows);
      const double n = static_cast<double>(rows);
      const double width = static_cast<double>(columns);
      const double variance = width * width * (n * n - 1) / 12;
      for (int64_t c = 0; c < columns; ++c) {
        const double mean = static_cast<double>(c) + width * (n - 1) / 2;
        ASSERT_NEAR(moments.mean()[c], mean, 1e-9 * (1 + mean));
        ASSERT_NEAR(moments.Variance()[c], variance, 1e-9 * variance);
      }
    }
  }
}

TEST(MomentsTest, KeepsTheDigitsOfSmallDeviations) {
  // The squares of these numbers need 60 bits.
  Moments moments(1);
  const double big = 1 << 30;
  moments.Add(std::array{big, big + 1, big + 2, big + 3});
  EXPECT_EQ(moments.mean(), DoubleList{big + 1.5});
  EXPECT_EQ(moments.Variance(), DoubleList{1.25});
}

RC_GTEST_PROP(MomentsTest, PartsGiveTheMomentsOfTheWhole,
              (std::vector<int8_t> numbers, uint8_t cut)) {
  const std::vector<double> all(numbers.begin(), numbers.end());
  const size_t at = all.empty() ? 0 : cut % all.size();
  const std::span<const double> data(all);
  Moments whole(1), first(1), second(1);
  whole.Add(data);
  first.Add(data.first(at));
  second.Add(data.subspan(at));
  first.Merge(Moments::FromParts(second.count(), second.mean(),
                                 second.squared_deviations()));
  RC_ASSERT(first.count() == whole.count());
  RC_ASSERT(std::abs(first.mean()[0] - whole.mean()[0]) < 1e-9);
  RC_ASSERT(std::abs(first.Variance()[0] - whole.Variance()[0]) < 1e-9);
}

TEST(MomentsTest, RefusesWrongSizes) {
  EXPECT_EQ(CodeOf([] { Moments(0); }), Code::kInvalidArgument);
  Moments two(2);
  ExpectError(
      [&] {
        two.Add(std::array{1.0f, 2.0f, 3.0f});
      },
      Code::kInvalidArgument, "3 numbers are not whole rows of 2");
  ExpectError([&] { two.Merge(Moments(3)); }, Code::kInvalidArgument,
              "cannot merge 3 columns with 2");
  EXPECT_EQ(CodeOf([] {
              Moments::FromParts(1, {1, 2}, {1});
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Moments::FromParts(-1, {1}, {1}); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Moments::FromParts(1, {}, {}); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
