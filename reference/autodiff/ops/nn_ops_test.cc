#include "reference/autodiff/ops/nn_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Tensor Transposed(const Tensor& m) {
  Tensor t = Tensor::Empty(Shape{m.dim(1), m.dim(0)}, m.dtype());
  for (int64_t i = 0; i < m.dim(0); ++i) {
    for (int64_t j = 0; j < m.dim(1); ++j) {
      t.mutable_data<float>()[j * m.dim(0) + i] = m.at<float>(i * m.dim(1) + j);
    }
  }
  return t;
}

TEST(MatMulTest, GradientsOfAllTranspositions) {
  // y = a b for a [2, 3], b [3, 2], weighted by w: da = w b', db = a' w.
  const Tensor a = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  const Tensor b = Tensor::FromVector<float>({1, 0, 2, 1, 0, 3}, Shape{3, 2});
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  const Tensor da =
      Tensor::FromVector<float>({1, 4, 6, 3, 10, 12}, Shape{2, 3});
  const Tensor db =
      Tensor::FromVector<float>({13, 18, 17, 24, 21, 30}, Shape{3, 2});
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Tensor left = ta ? Transposed(a) : a;
      const Tensor right = tb ? Transposed(b) : b;
      EXPECT_EQ(MatMul(left, right, ta, tb).ToVector<float>(),
                (Floats{5, 11, 14, 23}));
      const auto d =
          GradientsOf([&] { return Multiply(MatMul(left, right, ta, tb), w); },
                      {left, right});
      EXPECT_TRUE(BitwiseEqual(d[0], ta ? Transposed(da) : da)) << ta << tb;
      EXPECT_TRUE(BitwiseEqual(d[1], tb ? Transposed(db) : db)) << ta << tb;
    }
  }
}

TEST(DenseTest, GradientsByHand) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor kernel = Tensor::FromVector<float>({1, 0, 3, -9}, Shape{2, 2});
  const Tensor bias = Tensor::FromVector<float>({0, 1});
  for (const bool relu : {false, true}) {
    const auto dense = [&] { return Dense(x, kernel, bias, relu); };
    EXPECT_EQ(dense().ToVector<float>(), (Floats{7, relu ? 0.0f : -17.0f}));
    const auto d = GradientsOf(dense, {x, kernel, bias});
    const float second = relu ? 0 : 1;  // ReLU cuts the second unit
    EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 3 - 9 * second}));
    EXPECT_EQ(d[1].ToVector<float>(), (Floats{1, second, 2, 2 * second}));
    EXPECT_EQ(d[2].ToVector<float>(), (Floats{1, second}));
  }
}

TEST(DenseTest, BiasIsOptional) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor kernel = Tensor::FromVector<float>({1, 4}, Shape{2, 1});
  const auto d =
      GradientsOf([&] { return Dense(x, kernel, Tensor()); }, {x, kernel});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 4}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{1, 2}));
}

TEST(DenseTest, EmptyBatch) {
  const Tensor x = Tensor::Zeros(Shape{0, 2});
  const Tensor kernel = Tensor::FromVector<float>({1, 4}, Shape{2, 1});
  const Tensor bias = Tensor::FromVector<float>({1});
  const auto d =
      GradientsOf([&] { return Dense(x, kernel, bias); }, {kernel, bias});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{0, 0}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{0}));
}

Tensor Image(const Floats& values, int64_t rows, int64_t columns) {
  return Tensor::FromVector(values, Shape{1, rows, columns, 1});
}

TEST(Conv2DTest, GradientsByHand) {
  const Tensor x = Image({1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3);
  const Tensor filter =
      Tensor::FromVector<float>({1, 0, 0, 1}, Shape{2, 2, 1, 1});
  const Tensor bias = Tensor::FromVector<float>({0});
  const auto conv = [&] { return Conv2D(x, filter, bias, {}); };
  EXPECT_EQ(conv().ToVector<float>(), (Floats{6, 8, 12, 14}));
  const auto d = GradientsOf(conv, {x, filter, bias});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 1, 0, 1, 2, 1, 0, 1, 1}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{12, 16, 24, 28}));
  EXPECT_EQ(d[2].ToVector<float>(), (Floats{4}));
}

TEST(Conv2DTest, ReluCutsGradients) {
  const Tensor x = Image({1, -2, 3, -4}, 2, 2);
  const Tensor filter = Tensor::FromVector<float>({2}, Shape{1, 1, 1, 1});
  const Tensor bias = Tensor::FromVector<float>({0});
  const auto d =
      GradientsOf([&] { return Conv2D(x, filter, bias, {.relu = true}); },
                  {x, filter, bias});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{2, 0, 2, 0}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{4}));
  EXPECT_EQ(d[2].ToVector<float>(), (Floats{2}));
}

// From torch.nn.functional.gelu of PyTorch 2.15.0 in float64, printed with 12
// digits. In float32 inputs are exact, and results of at most 3 have a few
// roundings of 1e-7.
void ExpectGelu(kernels::GeluForm form, const Doubles& values,
                const Doubles& gradients) {
  const Doubles at = {-3, -1, -0.5, 0, 0.5, 1, 3};
  for (const DType dtype : {DType::kFloat64, DType::kFloat32}) {
    const Tensor x = Tensor::FromVector(at).Cast(dtype);
    const auto gelu = [&] { return ops::Gelu(x, form); };
    const Doubles y = gelu().Cast(DType::kFloat64).ToVector<double>();
    const Doubles dx =
        GradientOf(gelu, x).Cast(DType::kFloat64).ToVector<double>();
    const double tolerance = dtype == DType::kFloat64 ? 1e-11 : 1e-6;
    for (size_t i = 0; i < at.size(); ++i) {
      EXPECT_NEAR(y[i], values[i], tolerance) << at[i];
      EXPECT_NEAR(dx[i], gradients[i], tolerance) << at[i];
    }
  }
}

TEST(GeluTest, EqualsPyTorch) {
  ExpectGelu(kernels::GeluForm::kTanh,
             {-0.00363739208177, -0.158808009392, -0.154285990175, 0,
              0.345714009825, 0.841191990608, 2.99636260792},
             {-0.011584166631, -0.0829640838458, 0.132630096465, 0.5,
              0.867369903535, 1.08296408385, 1.01158416663});
  ExpectGelu(kernels::GeluForm::kErf,
             {-0.00404969409489, -0.158655253931, -0.154268769363, 0,
              0.345731230637, 0.841344746069, 2.99595030591},
             {-0.0119456472042, -0.0833154705877, 0.132504875344, 0.5,
              0.867495124656, 1.08331547059, 1.0119456472});
}

TEST(GeluTest, ManyElementsAndNarrowOnes) {
  // More than a block of 1024: the last element is as the first.
  const Tensor x = Tensor::Full(Shape{5000}, 0.5f);
  for (const auto form : {kernels::GeluForm::kErf, kernels::GeluForm::kTanh}) {
    const Tensor y = ops::Gelu(x, form);
    EXPECT_EQ(y.at<float>(4999), y.at<float>(0));
    EXPECT_EQ(GradientOf([&] { return ops::Gelu(x, form); }, x).at<float>(4999),
              GradientOf([&] { return ops::Gelu(x, form); }, x).at<float>(0));
    EXPECT_EQ(ops::Gelu(x.Cast(DType::kBFloat16), form).dtype(),
              DType::kBFloat16);
    EXPECT_THROW(ops::Gelu(x.Cast(DType::kInt32), form), Error);
  }
}

TEST(LayerNormTest, AgreesWithDifferences) {
  // Rows of 11 numbers: whole vectors and a rest.
  const auto numbers = [](double step, const Shape& shape) {
    Doubles values;
    for (int i = 0; i < shape.num_elements(); ++i) {
      values.push_back(std::sin(step * i));
    }
    return Tensor::FromVector(values, shape);
  };
  const Tensor x = numbers(1.7, Shape{2, 11});
  const Tensor gamma = numbers(0.9, Shape{11}), beta = numbers(2, Shape{11});
  const auto expect_small = [](const auto& function, const Tensor& input) {
    // The weights of the 22 outputs give sums of about ten times the usual.
    EXPECT_LT(GradientError(function, input), 10 * kGradientTolerance);
  };
  expect_small([&](auto& x) { return LayerNorm(x, gamma, beta, 1e-3); }, x);
  expect_small([&](auto& x) { return LayerNorm(x, {}, {}, 1e-3); }, x);
  expect_small([&](auto& g) { return LayerNorm(x, g, beta, 1e-3); }, gamma);
  expect_small([&](auto& b) { return LayerNorm(x, gamma, b, 1e-3); }, beta);
}

TEST(MaxPool2DTest, WinnerGetsTheGradient) {
  const Tensor x = Image({1, 2, 5, 6, 4, 3, 8, 7}, 2, 4);
  const auto pool = [&] { return MaxPool2D(x, {}); };
  EXPECT_EQ(pool().ToVector<float>(), (Floats{4, 8}));
  EXPECT_EQ(GradientOf(pool, x).ToVector<float>(),
            (Floats{0, 0, 0, 0, 1, 0, 1, 0}));
}

TEST(AvgPool2DTest, DistributesTheGradient) {
  const Tensor x = Image({1, 2, 5, 6, 4, 3, 8, 7}, 2, 4);
  const auto pool = [&] { return AvgPool2D(x, {.strides = {1, 1}}); };
  EXPECT_EQ(pool().ToVector<float>(), (Floats{2.5f, 4.5f, 6.5f}));
  EXPECT_EQ(GradientOf(pool, x).ToVector<float>(),
            (Floats{0.25f, 0.5f, 0.5f, 0.25f, 0.25f, 0.5f, 0.5f, 0.25f}));
}

// Small integers, so that the order of additions does not matter.
Tensor Integers(const Shape& shape, int factor) {
  Floats values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * factor % 7) - 3);
  }
  return Tensor::FromVector(values, shape);
}

TEST(Conv2DReluMaxPool2DTest, EqualsItsParts) {
  const Tensor x = Integers(Shape{3, 9, 8, 2}, 5);
  const Tensor filter = Integers(Shape{3, 3, 2, 16}, 3);
  const Tensor bias = Integers(Shape{16}, 2);
  for (const auto padding :
       {kernels::Padding::kValid, kernels::Padding::kSame}) {
    const auto parts = [&] {
      return MaxPool2D(
          Conv2D(x, filter, bias, {.padding = padding, .relu = true}), {});
    };
    const auto fused = [&] {
      return Conv2DReluMaxPool2D(x, filter, bias, {.padding = padding});
    };
    EXPECT_TRUE(BitwiseEqual(fused(), parts()));
    const auto expected = GradientsOf(parts, {x, filter, bias});
    const auto got = GradientsOf(fused, {x, filter, bias});
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(BitwiseEqual(got[i], expected[i])) << i;
    }
  }
}

TEST(Conv2DReluMaxPool2DTest, BiasIsOptional) {
  const Tensor x = Integers(Shape{1, 4, 4, 1}, 5);
  const Tensor filter = Integers(Shape{1, 1, 1, 1}, 1);
  const Tensor y = Conv2DReluMaxPool2D(x, filter, Tensor(), {});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 1}));
}

Tensor Column(const Doubles& values) {
  return Tensor::FromVector(values, Shape{static_cast<int64_t>(values.size())});
}

// Three rows of two channels; with kAddend no sum is near the ReLU's corner.
const Tensor kInput =
    Tensor::FromVector<double>({1, -2, 4, 0.5, 2.5, 3}, Shape{3, 2});
const Tensor kAddend =
    Tensor::FromVector<double>({0.5, -1, 2, 1.5, -3, 0.25}, Shape{3, 2});
const Tensor kGamma = Column({1.5, -0.5});
const Tensor kBeta = Column({0.25, 1});
const Tensor kMean = Column({2, 1});
const Tensor kVariance = Column({4, 0.5});

// The largest gradient error over all four inputs of function(x, gamma, beta,
// addend).
template <class Function>
void CheckAll(const Function& function) {
  EXPECT_LT(
      GradientError(
          [&](const Tensor& x) { return function(x, kGamma, kBeta, kAddend); },
          kInput),
      kGradientTolerance);
  EXPECT_LT(GradientError(
                [&](const Tensor& gamma) {
                  return function(kInput, gamma, kBeta, kAddend);
                },
                kGamma),
            kGradientTolerance);
  EXPECT_LT(GradientError(
                [&](const Tensor& beta) {
                  return function(kInput, kGamma, beta, kAddend);
                },
                kBeta),
            kGradientTolerance);
  EXPECT_LT(GradientError(
                [&](const Tensor& addend) {
                  return function(kInput, kGamma, kBeta, addend);
                },
                kAddend),
            kGradientTolerance);
}

TEST(BatchNormTest, AgreesWithDifferences) {
  for (const bool relu : {false, true}) {
    SCOPED_TRACE(relu);
    CheckAll([&](const Tensor& x, const Tensor& gamma, const Tensor& beta,
                 const Tensor& addend) {
      return BatchNorm(x, gamma, beta, addend, {.relu = relu}).y;
    });
  }
}

TEST(BatchNormInferenceTest, AgreesWithDifferences) {
  for (const bool relu : {false, true}) {
    SCOPED_TRACE(relu);
    CheckAll([&](const Tensor& x, const Tensor& gamma, const Tensor& beta,
                 const Tensor& addend) {
      return BatchNormInference(x, gamma, beta, kMean, kVariance, addend,
                                {.relu = relu});
    });
  }
}

TEST(BatchNormTest, FusedEqualsItsParts) {
  const Tensor gamma = kGamma, beta = kBeta, x = kInput, addend = kAddend;
  const auto parts = [&] {
    return Relu(Add(BatchNorm(x, gamma, beta, {}, {}).y, addend));
  };
  const auto fused = [&] {
    return BatchNorm(x, gamma, beta, addend, {.relu = true}).y;
  };
  EXPECT_TRUE(BitwiseEqual(fused(), parts()));
  const auto expected = GradientsOf(parts, {x, gamma, beta, addend});
  const auto got = GradientsOf(fused, {x, gamma, beta, addend});
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(BitwiseEqual(got[i], expected[i])) << i;
  }
}

TEST(BatchNormTest, MomentsHaveNoGradient) {
  GradientTape tape;
  tape.Watch(kInput);
  const auto result = BatchNorm(kInput, kGamma, kBeta, {}, {});
  EXPECT_FALSE(IsRecorded(result.mean));
  EXPECT_FALSE(IsRecorded(result.variance));
  EXPECT_TRUE(IsRecorded(result.y));
}

const Tensor kLogits =
    Tensor::FromVector<double>({0.5, -1, 2, 0, 0.25, -0.5}, Shape{2, 3});

TEST(SoftmaxTest, AgreesWithDifferences) {
  EXPECT_LT(GradientError(Softmax, kLogits), kGradientTolerance);
}

TEST(SoftmaxTest, EqualLogits) {
  const Tensor zero = Tensor::Zeros(Shape{1, 2});
  EXPECT_EQ(Softmax(zero).ToVector<float>(), (Floats{0.5, 0.5}));
  EXPECT_EQ(GradientOf([&] { return Softmax(zero); }, zero).ToVector<float>(),
            (Floats{0, 0}));
}

TEST(SparseSoftmaxCrossEntropyTest, EqualLogits) {
  const Tensor zero = Tensor::Zeros(Shape{1, 4});
  const Tensor label = Tensor::FromVector<int64_t>({2});
  EXPECT_EQ(
      GradientOf([&] { return SparseSoftmaxCrossEntropy(zero, label); }, zero)
          .ToVector<float>(),
      (Floats{0.25, 0.25, -0.75, 0.25}));
}

TEST(SparseSoftmaxCrossEntropyTest, AgreesWithDifferences) {
  const Tensor labels = Tensor::FromVector<int64_t>({2, 0});
  EXPECT_LT(
      GradientError(
          [&](const Tensor& x) { return SparseSoftmaxCrossEntropy(x, labels); },
          kLogits),
      kGradientTolerance);
}

TEST(SoftmaxCrossEntropyTest, AgreesWithDifferences) {
  const Tensor labels =
      Tensor::FromVector<double>({0.25, 0.75, 0, 1, 0, 0}, Shape{2, 3});
  EXPECT_LT(GradientError(
                [&](const Tensor& x) { return SoftmaxCrossEntropy(x, labels); },
                kLogits),
            kGradientTolerance);
}

TEST(SparseSoftmaxCrossEntropyTest, RefusesLabelsOutOfRange) {
  EXPECT_THROW(
      SparseSoftmaxCrossEntropy(kLogits, Tensor::FromVector<int64_t>({0, 3})),
      Error);
}

TEST(SigmoidCrossEntropyTest, AgreesWithDifferences) {
  const Tensor labels =
      Tensor::FromVector<double>({0.25, 0.75, 0, 1, 0, 1}, Shape{2, 3});
  EXPECT_LT(GradientError(
                [&](const Tensor& x) { return SigmoidCrossEntropy(x, labels); },
                kLogits),
            kGradientTolerance);
}

// [1, 2 or 3 positions, 2 heads, 2], values [1, 3, 2, 1].
const Tensor kQuery = Tensor::FromVector<double>(
    {1, -1, 0.5, 2, 0, 1, -0.25, 1}, Shape{1, 2, 2, 2});
const Tensor kKey = Tensor::FromVector<double>(
    {0.5, 1, -1, 0, 2, 1, 1, -0.5, 0, -1, 0.75, 1}, Shape{1, 3, 2, 2});
const Tensor kValue =
    Tensor::FromVector<double>({1, 2, -1, 0.5, 3, -2}, Shape{1, 3, 2, 1});

TEST(AttentionTest, EqualScoresGiveTheMean) {
  const Tensor zero = Tensor::Zeros(kQuery.shape(), DType::kFloat64);
  const Tensor of_all = Attention(zero, kKey, kValue, {});
  EXPECT_EQ(of_all.shape(), (Shape{1, 2, 2, 1}));
  EXPECT_DOUBLE_EQ(of_all.at<double>(2), 1);
  EXPECT_DOUBLE_EQ(of_all.at<double>(3), 1.0 / 6);
  EXPECT_EQ(ToString(Attention(zero, kKey, kValue, {.causal = true})),
            "[[[[1], [2]], [[0], [1.25]]]]");
}

TEST(AttentionTest, AgreesWithDifferences) {
  for (const bool causal : {false, true}) {
    const kernels::AttentionOptions options{.causal = causal};
    const auto of_query = [&](const Tensor& x) {
      return Attention(x, kKey, kValue, options);
    };
    const auto of_key = [&](const Tensor& x) {
      return Attention(kQuery, x, kValue, options);
    };
    const auto of_value = [&](const Tensor& x) {
      return Attention(kQuery, kKey, x, options);
    };
    EXPECT_LT(GradientError(of_query, kQuery), kGradientTolerance);
    EXPECT_LT(GradientError(of_key, kKey), kGradientTolerance);
    EXPECT_LT(GradientError(of_value, kValue), kGradientTolerance);
  }
}

TEST(AttentionTest, EmptyInputs) {
  const Tensor none = Tensor::Zeros(Shape{1, 0, 2, 2}, DType::kFloat64);
  EXPECT_EQ(Attention(none, kKey, kValue, {}).shape(), (Shape{1, 0, 2, 1}));
  EXPECT_EQ(ToString(Attention(kQuery, none, none, {}).Reshape(Shape{8})),
            "[0, 0, 0, 0, 0, 0, 0, 0]");
}

TEST(AttentionTest, RefusesWrongArguments) {
  EXPECT_THROW(Attention(kQuery, kValue, kValue, {}), Error);
  EXPECT_THROW(Attention(kQuery, kKey, kQuery, {}), Error);
  EXPECT_THROW(Attention(kLogits, kLogits, kLogits, {}), Error);
  EXPECT_THROW(Attention(kQuery.Cast(DType::kFloat32), kKey, kValue, {}),
               Error);
}

}  // namespace
}  // namespace lockstep::ops
