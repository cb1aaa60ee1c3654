#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/kernels/convolution/convolution_oracle.h"
#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Options = Conv2DReluMaxPool2DOptions;

// The three steps one after another, in double.
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

// `got` is what `wanted` (float64) rounds to.
void ExpectRounded(const Tensor& got, const Tensor& wanted) {
  ExpectExact(got.Cast(DType::kFloat32),
              wanted.Cast(got.dtype()).Cast(DType::kFloat64));
}

// The numbers are such that bfloat16 has all that go in, and float32 all sums.
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

TEST(Conv2DReluMaxPool2DTest, EqualsTheThreeStepsForEveryTeam) {
  const MaxPool2DOptions same_pool{.padding = Padding::kSame};
  const std::vector<std::tuple<Shape, Shape, Options>> cases{
      // One input channel, as the first layer has it.
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

TEST(Conv2DReluMaxPool2DTest, EqualsTheThreeStepsOnEveryInstructionSet) {
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

TEST(Conv2DReluMaxPool2DTest, EmptyBatchGivesZeroGradients) {
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

// Each kernel's own rounding: sums of 9 * inputs products of numbers below 1
// err by at most about that many half units of their magnitude; Winograd's
// transforms add a few more.
TEST(Conv2DReluMaxPool2DTest, RoundingStaysSmall) {
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

TEST(Conv2DReluMaxPool2DTest, TeamChangesNoBitOfOutputsAndInputGradients) {
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

// A NaN must not vanish: a window that holds one is NaN (neighbours may be).
TEST(Conv2DReluMaxPool2DTest, NaNStaysVisibleAndPassesNoGradient) {
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

TEST(Conv2DReluMaxPool2DTest, RefusesWhatDoesNotFit) {
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
