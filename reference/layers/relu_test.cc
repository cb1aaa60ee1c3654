#include "reference/layers/relu.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/unique_name.h"

namespace lockstep {
namespace {

TEST(ReLUTest, CutsNegativeElements) {
  ClearSession();
  ReLU relu;
  EXPECT_EQ(relu.name(), "re_lu");
  const Tensor x = Tensor::FromVector<float>({-1, 0, 2, -3}, Shape{2, 2});
  EXPECT_EQ(relu(x).ToVector<float>(), (std::vector<float>{0, 0, 2, 0}));
  EXPECT_EQ(relu.ComputeOutputShape(Shape{kUnknownDim, 5}),
            (Shape{kUnknownDim, 5}));
  EXPECT_TRUE(relu.variables().empty());
}

}  // namespace
}  // namespace lockstep
