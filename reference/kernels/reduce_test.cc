#include "reference/kernels/reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

Tensor Cube() {  // 0..23 as [2, 3, 4]
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 24; ++i) values.push_back(i);
  return Tensor::FromVector<int64_t>(values, Shape{2, 3, 4});
}

TEST(ReduceTest, SumsOverAnyAxes) {
  const Tensor x = Cube();
  using Wanted = std::vector<int64_t>;
  EXPECT_EQ(ReduceSum(x).item<int64_t>(), 276);
  EXPECT_EQ(ReduceSum(x, std::array{0}).ToVector<int64_t>(),
            (Wanted{12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34}));
  EXPECT_EQ(ReduceSum(x, std::array{2}).ToVector<int64_t>(),
            (Wanted{6, 22, 38, 54, 70, 86}));
  EXPECT_EQ(ReduceSum(x, std::array{0, 2}).ToVector<int64_t>(),
            (Wanted{60, 92, 124}));
  EXPECT_EQ(ReduceSum(x, std::array{-2}).ToVector<int64_t>(),
            (Wanted{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(ReduceSum(x, std::span<const int>()).ToVector<int64_t>(),
            x.ToVector<int64_t>());
}

TEST(ReduceTest, KeptDimensionsAreOne) {
  const Tensor x = Cube();
  EXPECT_EQ(ReduceSum(x, std::array{0, 2}, true).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(ReduceSum(x, std::array{0, 1, 2}, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(ReduceSum(x).shape(), Shape{});
}

TEST(ReduceTest, MeansOfIntegersAreFloat64) {
  const Tensor x = Tensor::FromVector<int32_t>({1, 2, 4, 5}, Shape{2, 2});
  EXPECT_EQ(ReduceMean(x).item<double>(), 3);
  EXPECT_EQ(ReduceMean(x, std::array{1}).ToVector<double>(),
            (std::vector<double>{1.5, 4.5}));
  EXPECT_EQ(ReduceMean(Tensor::FromVector<float>({1, 2})).item<float>(), 1.5);
}

TEST(ReduceTest, FloatSumsRoundOnce) {
  // One after another in float32 the ones would all vanish.
  std::vector<float> values(1001, 1.0f);
  values[0] = 0x1p24f;
  const Tensor x = Tensor::FromVector<float>(values);
  EXPECT_EQ(ReduceSum(x).item<float>(), 0x1p24f + 1000);
  EXPECT_EQ(ReduceSum(x.Reshape(Shape{1001, 1}), std::array{0}).at<float>(0),
            0x1p24f + 1000);
}

TEST(ReduceTest, TeamsGiveTheSameBits) {
  const Tensor x = Fractions(Shape{100003}, 1).Cast(DType::kFloat64);
  const Tensor alone = ReduceSum(x);
  ForEachTeam([&] { EXPECT_TRUE(BitwiseEqual(ReduceSum(x), alone)); });
}

TEST(ReduceTest, NothingSumsToZeroAndHasNoMean) {
  const Tensor x = Tensor::Empty(Shape{0, 3});
  EXPECT_EQ(ReduceSum(x).item<float>(), 0);
  EXPECT_TRUE(std::isnan(ReduceMean(x).item<float>()));
  EXPECT_EQ(ReduceSum(x, std::array{0}).ToVector<float>(),
            (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(ReduceSum(x, std::array{1}).shape(), (Shape{0}));
  EXPECT_TRUE(std::isnan(
      ReduceMean(x.Cast(DType::kInt64), std::array{0}).at<double>(2)));
}

TEST(ReduceTest, IntegersWrapAround) {
  const Tensor x = Tensor::Full<int32_t>(Shape{2}, 1 << 30);
  EXPECT_EQ(ReduceSum(x).item<int32_t>(), -(1 << 30) * 2);
}

TEST(ReduceTest, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Zeros(Shape{2, 2});
  ExpectInvalid([&] { ReduceSum(x, std::array{2}); },
                "[ReduceSum] axis 2 does not exist in rank 2");
  ExpectInvalid([&] { ReduceMean(x, std::array{0, -2}); }, "named twice");
  ExpectInvalid([&] { ReduceSum(x.Cast(DType::kBool)); }, "got bool");
  ExpectInvalid([&] { ReduceMean(Tensor()); }, "no tensor");
}

}  // namespace
}  // namespace lockstep::kernels
