#include "reference/autodiff/ops/math_ops.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/base/error.h"
#include "reference/tensor/nest.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

const Tensor kA = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
const Tensor kB = Tensor::FromVector<float>({2, 4, 8, 16}, Shape{2, 2});
const Tensor kRow = Tensor::FromVector<float>({2, 4});

TEST(ArithmeticTest, Add) {
  const auto d = GradientsOf([] { return Add(kA, kB); }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 1, 1, 1}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{1, 1, 1, 1}));
}

TEST(ArithmeticTest, Subtract) {
  EXPECT_EQ(Subtract(kA, kB).ToVector<float>(), (Floats{-1, -2, -5, -12}));
  const auto d = GradientsOf([] { return Subtract(kA, kB); }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 1, 1, 1}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{-1, -1, -1, -1}));
}

TEST(ArithmeticTest, Multiply) {
  const auto d = GradientsOf([] { return Multiply(kA, kB); }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), kB.ToVector<float>());
  EXPECT_EQ(d[1].ToVector<float>(), kA.ToVector<float>());
}

TEST(OperatorTest, EqualTheOperations) {
  EXPECT_EQ((kA + kB).ToVector<float>(), (Floats{3, 6, 11, 20}));
  EXPECT_EQ((kA - kB).ToVector<float>(), (Floats{-1, -2, -5, -12}));
  EXPECT_EQ((kA * kRow).ToVector<float>(), (Floats{2, 8, 6, 16}));
  EXPECT_EQ((kA / kB).ToVector<float>(), (Floats{0.5f, 0.5f, 0.375f, 0.25f}));
  EXPECT_EQ((-kRow).ToVector<float>(), (Floats{-2, -4}));
}

TEST(OperatorTest, NumbersOnEitherSide) {
  EXPECT_EQ((kRow + 1).ToVector<float>(), (Floats{3, 5}));
  EXPECT_EQ((1 + kRow).ToVector<float>(), (Floats{3, 5}));
  EXPECT_EQ((kRow - 0.5).ToVector<float>(), (Floats{1.5f, 3.5f}));
  EXPECT_EQ((1 - kRow).ToVector<float>(), (Floats{-1, -3}));
  EXPECT_EQ((kRow * 3).ToVector<float>(), (Floats{6, 12}));
  EXPECT_EQ((3 * kRow).ToVector<float>(), (Floats{6, 12}));
  EXPECT_EQ((kRow / 8).ToVector<float>(), (Floats{0.25f, 0.5f}));
  EXPECT_EQ((8 / kRow).ToVector<float>(), (Floats{4, 2}));
}

TEST(OperatorTest, NumbersHaveTheTensorsType) {
  const Tensor whole = Tensor::FromVector<int32_t>({1, 2});
  EXPECT_EQ((whole * 3 - 1).ToVector<int32_t>(), (std::vector<int32_t>{2, 5}));
  EXPECT_THROW(whole + 0.5, Error);
  EXPECT_EQ((kRow.Cast(DType::kBFloat16) + 1).dtype(), DType::kBFloat16);
  EXPECT_THROW(Tensor() + 1, Error);
  EXPECT_THROW(2 * Tensor(), Error);
}

// f = 2 a a + (1 - a) / b - 3: df/da = 4 a - 1 / b, df/db = -(1 - a) / b^2.
TEST(OperatorTest, AreRecorded) {
  const auto d =
      GradientsOf([] { return 2 * kA * kA + (1 - kA) / kB - 3; }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{3.5f, 7.75f, 11.875f, 15.9375f}));
  EXPECT_EQ(d[1].ToVector<float>(),
            (Floats{0, 0.0625f, 0.03125f, 0.01171875f}));
}

// An item of a batch converts to a tensor.
TEST(OperatorTest, LeavesOfStructuresAreTensors) {
  const Structure batch = Structure::Tuple({kA, kRow});
  const Tensor sum = batch[0] + batch[1];
  EXPECT_EQ(sum.ToVector<float>(), (Floats{3, 6, 5, 8}));
  EXPECT_EQ(ReduceSum(batch[1] / 2).item<float>(), 3);
  EXPECT_THROW(batch + kA, Error);
}

TEST(ArithmeticTest, MeanOfNothingIsZero) {
  const Tensor counts = Tensor::FromVector<float>({0, 1, 4});
  EXPECT_EQ(DivisorOf(counts).ToVector<float>(), (Floats{1, 1, 4}));
}

TEST(ComparisonTest, EqualAndArgMax) {
  const Tensor best = ArgMax(kA, -1);
  EXPECT_EQ(best.ToVector<int64_t>(), (std::vector<int64_t>{1, 1}));
  const Tensor labels = Tensor::FromVector<int64_t>({1, 0});
  EXPECT_EQ(Equal(best, labels).ToVector<bool>(),
            (std::vector<bool>{true, false}));
}

TEST(ArithmeticTest, VariablesAndTensorsAsSources) {
  const auto make = [](float value) {
    return MakeVariable(
        {.initial_value = [=] { return Tensor::Scalar(value); }});
  };
  const VariablePtr v = make(3), unused = make(1);
  const Tensor x = Tensor::Scalar(5.0f);
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = Multiply(Multiply(x, v->Read()), v->Read());  // x v v
  const std::vector<GradientSource> sources = {x, unused, v};
  const Gradients gradients = tape.Gradient(y, sources);
  ASSERT_EQ(gradients.size(), 3u);
  EXPECT_EQ(gradients[0]->item<float>(), 9);
  EXPECT_FALSE(gradients[1]);
  EXPECT_EQ(gradients[2]->item<float>(), 30);
}

TEST(ArithmeticTest, Divide) {
  const auto d = GradientsOf([] { return Divide(kA, kB); }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{0.5, 0.25, 0.125, 0.0625}));
  EXPECT_EQ(d[1].ToVector<float>(),
            (Floats{-0.25, -0.125, -3.0f / 64, -1.0f / 64}));
}

TEST(ArithmeticTest, BroadcastInputGetsTheSum) {
  // Columns of kA: (1, 3) and (2, 4).
  EXPECT_EQ(GradientOf([] { return Add(kA, kRow); }, kRow).ToVector<float>(),
            (Floats{2, 2}));
  EXPECT_EQ(
      GradientOf([] { return Subtract(kA, kRow); }, kRow).ToVector<float>(),
      (Floats{-2, -2}));
  EXPECT_EQ(
      GradientOf([] { return Multiply(kA, kRow); }, kRow).ToVector<float>(),
      (Floats{4, 6}));
  EXPECT_EQ(GradientOf([] { return Divide(kA, kRow); }, kRow).ToVector<float>(),
            (Floats{-1, -0.375}));
  const Tensor scalar = Tensor::Scalar(3.0f);
  const auto d =
      GradientsOf([&] { return Multiply(scalar, kA); }, {scalar, kA});
  EXPECT_EQ(d[0].item<float>(), 10);
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{3, 3, 3, 3}));
}

TEST(ArithmeticTest, Scale) {
  EXPECT_EQ(Scale(kA, 0.5).ToVector<float>(), (Floats{0.5, 1, 1.5, 2}));
  EXPECT_EQ(GradientOf([] { return Scale(kA, 0.5); }, kA).ToVector<float>(),
            (Floats{0.5, 0.5, 0.5, 0.5}));
}

TEST(ArithmeticTest, RepeatedInputGetsBothParts) {
  EXPECT_EQ(GradientOf([] { return Multiply(kA, kA); }, kA).ToVector<float>(),
            (Floats{2, 4, 6, 8}));
}

TEST(ArithmeticTest, EmptyBatchesGiveZero) {
  const Tensor empty = Tensor::Zeros(Shape{0, 2});
  EXPECT_EQ(
      GradientOf([&] { return Add(empty, kRow); }, kRow).ToVector<float>(),
      (Floats{0, 0}));
  EXPECT_THROW(Add(kA, Tensor::Scalar(1.0)), Error);
}

const Tensor kX = Tensor::FromVector<float>({-2, 0, 3});

TEST(UnaryTest, PolynomialsAreExact) {
  EXPECT_EQ(GradientOf([] { return Negate(kX); }, kX).ToVector<float>(),
            (Floats{-1, -1, -1}));
  EXPECT_EQ(GradientOf([] { return Square(kX); }, kX).ToVector<float>(),
            (Floats{-4, 0, 6}));
}

TEST(UnaryTest, GradientIsZeroAtKinks) {
  EXPECT_EQ(GradientOf([] { return Abs(kX); }, kX).ToVector<float>(),
            (Floats{-1, 0, 1}));
  EXPECT_EQ(GradientOf([] { return Relu(kX); }, kX).ToVector<float>(),
            (Floats{0, 0, 1}));
}

TEST(UnaryTest, ClipByValue) {
  EXPECT_EQ(ClipByValue(kX, 0, 2).ToVector<float>(), (Floats{0, 0, 2}));
  EXPECT_EQ(
      GradientOf([] { return ClipByValue(kX, 0, 2); }, kX).ToVector<float>(),
      (Floats{0, 1, 0}));
  EXPECT_THROW(ClipByValue(kX, 2, 0), Error);
}

TEST(UnaryTest, SqrtAndLogAtExactPoints) {
  const Tensor x = Tensor::FromVector<float>({0.25, 4});
  EXPECT_EQ(GradientOf([&] { return Sqrt(x); }, x).ToVector<float>(),
            (Floats{1, 0.25}));
  EXPECT_EQ(GradientOf([&] { return Log(x); }, x).ToVector<float>(),
            (Floats{4, 0.25}));
}

TEST(UnaryTest, TranscendentalFunctions) {
  const Tensor x = Tensor::FromVector<double>({-1.5, -0.25, 0, 0.5, 2});
  EXPECT_LT(GradientError(Exp, x), 20 * kGradientTolerance);  // up to 5 exp(2)
  EXPECT_LT(GradientError(Sigmoid, x), kGradientTolerance);
  EXPECT_LT(GradientError(Tanh, x), kGradientTolerance);
}

TEST(UnaryTest, SigmoidAndTanhAtZero) {
  const Tensor zero = Tensor::Scalar(0.0);
  EXPECT_EQ(GradientOf([&] { return Sigmoid(zero); }, zero).item<double>(),
            0.25);
  EXPECT_EQ(GradientOf([&] { return Tanh(zero); }, zero).item<double>(), 1);
}

const Tensor kReduceX =
    Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8}, Shape{2, 4});
const Tensor kColumns = Tensor::FromVector<float>({1, 2, 3, 4});

TEST(ReduceTest, AllAxes) {
  EXPECT_EQ(ReduceSum(kReduceX).item<float>(), 36);
  EXPECT_EQ(ReduceMean(kReduceX).item<float>(), 4.5);
  EXPECT_EQ(GradientOf([] { return ReduceSum(kReduceX); }, kReduceX)
                .ToVector<float>(),
            Floats(8, 1));
  EXPECT_EQ(GradientOf([] { return ReduceMean(kReduceX); }, kReduceX)
                .ToVector<float>(),
            Floats(8, 0.125));
}

TEST(ReduceTest, GradientAlongAnAxis) {
  const auto weighted = [](const Tensor& y) { return Multiply(y, kColumns); };
  EXPECT_EQ(
      GradientOf([&] { return weighted(ReduceSum(kReduceX, std::array{0})); },
                 kReduceX)
          .ToVector<float>(),
      (Floats{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(
      GradientOf([&] { return weighted(ReduceMean(kReduceX, std::array{-2})); },
                 kReduceX)
          .ToVector<float>(),
      (Floats{0.5, 1, 1.5, 2, 0.5, 1, 1.5, 2}));
}

TEST(ReduceTest, NegativeAxesCountFromTheEnd) {
  const Tensor cube = kReduceX.Reshape(Shape{2, 2, 2});
  const Tensor pairs = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  const auto weighted = [&](const Tensor& y) { return Multiply(y, pairs); };
  EXPECT_EQ(ReduceSum(cube, std::array{-1}).ToVector<float>(),
            (Floats{3, 7, 11, 15}));
  EXPECT_EQ(GradientOf(
                [&] { return weighted(ReduceSum(cube, std::array{-1})); }, cube)
                .ToVector<float>(),
            (Floats{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(GradientOf(
                [&] { return weighted(ReduceSum(cube, std::array{-3})); }, cube)
                .ToVector<float>(),
            (Floats{1, 2, 3, 4, 1, 2, 3, 4}));
  const Tensor both = ReduceMean(cube, std::array{-1, 0}, true);
  EXPECT_EQ(both.shape(), (Shape{1, 2, 1}));
  EXPECT_EQ(both.ToVector<float>(), (Floats{3.5, 5.5}));
  EXPECT_THROW(ReduceSum(cube, std::array{-4}), Error);
}

TEST(ReduceTest, KeptAxesChangeTheShapeOnly) {
  const Tensor y = ReduceSum(kReduceX, std::array{1}, true);
  EXPECT_EQ(y.shape(), (Shape{2, 1}));
  const Tensor rows = Tensor::FromVector<float>({1, 10}, Shape{2, 1});
  EXPECT_EQ(GradientOf(
                [&] {
                  return Multiply(ReduceMean(kReduceX, std::array{1}, true),
                                  rows);
                },
                kReduceX)
                .ToVector<float>(),
            (Floats{.25, .25, .25, .25, 2.5, 2.5, 2.5, 2.5}));
}

TEST(ReduceTest, EmptyTensorsAndScalars) {
  const Tensor empty = Tensor::Zeros(Shape{0, 3});
  EXPECT_EQ(ReduceSum(empty).item<float>(), 0);
  EXPECT_EQ(GradientOf([&] { return ReduceSum(empty); }, empty).shape(),
            (Shape{0, 3}));
  EXPECT_EQ(GradientOf([&] { return ReduceMean(empty, std::array{1}); }, empty)
                .shape(),
            (Shape{0, 3}));
  const Tensor scalar = Tensor::Scalar(3.0f);
  EXPECT_EQ(
      GradientOf([&] { return ReduceMean(scalar); }, scalar).item<float>(), 1);
  EXPECT_THROW(ReduceSum(kReduceX, std::array{2}), Error);
}

const Tensor kCube =
    Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{1, 2, 3});

TEST(ReshapeTest, GradientHasTheOldShape) {
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const Tensor d = GradientOf(
      [&] {
        return Multiply(Reshape(kCube, Shape{3, 2}), w);
      },
      kCube);
  EXPECT_EQ(d.shape(), kCube.shape());
  EXPECT_EQ(d.ToVector<float>(), w.ToVector<float>());
  EXPECT_TRUE(Reshape(kCube, Shape{6}).SharesMemoryWith(kCube));
  EXPECT_THROW(Reshape(kCube, Shape{5}), Error);
}

TEST(ReshapeTest, FlattenKeepsTheBatchAxis) {
  EXPECT_EQ(Flatten(kCube).shape(), (Shape{1, 6}));
  EXPECT_EQ(Flatten(Tensor::Zeros(Shape{0, 5, 5, 64})).shape(),
            (Shape{0, 1600}));
  EXPECT_EQ(Flatten(Tensor::Zeros(Shape{4})).shape(), (Shape{4, 1}));
  EXPECT_EQ(GradientOf([] { return Flatten(kCube); }, kCube).shape(),
            kCube.shape());
  EXPECT_THROW(Flatten(Tensor::Scalar(1.0f)), Error);
}

TEST(ReshapeTest, Cast) {
  const Tensor d =
      GradientOf([] { return Cast(kCube, DType::kFloat64); }, kCube);
  EXPECT_EQ(d.dtype(), DType::kFloat32);
  EXPECT_EQ(d.ToVector<float>(), Floats(6, 1));
  EXPECT_EQ(Cast(kCube, DType::kFloat32).id(), kCube.id());
}

TEST(ReshapeTest, StopGradient) {
  // d/dx of x * stop(x) is x, not 2 x.
  EXPECT_EQ(
      GradientOf([] { return Multiply(kCube, StopGradient(kCube)); }, kCube)
          .ToVector<float>(),
      kCube.ToVector<float>());
}

Shape Aligned(const Shape& weights, const Shape& values) {
  return AlignWeights("Test", Tensor::Zeros(weights), Tensor::Zeros(values))
      .shape();
}

TEST(MatchRanksTest, SqueezesOneTrailingAxis) {
  EXPECT_EQ(SqueezeTo(Tensor::Zeros(Shape{4, 1}), 1).shape(), (Shape{4}));
  EXPECT_EQ(SqueezeTo(Tensor::Zeros(Shape{4, 2}), 1).shape(), (Shape{4, 2}));
  EXPECT_EQ(SqueezeTo(Tensor::Zeros(Shape{4}), 1).shape(), (Shape{4}));
  EXPECT_EQ(SqueezeTo(Tensor::Zeros(Shape{4, 1, 1}), 1).shape(),
            (Shape{4, 1, 1}));
}

TEST(MatchRanksTest, WeightsOfEveryDocumentedShape) {
  EXPECT_EQ(Aligned(Shape{}, Shape{2, 3}), (Shape{}));
  EXPECT_EQ(Aligned(Shape{2}, Shape{2, 3}), (Shape{2, 1}));
  EXPECT_EQ(Aligned(Shape{2, 3}, Shape{2, 3}), (Shape{2, 3}));
  EXPECT_EQ(Aligned(Shape{2, 1}, Shape{2}), (Shape{2}));
  EXPECT_EQ(Aligned(Shape{1}, Shape{4}), (Shape{1}));
  EXPECT_EQ(Aligned(Shape{2}, Shape{2, 3, 4}), (Shape{2, 1, 1}));
}

TEST(MatchRanksTest, WeightsTakeTheValuesType) {
  const Tensor weights = Tensor::FromVector<int64_t>({1, 2});
  EXPECT_EQ(AlignWeights("Test", weights, Tensor::Zeros(Shape{2})).dtype(),
            DType::kFloat32);
}

TEST(MatchRanksTest, ErrorNamesTheShapes) {
  for (const auto& [weights, values] :
       std::vector<std::pair<Shape, Shape>>{{Shape{3}, Shape{2}},
                                            {Shape{4}, Shape{1}},
                                            {Shape{3}, Shape{2, 3}},
                                            {Shape{2, 2}, Shape{2}},
                                            {Shape{1, 1}, Shape{}}}) {
    try {
      Aligned(weights, values);
      FAIL() << ToString(weights) << " fits " << ToString(values);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      EXPECT_NE(std::string(error.what()).find("[Test]"), std::string::npos);
    }
  }
}

TEST(ConcatTest, EachInputGetsItsPart) {
  const Tensor a = Tensor::FromVector<float>({1, 2}, Shape{2, 1});
  const Tensor b = Tensor::FromVector<float>({3, 4, 5, 6}, Shape{2, 2});
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  for (const int axis : {1, -1}) {
    const auto joined = [&] { return Concat({a, b}, axis); };
    EXPECT_EQ(joined().ToVector<float>(), (Floats{1, 3, 4, 2, 5, 6}));
    const auto d = GradientsOf([&] { return Multiply(joined(), w); }, {a, b});
    EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 4}));
    EXPECT_EQ(d[1].ToVector<float>(), (Floats{2, 3, 5, 6}));
  }
}

TEST(ConcatTest, RowsAndEmptyPieces) {
  const Tensor a = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor none = Tensor::Zeros(Shape{0, 2});
  const auto d = GradientsOf(
      [&] {
        return Concat({a, none, a}, 0);
      },
      {a, none});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{2, 2}));
  EXPECT_EQ(d[1].shape(), (Shape{0, 2}));
  EXPECT_THROW(Concat({}, 0), Error);
}

TEST(GatherTest, RepeatedRowsAddGradients) {
  const Tensor table =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const Tensor ids = Tensor::FromVector<int64_t>({1, 0, 1});
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  EXPECT_EQ(Gather(table, ids).ToVector<float>(), (Floats{3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(GradientOf([&] { return Multiply(Gather(table, ids), w); }, table)
                .ToVector<float>(),
            (Floats{3, 4, 6, 8, 0, 0}));
  EXPECT_THROW(Gather(table, Tensor::FromVector<int64_t>({3})), Error);
}

TEST(Pad2DTest, AgreesWithDifferences) {
  const Tensor x =
      Tensor::FromVector<double>({0.5, -0.25, 0.75, 1}, Shape{1, 2, 2, 1});
  const auto pad = [](const Tensor& t) { return Pad2D(t, {1, 0, 0, 1}); };
  EXPECT_LT(GradientError(pad, x), kGradientTolerance);
}

TEST(Pad2DTest, BorderHasNoGradient) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 1, 2, 1});
  const Tensor weights =
      Tensor::FromVector<float>({5, 6, 7}, Shape{1, 1, 3, 1});
  const Tensor dx =
      GradientOf([&] { return Multiply(Pad2D(x, {.left = 1}), weights); }, x);
  EXPECT_EQ(dx.ToVector<float>(), (std::vector<float>{6, 7}));
}

}  // namespace
}  // namespace lockstep::ops
