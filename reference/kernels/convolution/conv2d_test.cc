#include "reference/kernels/convolution/conv2d.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/error.h"
#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"
#include "reference/kernels/convolution/convolution_oracle.h"
#include "reference/kernels/testing/test_tensors.h"
#include "reference/kernels/windows.h"

namespace lockstep::kernels {
namespace {

TEST(PaddingTest, Valid) {
  EXPECT_EQ(PlaceWindows("T", 28, 3, 1, Padding::kValid), (Windows{26, 0, 0}));
  EXPECT_EQ(PlaceWindows("T", 11, 2, 2, Padding::kValid), (Windows{5, 0, 0}));
  EXPECT_EQ(PlaceWindows("T", 3, 3, 5, Padding::kValid), (Windows{1, 0, 0}));
}

TEST(PaddingTest, Same) {
  EXPECT_EQ(PlaceWindows("T", 28, 3, 1, Padding::kSame), (Windows{28, 1, 1}));
  EXPECT_EQ(PlaceWindows("T", 5, 2, 2, Padding::kSame), (Windows{3, 0, 1}));
  EXPECT_EQ(PlaceWindows("T", 6, 4, 1, Padding::kSame), (Windows{6, 1, 2}));
  EXPECT_EQ(PlaceWindows("T", 4, 1, 2, Padding::kSame), (Windows{2, 0, 0}));
  EXPECT_EQ(PlaceWindows("T", 0, 3, 2, Padding::kSame), (Windows{0, 0, 0}));
}

TEST(PaddingTest, RefusesWrongArguments) {
  EXPECT_THROW(PlaceWindows("T", 2, 3, 1, Padding::kValid), Error);
  EXPECT_THROW(PlaceWindows("T", 2, 0, 1, Padding::kValid), Error);
  EXPECT_THROW(PlaceWindows("T", 2, 1, 0, Padding::kSame), Error);
}

struct Case {
  Shape x;
  Shape filter;
  Conv2DOptions options;
};

// Batches smaller than, equal to and larger than chunks; windows with a
// remainder.
std::vector<Case> Cases() {
  constexpr Padding kSame = Padding::kSame;
  constexpr Padding kValid = Padding::kValid;
  return {
      {{1, 3, 3, 1}, {2, 2, 1, 1}, {}},
      {{64, 6, 5, 3}, {3, 3, 3, 4}, {}},
      {{19, 7, 9, 8}, {3, 3, 8, 16}, {{1, 1}, kSame, true}},
      {{5, 8, 8, 5}, {1, 1, 5, 7}, {{1, 1}, kValid, true}},
      {{9, 11, 7, 2}, {5, 3, 2, 33}, {{2, 3}, kSame, false}},
      {{3, 10, 10, 16}, {4, 2, 16, 16}, {{3, 1}, kValid, true}},
      {{2, 2, 2, 3}, {3, 3, 3, 2}, {{1, 1}, kSame, false}},
      {{10, 13, 13, 32}, {3, 3, 32, 8}, {{1, 1}, kValid, false}},
  };
}

void CheckCase(const Case& c) {
  SCOPED_TRACE(ToString(c.x) + " with " + ToString(c.filter));
  const Tensor x = SmallIntegers(c.x, 1);
  const Tensor filter = SmallIntegers(c.filter, 2);
  const Tensor bias = SmallIntegers(Shape{c.filter[3]}, 3);
  const Tensor wanted = oracle::Conv2D(x, filter, bias, c.options);
  const Tensor y = Conv2D(x, filter, bias, c.options);
  ExpectExact(y, wanted);
  const Tensor dy = SmallIntegers(y.shape(), 4);
  const auto gradients =
      oracle::Conv2DBackward(x, filter, wanted, dy, c.options);
  const auto got = Conv2DBackward(x, filter, y, dy, c.options, true);
  ExpectExact(got.x, gradients.x);
  ExpectExact(got.filter, gradients.filter);
  ExpectExact(got.bias, gradients.bias);
}

TEST(Conv2DTest, HeaderExample) {
  const Tensor x =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{1, 3, 3, 1});
  const Tensor filter =
      Tensor::FromVector<float>({1, 0, 0, 1}, Shape{2, 2, 1, 1});
  const Tensor y = Conv2D(x, filter, {}, {});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 1}));
  EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{6, 8, 12, 14}));
}

TEST(Conv2DTest, EqualsTheOracle) {
  for (const Case& c : Cases()) {
    ForEachTeam([&] { CheckCase(c); });
  }
}

TEST(Conv2DTest, InputGradientIsOptional) {
  const Tensor x = SmallIntegers(Shape{2, 4, 4, 2}, 1);
  const Tensor filter = SmallIntegers(Shape{3, 3, 2, 3}, 2);
  const Tensor dy = SmallIntegers(Shape{2, 2, 2, 3}, 3);
  const auto with = Conv2DBackward(x, filter, {}, dy, {}, true);
  const auto without = Conv2DBackward(x, filter, {}, dy, {}, false);
  EXPECT_FALSE(without.x.defined());
  EXPECT_TRUE(BitwiseEqual(with.filter, without.filter));
  EXPECT_TRUE(BitwiseEqual(with.bias, without.bias));
}

TEST(Conv2DTest, EmptyBatch) {
  ForEachTeam([] {
    const Tensor x = Tensor::Empty(Shape{0, 5, 5, 2});
    const Tensor filter = SmallIntegers(Shape{3, 3, 2, 4}, 1);
    const Tensor y = Conv2D(x, filter, {}, {});
    EXPECT_EQ(y.shape(), (Shape{0, 3, 3, 4}));
    const auto gradients = Conv2DBackward(x, filter, y, y, {}, true);
    EXPECT_EQ(gradients.x.shape(), x.shape());
    ExpectExact(gradients.filter,
                Tensor::Zeros(filter.shape(), DType::kFloat64));
    ExpectExact(gradients.bias, Tensor::Zeros(Shape{4}, DType::kFloat64));
  });
}

TEST(Conv2DTest, ReluKeepsNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::Full(Shape{1, 3, 3, 1}, nan);
  const Tensor filter = Tensor::Full(Shape{2, 2, 1, 1}, 1.0f);
  const Tensor y = Conv2D(x, filter, {}, {.relu = true});
  for (const float value : y.span<float>()) EXPECT_TRUE(std::isnan(value));
  const Tensor dy = Tensor::Full(y.shape(), 1.0f);
  const auto gradients = Conv2DBackward(x, filter, y, dy, {.relu = true}, true);
  ExpectExact(gradients.x, Tensor::Zeros(x.shape(), DType::kFloat64));
}

TEST(Conv2DTest, InfinityReachesItsWindows) {
  Tensor x = Tensor::Zeros(Shape{1, 4, 4, 1});
  x.mutable_data<float>()[0] = std::numeric_limits<float>::infinity();
  const Tensor filter = Tensor::Full(Shape{2, 2, 1, 1}, 2.0f);
  const Tensor y = Conv2D(x, filter, {}, {});
  EXPECT_TRUE(std::isinf(y.at<float>(0)));
  for (int64_t i = 1; i < y.num_elements(); ++i) EXPECT_EQ(y.at<float>(i), 0);
}

TEST(Conv2DTest, IsDeterministic) {
  const Tensor x = Fractions(Shape{21, 9, 9, 6}, 1);
  const Tensor filter = Fractions(Shape{3, 3, 6, 10}, 2);
  const Tensor alone = Conv2D(x, filter, {}, {});
  const Tensor dy = Fractions(alone.shape(), 3);
  const auto alone_gradients = Conv2DBackward(x, filter, {}, dy, {}, true);
  ForEachTeam([&] {
    EXPECT_TRUE(BitwiseEqual(Conv2D(x, filter, {}, {}), alone));
    const auto one = Conv2DBackward(x, filter, {}, dy, {}, true);
    const auto two = Conv2DBackward(x, filter, {}, dy, {}, true);
    EXPECT_TRUE(BitwiseEqual(one.filter, two.filter));
    EXPECT_TRUE(BitwiseEqual(one.bias, two.bias));
    EXPECT_TRUE(BitwiseEqual(one.x, alone_gradients.x));
  });
}

TEST(Conv2DTest, RefusesWrongArguments) {
  const Tensor x = Tensor::Zeros(Shape{1, 4, 4, 2});
  const Tensor filter = Tensor::Zeros(Shape{3, 3, 2, 5});
  ExpectInvalid([&] { Conv2D(x.Cast(DType::kFloat64), filter, {}, {}); },
                "x must be float32, got float64 (1, 4, 4, 2)");
  ExpectInvalid([&] { Conv2D(x.Reshape(Shape{32}), filter, {}, {}); },
                "x must have rank 4");
  ExpectInvalid(
      [&] {
        Conv2D(x, Tensor::Zeros(Shape{3, 3, 3, 5}), {}, {});
      },
      "filter must be of shape (None, None, 2, None)");
  ExpectInvalid(
      [&] {
        Conv2D(x, Tensor::Zeros(Shape{3, 3, 2, 0}), {}, {});
      },
      "must not be empty");
  ExpectInvalid([&] { Conv2D(x, filter, Tensor::Zeros(Shape{4}), {}); },
                "bias must be of shape (5,)");
  ExpectInvalid(
      [&] {
        Conv2D(x, Tensor::Zeros(Shape{5, 3, 2, 5}), {}, {});
      },
      "a window of 5 does not fit");
  ExpectInvalid([&] { Conv2D(x, filter, {}, {.strides = {0, 1}}); }, "stride");
  ExpectInvalid([&] { Conv2DBackward(x, filter, {}, x, {}, false); },
                "dy must be of shape (1, 2, 2, 5)");
  ExpectInvalid(
      [&] {
        const Tensor dy = Tensor::Zeros(Shape{1, 2, 2, 5});
        Conv2DBackward(x, filter, {}, dy, {.relu = true}, false);
      },
      "no tensor");
}

// <conv(x), dy> = <x, dx> = <filter, dfilter>, because both maps are linear.
RC_GTEST_PROP(Conv2DTest, BackwardIsTheTranspose, ()) {
  const auto dim = [](int low, int high) {
    return static_cast<int64_t>(*rc::gen::inRange(low, high));
  };
  const Shape x_shape{dim(1, 12), dim(4, 10), dim(4, 10), dim(1, 20)};
  const Shape filter_shape{dim(1, 5), dim(1, 5), x_shape[3], dim(1, 20)};
  Conv2DOptions options;
  options.strides = {dim(1, 3), dim(1, 3)};
  options.padding = *rc::gen::element(Padding::kValid, Padding::kSame);
  const Tensor x = SmallIntegers(x_shape, 1);
  const Tensor filter = SmallIntegers(filter_shape, 2);
  const Tensor y = Conv2D(x, filter, {}, options);
  const Tensor dy = SmallIntegers(y.shape(), 3);
  const auto gradients = Conv2DBackward(x, filter, y, dy, options, true);
  RC_ASSERT(Dot(y, dy) == Dot(x, gradients.x));
  RC_ASSERT(Dot(y, dy) == Dot(filter, gradients.filter));
}

using Options = Conv2DReluMaxPool2DOptions;

// The three steps in sequence, in double.
struct Steps {
  Conv2DOptions convolution;
  Tensor activation;
  oracle::Pooled pooled;

  Steps(const Tensor& x, const Tensor& filter, const Tensor& bias,
        const Options& options)
      : convolution{options.strides, options.padding, /*relu=*/true},
        activation(oracle::Conv2D(x, filter, bias, convolution)),
        pooled(oracle::MaxPool2D(activation, options.pool)) {}

  Conv2DGradients Backward(const Tensor& x, const Tensor& filter,
                           const Tensor& dy, const Options& options) const {
    const Tensor dactivation = oracle::MaxPool2DBackward(
        activation.shape(), pooled.argmax, dy, options.pool);
    return oracle::Conv2DBackward(
        x, filter, activation, dactivation.Cast(DType::kFloat32), convolution);
  }
};

// `got` is `wanted` (float64), rounded.
void ExpectRounded(const Tensor& got, const Tensor& wanted) {
  ExpectExact(got.Cast(DType::kFloat32),
              wanted.Cast(got.dtype()).Cast(DType::kFloat64));
}

// The inputs are exact in bfloat16, and all sums in float32.
void CheckShape(const Shape& x_shape, const Shape& filter_shape,
                const Options& options, DType dtype = DType::kFloat32) {
  SCOPED_TRACE(ToString(x_shape) + " with " + ToString(filter_shape));
  const Tensor x = SmallIntegers(x_shape, 1);
  const Tensor filter = SmallIntegers(filter_shape, 2);
  const Tensor bias = SmallIntegers(Shape{filter_shape[3]}, 3);
  const Steps steps(x, filter, bias, options);
  const Tensor typed_x = x.Cast(dtype), typed_filter = filter.Cast(dtype);
  const auto result =
      Conv2DReluMaxPool2D(typed_x, typed_filter, bias.Cast(dtype), options);
  ASSERT_EQ(result.y.dtype(), dtype);
  ExpectRounded(result.y, steps.pooled.y);
  for (int64_t i = 0; i < result.y.num_elements(); ++i) {
    const bool cut = steps.pooled.y.at<double>(i) <= 0;
    ASSERT_EQ(result.selection.at<uint8_t>(i),
              cut ? kReluCut : steps.pooled.argmax.at<int64_t>(i));
  }
  const Tensor dy = SmallIntegers(result.y.shape(), 4);
  const auto wanted = steps.Backward(x, filter, dy, options);
  for (const bool need_x : {true, false}) {
    const auto got =
        Conv2DReluMaxPool2DBackward(typed_x, typed_filter, result.selection,
                                    dy.Cast(dtype), options, need_x);
    EXPECT_EQ(got.x.defined(), need_x);
    if (need_x) ExpectRounded(got.x, wanted.x);
    ExpectRounded(got.filter, wanted.filter);
    ExpectRounded(got.bias, wanted.bias);
  }
}

TEST(Conv2DReluMaxPool2DTest, EqualsTheThreeSteps) {
  const MaxPool2DOptions same_pool{.padding = Padding::kSame};
  const std::vector<std::tuple<Shape, Shape, Options>> cases{
      // One input channel, as in a first layer.
      {{13, 28, 28, 1}, {3, 3, 1, 32}, {}},
      {{5, 8, 7, 1}, {3, 3, 1, 5}, {{1, 1}, Padding::kSame, same_pool}},
      {{3, 9, 10, 1}, {3, 3, 1, 37}, {{1, 1}, Padding::kSame, {}}},
      {{3, 9, 10, 1}, {5, 3, 1, 16}, {}},
      {{3, 9, 10, 2}, {3, 3, 2, 80}, {}},
      {{2, 13, 16, 3}, {4, 5, 3, 16}, {{2, 3}, Padding::kSame, {}}},
      {{2, 6, 6, 64}, {1, 1, 64, 16}, {}},
      {{3, 9, 10, 2}, {3, 3, 2, 20}, {}},
      // Winograd: whole, odd and padded images, channels that fill no vector.
      {{7, 13, 13, 32}, {3, 3, 32, 64}, {}},
      {{4, 8, 10, 8}, {3, 3, 8, 16}, {{1, 1}, Padding::kSame, same_pool}},
      {{3, 7, 9, 19}, {3, 3, 19, 37}, {{1, 1}, Padding::kSame, {}}},
      {{2, 4, 4, 33}, {3, 3, 33, 9}, {}},
      // Neither.
      {{9, 12, 12, 8}, {3, 3, 8, 8}, {{2, 1}, Padding::kValid, {}}},
      {{5, 9, 9, 8}, {3, 3, 8, 8}, {{1, 1}, Padding::kValid, same_pool}},
      {{5, 9, 9, 8},
       {2, 4, 8, 12},
       {{1, 1}, Padding::kSame, {{3, 3}, {2, 1}, Padding::kSame}}},
  };
  for (const auto& [x, filter, options] : cases) {
    ForEachTeam([&] {
      CheckShape(x, filter, options);
      CheckShape(x, filter, options, DType::kBFloat16);
    });
  }
}

TEST(Conv2DReluMaxPool2DTest, EqualsTheThreeStepsOnAnyInstructionSet) {
  const MaxPool2DOptions overlapping{{3, 3}, {2, 1}, Padding::kSame};
  ForEachInstructionSet([&] {
    CheckShape(Shape{3, 9, 10, 1}, Shape{3, 3, 1, 48}, {});
    CheckShape(Shape{3, 9, 10, 3}, Shape{3, 3, 3, 16},
               {{2, 1}, Padding::kSame, {}});
    CheckShape(Shape{3, 13, 13, 19}, Shape{3, 3, 19, 37}, {});
    CheckShape(Shape{2, 9, 9, 4}, Shape{2, 4, 4, 21},
               {{1, 1}, Padding::kSame, overlapping});
  });
}

RC_GTEST_PROP(Conv2DReluMaxPool2DTest, EqualsTheThreeStepsForAnyShape, ()) {
  const auto dim = [](int low, int high) {
    return static_cast<int64_t>(*rc::gen::inRange(low, high));
  };
  Options options;
  options.padding = *rc::gen::element(Padding::kValid, Padding::kSame);
  options.pool.padding = *rc::gen::element(Padding::kValid, Padding::kSame);
  const int64_t inputs = *rc::gen::element<int64_t>(1, 2, 8, 16, 21);
  CheckShape(Shape{dim(0, 12), dim(5, 12), dim(5, 12), inputs},
             Shape{3, 3, inputs, dim(1, 40)}, options);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Conv2DReluMaxPool2DTest, EmptyBatch) {
  ForEachTeam([] {
    for (const int64_t inputs : {1, 3, 16}) {
      const Tensor x = Tensor::Empty(Shape{0, 8, 8, inputs});
      const Tensor filter = SmallIntegers(Shape{3, 3, inputs, 16}, 1);
      const auto result = Conv2DReluMaxPool2D(x, filter, {}, {});
      EXPECT_EQ(result.y.shape(), (Shape{0, 3, 3, 16}));
      const auto gradients = Conv2DReluMaxPool2DBackward(
          x, filter, result.selection, result.y, {}, true);
      EXPECT_EQ(gradients.x.shape(), x.shape());
      ExpectExact(gradients.filter,
                  Tensor::Zeros(filter.shape(), DType::kFloat64));
      ExpectExact(gradients.bias, Tensor::Zeros(Shape{16}, DType::kFloat64));
    }
  });
}

// The error of a sum of 9 * inputs products of numbers below 1 is at most about
// that many half units in the last place; Winograd's transforms add a few more.
TEST(Conv2DReluMaxPool2DTest, RoundingErrorIsSmall) {
  for (const int64_t inputs : {1, 3, 32}) {
    const Tensor x = Fractions(Shape{4, 13, 13, inputs}, 1);
    const Tensor filter = Fractions(Shape{3, 3, inputs, 24}, 2);
    const Tensor bias = Fractions(Shape{24}, 3);
    const auto result = Conv2DReluMaxPool2D(x, filter, bias, {});
    const Steps steps(x, filter, bias, {});
    const double terms = 9.0 * static_cast<double>(inputs) + 16;
    ExpectNear(result.y, steps.pooled.y, terms * terms * 0x1p-24);
  }
}

TEST(Conv2DReluMaxPool2DTest, BitsDoNotDependOnTheTeam) {
  for (const int64_t inputs : {1, 3, 24}) {
    const Tensor x = Fractions(Shape{11, 12, 12, inputs}, 1);
    const Tensor filter = Fractions(Shape{3, 3, inputs, 20}, 2);
    const auto alone = Conv2DReluMaxPool2D(x, filter, {}, {});
    const Tensor dy = Fractions(alone.y.shape(), 3);
    const auto backward = [&] {
      return Conv2DReluMaxPool2DBackward(x, filter, alone.selection, dy, {},
                                         true);
    };
    const auto alone_gradients = backward();
    ForEachTeam([&] {
      const auto result = Conv2DReluMaxPool2D(x, filter, {}, {});
      EXPECT_TRUE(BitwiseEqual(result.y, alone.y));
      EXPECT_TRUE(BitwiseEqual(result.selection, alone.selection));
      const auto one = backward();
      const auto two = backward();
      EXPECT_TRUE(BitwiseEqual(one.x, alone_gradients.x));
      EXPECT_TRUE(BitwiseEqual(one.filter, two.filter));
      EXPECT_TRUE(BitwiseEqual(one.bias, two.bias));
    });
  }
}

// A window with a NaN must give NaN; its neighbours may too.
TEST(Conv2DReluMaxPool2DTest, NaNStaysWithoutAGradient) {
  for (const int64_t inputs : {1, 3, 16}) {
    Tensor x = Tensor::Zeros(Shape{1, 6, 6, inputs});
    x.mutable_data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    const Tensor filter = Tensor::Full(Shape{3, 3, inputs, 8}, 1.0f);
    const auto result = Conv2DReluMaxPool2D(x, filter, {}, {});
    for (int64_t c = 0; c < 8; ++c) {
      EXPECT_TRUE(std::isnan(result.y.at<float>(c)));
      EXPECT_EQ(result.selection.at<uint8_t>(c), kReluCut);
    }
    EXPECT_EQ(result.y.at<float>(3 * 8), 0) << "the last window is far away";
  }
}

TEST(Conv2DReluMaxPool2DTest, RefusesWrongArguments) {
  const Tensor x = Tensor::Zeros(Shape{1, 20, 20, 2});
  const Tensor filter = Tensor::Zeros(Shape{3, 3, 2, 4});
  ExpectInvalid([&] { Conv2DReluMaxPool2D(x, x, {}, {}); }, "filter must be");
  ExpectInvalid(
      [&] {
        Conv2DReluMaxPool2D(x, filter, {}, {.pool = {.pool = {16, 16}}});
      },
      "255 elements, got 16 x 16");
  ExpectInvalid(
      [&] { Conv2DReluMaxPool2D(x, filter, Tensor::Zeros(Shape{3}), {}); },
      "bias must be of shape (4,)");
  const auto result = Conv2DReluMaxPool2D(x, filter, {}, {});
  ExpectInvalid(
      [&] {
        Conv2DReluMaxPool2DBackward(x, filter, result.y, result.y, {}, true);
      },
      "selection must be uint8");
  ExpectInvalid(
      [&] {
        Conv2DReluMaxPool2DBackward(x, filter, result.selection, x, {}, true);
      },
      "dy must be of shape (1, 9, 9, 4)");
}

}  // namespace
}  // namespace lockstep::kernels
