#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/kernels/movement/movement.h"
#include "reference/kernels/normalization/softmax.h"
#include "reference/kernels/optimizer/optimizer_update.h"
#include "reference/kernels/pooling/pool2d.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

class NarrowTest : public testing::TestWithParam<DType> {
 protected:
  Tensor Narrow(const Tensor& x) const { return x.Cast(GetParam()); }
  // Numbers that are exact in the narrow type, in it and as float32.
  std::pair<Tensor, Tensor> Numbers(const Shape& shape, uint32_t seed) const {
    const Tensor narrow = Narrow(Fractions(shape, seed));
    return {narrow, narrow.Cast(DType::kFloat32)};
  }
  // `got` is `wanted` (float32), rounded.
  void ExpectRounded(const Tensor& got, const Tensor& wanted) const {
    ASSERT_EQ(got.dtype(), GetParam());
    EXPECT_TRUE(BitwiseEqual(got, Narrow(wanted))) << ToString(got) << "\n"
                                                   << ToString(wanted);
  }
};

INSTANTIATE_TEST_SUITE_P(, NarrowTest,
                         testing::Values(DType::kBFloat16, DType::kFloat16),
                         [](const auto& info) {
                           return std::string(DTypeName(info.param));
                         });

TEST_P(NarrowTest, ElementwiseKernels) {
  const auto [a, wide_a] = Numbers(Shape{3, 7}, 1);
  const auto [b, wide_b] = Numbers(Shape{7}, 2);
  ExpectRounded(Add(a, b), Add(wide_a, wide_b));
  ExpectRounded(Subtract(a, b), Subtract(wide_a, wide_b));
  ExpectRounded(Multiply(a, b), Multiply(wide_a, wide_b));
  ExpectRounded(Divide(a, b), Divide(wide_a, wide_b));
  for (const auto unary :
       {Negate, Abs, Square, Sign, Exp, Sigmoid, Tanh, Relu, Softmax}) {
    ExpectRounded(unary(a), unary(wide_a));
  }
  ExpectRounded(Sqrt(Square(a)), Sqrt(Square(a).Cast(DType::kFloat32)));
  ExpectRounded(Log(Exp(a)), Log(Exp(a).Cast(DType::kFloat32)));
  ExpectRounded(Scale(a, 0.3), Scale(wide_a, 0.3));
  ExpectRounded(Clip(a, -0.5, 0.1), Clip(wide_a, -0.5, 0.1));
  ExpectRounded(ClipBackward(a, a, -0.5, 0.1),
                ClipBackward(wide_a, wide_a, -0.5, 0.1));
  ExpectRounded(ReluBackward(a, a), ReluBackward(wide_a, wide_a));
  ExpectRounded(SoftmaxBackward(a, a), SoftmaxBackward(wide_a, wide_a));
}

TEST_P(NarrowTest, ProductsAndWindows) {
  const Shape image{2, 6, 6, 2}, filter_shape{3, 3, 2, 4};
  const Tensor x = SmallIntegers(image, 1), f = SmallIntegers(filter_shape, 2);
  const Tensor bias = SmallIntegers(Shape{4}, 3);
  const Tensor y = Conv2D(x, f, bias, {});
  ExpectRounded(Conv2D(Narrow(x), Narrow(f), Narrow(bias), {}), y);
  const auto d = Conv2DBackward(x, f, Tensor(), y, {}, true);
  const auto narrow_d =
      Conv2DBackward(Narrow(x), Narrow(f), Tensor(), Narrow(y), {}, true);
  ExpectRounded(narrow_d.x, d.x);
  ExpectRounded(narrow_d.filter, d.filter);
  ExpectRounded(narrow_d.bias, d.bias);
  const auto pooled = MaxPool2D(y, {});
  const auto narrow_pooled = MaxPool2D(Narrow(y), {});
  ExpectRounded(narrow_pooled.y, pooled.y);
  EXPECT_TRUE(BitwiseEqual(narrow_pooled.argmax, pooled.argmax));
  ExpectRounded(
      MaxPool2DBackward(y.shape(), pooled.argmax, narrow_pooled.y, {}),
      MaxPool2DBackward(y.shape(), pooled.argmax, pooled.y, {}));
  const Tensor mean = AvgPool2D(y, {});
  ExpectRounded(AvgPool2D(Narrow(y), {}), mean);
  ExpectRounded(AvgPool2DBackward(y.shape(), Narrow(y), {{1, 1}, {1, 1}}),
                AvgPool2DBackward(y.shape(), y, {{1, 1}, {1, 1}}));
  const auto fused =
      Conv2DReluMaxPool2D(Narrow(x), Narrow(f), Narrow(bias), {});
  ExpectRounded(fused.y, MaxPool2D(Relu(y), {}).y);
  const auto fused_d = Conv2DReluMaxPool2DBackward(
      Narrow(x), Narrow(f), fused.selection, fused.y, {}, false);
  EXPECT_FALSE(fused_d.x.defined());
  ExpectRounded(fused_d.bias, Conv2DReluMaxPool2DBackward(
                                  x, f, fused.selection,
                                  fused.y.Cast(DType::kFloat32), {}, false)
                                  .bias);
}

// Also for processors with bfloat16 products: shapes whose chunks and channels
// do not fill vectors, and values that are not finite.
TEST_P(NarrowTest, ConvolutionsOfOddShapes) {
  struct Odd {
    Shape x, filter;
    Conv2DOptions options;
  };
  for (const Odd& odd :
       {Odd{{9, 5, 7, 1}, {1, 1, 1, 1}, {}},
        Odd{{3, 8, 9, 3}, {5, 3, 3, 7}, {{2, 1}, Padding::kSame, true}},
        Odd{{17, 6, 6, 16}, {3, 3, 16, 33}, {{1, 2}, Padding::kValid, true}},
        Odd{{0, 4, 4, 2}, {3, 3, 2, 2}, {}}}) {
    const Tensor x = SmallIntegers(odd.x, 1), f = SmallIntegers(odd.filter, 2);
    const Tensor bias = SmallIntegers(Shape{odd.filter[3]}, 3);
    const Tensor y = Conv2D(x, f, bias, odd.options);
    ExpectRounded(Conv2D(Narrow(x), Narrow(f), Narrow(bias), odd.options), y);
    const Tensor dy = SmallIntegers(y.shape(), 4);
    const auto d = Conv2DBackward(x, f, y, dy, odd.options, true);
    const auto narrow_d = Conv2DBackward(Narrow(x), Narrow(f), Narrow(y),
                                         Narrow(dy), odd.options, true);
    ExpectRounded(narrow_d.x, d.x);
    ExpectRounded(narrow_d.filter, d.filter);
    ExpectRounded(narrow_d.bias, d.bias);
  }
}

TEST_P(NarrowTest, NonFiniteValuesPassThrough) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Narrow(
      Tensor::FromVector<float>({infinity, nan, -infinity}, Shape{3, 1}));
  const Tensor one = Narrow(Tensor::Full(Shape{1, 1}, 1.0f));
  EXPECT_EQ(ToString(MatMul(x, one)), "[[inf], [nan], [-inf]]");
  const Tensor y =
      Conv2D(x.Reshape(Shape{3, 1, 1, 1}), one.Reshape(Shape{1, 1, 1, 1}),
             Tensor(), {.relu = true});
  EXPECT_EQ(ToString(y.Reshape(Shape{3})), "[inf, nan, 0]");
}

TEST_P(NarrowTest, Dense) {
  const Tensor x = SmallIntegers(Shape{5, 3}, 1);
  const Tensor k = SmallIntegers(Shape{3, 4}, 2);
  const Tensor bias = SmallIntegers(Shape{4}, 3);
  ExpectRounded(MatMul(Narrow(x), Narrow(k)), MatMul(x, k));
  ExpectRounded(MatMul(Narrow(k), Narrow(x), true, true),
                MatMul(k, x, true, true));
  const Tensor y = Dense(x, k, bias, true);
  ExpectRounded(Dense(Narrow(x), Narrow(k), Narrow(bias), true), y);
  const auto d = DenseBackward(x, k, y, y, true, true);
  const auto narrow_d =
      DenseBackward(Narrow(x), Narrow(k), Narrow(y), Narrow(y), true, true);
  ExpectRounded(narrow_d.x, d.x);
  ExpectRounded(narrow_d.kernel, d.kernel);
  ExpectRounded(narrow_d.bias, d.bias);
}

TEST_P(NarrowTest, CrossEntropiesAndGatheredRows) {
  const auto [logits, wide] = Numbers(Shape{2, 3}, 1);
  const Tensor labels = Tensor::FromVector<int64_t>({2, 0});
  const auto sparse = SparseSoftmaxCrossEntropy(logits, labels);
  const auto wide_sparse = SparseSoftmaxCrossEntropy(wide, labels);
  ExpectRounded(sparse.loss, wide_sparse.loss);
  ExpectRounded(sparse.softmax, wide_sparse.softmax);
  const Tensor ones = Tensor::Full(Shape{2}, 1.0f);
  const Tensor softmax = sparse.softmax.Cast(DType::kFloat32);
  ExpectRounded(
      SparseSoftmaxCrossEntropyBackward(sparse.softmax, labels, Narrow(ones)),
      SparseSoftmaxCrossEntropyBackward(softmax, labels, ones));
  const auto full = SoftmaxCrossEntropy(logits, logits);
  ExpectRounded(full.loss, SoftmaxCrossEntropy(wide, wide).loss);
  ExpectRounded(
      SoftmaxCrossEntropyBackward(sparse.softmax, logits, Narrow(ones)),
      SoftmaxCrossEntropyBackward(softmax, wide, ones));
  ExpectRounded(GatherBackward(Shape{4, 3}, labels, logits),
                GatherBackward(Shape{4, 3}, labels, wide));
}

TEST_P(NarrowTest, RefusesOtherFloatingTypes) {
  const Tensor x = Tensor::Full(Shape{2}, 1.0f);
  ExpectInvalid([&] { Add(Narrow(x), x); }, "types must agree");
  ExpectInvalid([&] { Add(x, Narrow(x)); }, "float32");
  ExpectInvalid([&] { ReluBackward(Narrow(x), x); }, "[ReluBackward]");
  Tensor variable = Narrow(x);
  const Tensor gradient = Narrow(x);
  ExpectInvalid(
      [&] {
        SgdUpdate({{{&variable, &gradient, nullptr}}}, {},
                  {.learning_rate = Tensor::Scalar(0.5),
                   .iterations = Tensor::Scalar<int64_t>(0)});
      },
      "float32 or float64");
}

// 257 is midway between 256 and 258, 2049 between 2048 and 2050: with
// intermediate rounding the ones would be lost.
TEST(NarrowSumsTest, RoundOnce) {
  const Tensor x = Tensor::FromVector<float>({256, 1, 1});
  EXPECT_EQ(ToString(ReduceSum(x.Cast(DType::kBFloat16))), "258");
  const Tensor h = Tensor::FromVector<float>({2048, 1, 1});
  EXPECT_EQ(ToString(ReduceSum(h.Cast(DType::kFloat16))), "2050");
  const Tensor row = x.Reshape(Shape{1, 3}).Cast(DType::kBFloat16);
  const Tensor ones = Tensor::Full(Shape{3, 1}, 1.0f).Cast(DType::kBFloat16);
  EXPECT_EQ(ToString(MatMul(row, ones)), "[[258]]");
  const Tensor head = Tensor::FromVector<float>({256, 1}, Shape{1, 2});
  const Tensor one = Tensor::FromVector<float>({1}).Cast(DType::kBFloat16);
  EXPECT_EQ(ToString(Dense(head.Cast(DType::kBFloat16), ones.Slice(0, 2), one,
                           false)),
            "[[258]]");
}

// The sum of the first two is midway between two bfloat16 numbers, and the half
// does not fit into a float.
TEST(NarrowSumsTest, DoNotRoundToFloat) {
  const Tensor x = Tensor::FromVector<float>({1 << 24, 1 << 16, 0.5f});
  EXPECT_EQ(
      static_cast<float>(ReduceSum(x.Cast(DType::kBFloat16)).item<BFloat16>()),
      (1 << 24) + (1 << 17));
  const std::vector<int> axes = {0};
  EXPECT_EQ(ToString(ReduceSum(
                Tensor::FromVector<float>({256, 1, 1, 2, 1, 0.5f}, Shape{3, 2})
                    .Cast(DType::kBFloat16),
                axes)),
            "[258, 3.5]");
}

}  // namespace
}  // namespace lockstep::kernels
