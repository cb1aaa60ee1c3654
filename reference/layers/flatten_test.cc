#include "reference/layers/flatten.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

TEST(FlattenTest, KeepsTheBatchAxis) {
  Flatten flatten;
  EXPECT_EQ(flatten(Tensor::Zeros(Shape{2, 5, 5, 3})).shape(), (Shape{2, 75}));
  EXPECT_EQ(flatten(Tensor::Zeros(Shape{0, 5, 2})).shape(), (Shape{0, 10}));
  EXPECT_EQ(flatten.ComputeOutputShape(Shape{kUnknownDim, 4, 2}),
            (Shape{kUnknownDim, 8}));
  EXPECT_TRUE(flatten.variables().empty());
  EXPECT_THROW(flatten.ComputeOutputShape(Shape{1, kUnknownDim}), Error);
}

TEST(FlattenTest, KeepsTheElements) {
  ClearSession();
  Flatten flatten;
  EXPECT_EQ(flatten.name(), "flatten");
  const Tensor x = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{1, 2, 2});
  EXPECT_EQ(flatten(x).ToVector<float>(), (Floats{1, 2, 3, 4}));
}

}  // namespace
}  // namespace lockstep
