#include "reference/autodiff/ops/match_ranks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

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

}  // namespace
}  // namespace lockstep::ops
