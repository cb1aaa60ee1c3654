#include "reference/tensor/shape.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

TEST(ShapeTest, RankDimensionsAndElements) {
  const Shape shape{64, 28, 28, 1};
  EXPECT_EQ(shape.rank(), 4);
  EXPECT_EQ(shape[1], 28);
  EXPECT_EQ(shape.num_elements(), 50176);
  EXPECT_EQ(Shape{}.rank(), 0);
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ((Shape{3, 0}).num_elements(), 0);
}

TEST(ShapeTest, EqualityComparesDimensionsOfTheRank) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 0}));
  EXPECT_EQ((Shape{7, 2, 3}).Tail(), (Shape{2, 3}));
}

TEST(ShapeTest, Changes) {
  const Shape shape{4, 28};
  EXPECT_EQ(shape.WithDim(0, 5), (Shape{5, 28}));
  EXPECT_EQ(shape.Tail(), (Shape{28}));
  EXPECT_EQ(shape.Prepend(2), (Shape{2, 4, 28}));
  EXPECT_EQ(Shape{}.Prepend(2), (Shape{2}));
  EXPECT_EQ(shape, (Shape{4, 28}));
}

TEST(ShapeTest, UnknownDimensions) {
  EXPECT_TRUE((Shape{1, 2}).fully_defined());
  EXPECT_TRUE(Shape{}.fully_defined());
  EXPECT_FALSE((Shape{kUnknownDim, 2}).fully_defined());
}

TEST(ShapeTest, IsWrittenAsATuple) {
  EXPECT_EQ(ToString(Shape{}), "()");
  EXPECT_EQ(ToString(Shape{5}), "(5,)");
  EXPECT_EQ(ToString(Shape{2, 3}), "(2, 3)");
  EXPECT_EQ(ToString(Shape{kUnknownDim, 3}), "(None, 3)");
}

TEST(ShapeTest, RefusesTooManyAndNegativeDimensions) {
  const std::vector<int64_t> eight(8, 1), nine(9, 1);
  EXPECT_EQ(Shape(eight).rank(), 8);
  EXPECT_THROW(Shape{nine}, Error);
  EXPECT_THROW(Shape(eight).Prepend(1), Error);
  try {
    Shape shape{2, -2};
    FAIL() << "took a negative dimension";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace lockstep
