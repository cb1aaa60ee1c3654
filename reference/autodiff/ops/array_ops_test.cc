#include "reference/autodiff/ops/array_ops.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

const Tensor kX = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{1, 2, 3});

TEST(ReshapeTest, TheGradientGetsTheOldShape) {
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const Tensor d = GradientOf(
      [&] {
        return Multiply(Reshape(kX, Shape{3, 2}), w);
      },
      kX);
  EXPECT_EQ(d.shape(), kX.shape());
  EXPECT_EQ(d.ToVector<float>(), w.ToVector<float>());
  EXPECT_TRUE(Reshape(kX, Shape{6}).SharesMemoryWith(kX));
  EXPECT_THROW(Reshape(kX, Shape{5}), Error);
}

TEST(ReshapeTest, FlattenKeepsTheBatchAxis) {
  EXPECT_EQ(Flatten(kX).shape(), (Shape{1, 6}));
  EXPECT_EQ(Flatten(Tensor::Zeros(Shape{0, 5, 5, 64})).shape(),
            (Shape{0, 1600}));
  EXPECT_EQ(Flatten(Tensor::Zeros(Shape{4})).shape(), (Shape{4, 1}));
  EXPECT_EQ(GradientOf([] { return Flatten(kX); }, kX).shape(), kX.shape());
  EXPECT_THROW(Flatten(Tensor::Scalar(1.0f)), Error);
}

TEST(ReshapeTest, CastsBackAndForth) {
  const Tensor d = GradientOf([] { return Cast(kX, DType::kFloat64); }, kX);
  EXPECT_EQ(d.dtype(), DType::kFloat32);
  EXPECT_EQ(d.ToVector<float>(), Floats(6, 1));
  EXPECT_EQ(Cast(kX, DType::kFloat32).id(), kX.id());
}

TEST(ReshapeTest, StopGradientCutsTheWay) {
  // d/dx of x * stop(x) is x, not 2 x.
  EXPECT_EQ(GradientOf([] { return Multiply(kX, StopGradient(kX)); }, kX)
                .ToVector<float>(),
            kX.ToVector<float>());
}

Shape Aligned(const Shape& weights, const Shape& values) {
  return AlignWeights("Test", Tensor::Zeros(weights), Tensor::Zeros(values))
      .shape();
}

TEST(MatchRanksTest, SqueezesOneTrailingAxisOfLengthOne) {
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

TEST(MatchRanksTest, OtherShapesAreNamed) {
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

TEST(ConcatTest, EachPieceGetsItsPartOfTheGradient) {
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

TEST(GatherTest, RowsLookedUpTwiceGetBothGradients) {
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

TEST(Pad2DTest, GradientsAreThoseOfDifferences) {
  const Tensor x =
      Tensor::FromVector<double>({0.5, -0.25, 0.75, 1}, Shape{1, 2, 2, 1});
  const auto pad = [](const Tensor& t) { return Pad2D(t, {1, 0, 0, 1}); };
  EXPECT_LT(GradientError(pad, x), kGradientTolerance);
}

TEST(Pad2DTest, TheRimsGradientIsLost) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 1, 2, 1});
  const Tensor weights =
      Tensor::FromVector<float>({5, 6, 7}, Shape{1, 1, 3, 1});
  const Tensor dx =
      GradientOf([&] { return Multiply(Pad2D(x, {.left = 1}), weights); }, x);
  EXPECT_EQ(dx.ToVector<float>(), (std::vector<float>{6, 7}));
}

}  // namespace
}  // namespace lockstep::ops
