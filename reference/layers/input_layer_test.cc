#include "reference/layers/input_layer.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

TEST(InputLayerTest, PassesItsShapeOnly) {
  const LayerPtr input = Input({2});
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  EXPECT_EQ((*input)(x).ToVector<float>(), (Floats{1, 2}));
  EXPECT_THROW((*input)(Tensor::Zeros(Shape{1, 3})), Error);
  EXPECT_EQ(static_cast<const InputLayer&>(*input).batch_shape(),
            (Shape{kUnknownDim, 2}));
}

}  // namespace
}  // namespace lockstep
