#include "reference/tensor/tensor_spec.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(TensorSpecTest, DescribesATensor) {
  const TensorSpec spec = SpecOf(Tensor::Zeros(Shape{2, 3}, DType::kInt64));
  EXPECT_EQ(spec, (TensorSpec{Shape{2, 3}, DType::kInt64}));
  EXPECT_NE(spec, (TensorSpec{Shape{2, 3}, DType::kFloat32}));
  EXPECT_NE(spec, (TensorSpec{Shape{3, 2}, DType::kInt64}));
}

TEST(TensorSpecTest, IsWrittenWithNoneForAnUnknownDimension) {
  EXPECT_EQ(ToString(TensorSpec{Shape{kUnknownDim, 28}, DType::kUInt8}),
            "uint8 (None, 28)");
}

}  // namespace
}  // namespace lockstep
