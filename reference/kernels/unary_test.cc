#include "reference/kernels/unary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(UnaryTest, CheapOnesOnEveryTypeAndInstructionSet) {
  const auto check = []<typename T>(T) {
    // Long enough for whole vectors and a rest.
    std::vector<T> x, negative, positive, square, sign;
    for (int i = -20; i < 21; ++i) {
      x.push_back(static_cast<T>(i));
      negative.push_back(static_cast<T>(-i));
      positive.push_back(static_cast<T>(i < 0 ? -i : i));
      square.push_back(static_cast<T>(i * i));
      sign.push_back(static_cast<T>((i > 0) - (i < 0)));
    }
    const Tensor tensor = Tensor::FromVector<T>(x);
    EXPECT_EQ(Negate(tensor).template ToVector<T>(), negative);
    EXPECT_EQ(Abs(tensor).template ToVector<T>(), positive);
    EXPECT_EQ(Square(tensor).template ToVector<T>(), square);
    EXPECT_EQ(Sign(tensor).template ToVector<T>(), sign);
  };
  ForEachInstructionSet([&] {
    check(float{});
    check(double{});
    check(int32_t{});
    check(int64_t{});
  });
}

TEST(UnaryTest, SmallestIntegerWraps) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Negate(Tensor::Scalar(least)).item<int64_t>(), least);
  EXPECT_EQ(Abs(Tensor::Scalar(least)).item<int64_t>(), least);
}

TEST(UnaryTest, SignOfNaNIsNaN) {
  EXPECT_TRUE(std::isnan(Sign(Tensor::Scalar(std::nanf(""))).item<float>()));
}

TEST(UnaryTest, RootsAreCorrectlyRounded) {
  const Tensor x = Tensor::FromVector<float>({0, 1, 2, 4, 9, -1});
  const Tensor y = Sqrt(x);
  EXPECT_EQ(y.at<float>(2), 1.41421354f);
  EXPECT_EQ(y.at<float>(4), 3);
  EXPECT_TRUE(std::isnan(y.at<float>(5)));
}

TEST(UnaryTest, MathAtKnownPoints) {
  const Tensor x = Tensor::FromVector<double>({0, 1});
  EXPECT_DOUBLE_EQ(Exp(x).at<double>(1), 2.718281828459045);
  EXPECT_EQ(Log(x).at<double>(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(Log(x).at<double>(1), 0);
  EXPECT_EQ(Sigmoid(x).at<double>(0), 0.5);
  EXPECT_DOUBLE_EQ(Sigmoid(x).at<double>(1), 0.7310585786300049);
  EXPECT_DOUBLE_EQ(Tanh(x).at<double>(1), 0.7615941559557649);
}

TEST(UnaryTest, SigmoidNeverOverflows) {
  const Tensor y = Sigmoid(Tensor::FromVector<float>({-1000, 1000}));
  EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{0, 1}));
}

TEST(UnaryTest, EveryTeamGivesTheSame) {
  const Tensor x = Fractions(Shape{40000}, 1);
  const Tensor exp = Exp(x);
  const Tensor square = Square(x);
  ForEachTeam([&] {
    EXPECT_TRUE(BitwiseEqual(Exp(x), exp));
    EXPECT_TRUE(BitwiseEqual(Square(x), square));
  });
}

TEST(UnaryTest, RefusesOtherTypes) {
  const Tensor integers = Tensor::Zeros(Shape{2}, DType::kInt32);
  ExpectInvalid([&] { Sqrt(integers); }, "[Sqrt] x must be float32 or float64");
  ExpectInvalid([&] { Exp(integers); }, "[Exp]");
  ExpectInvalid([&] { Negate(integers.Cast(DType::kUInt8)); }, "got uint8");
}

}  // namespace
}  // namespace lockstep::kernels
