#include "benchmarks/micro/layers/layer_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace lockstep::benchmarks {
namespace {

LayerInputs InputsOf(const LayerWork& work) {
  return MakeLayerInputs(work, Device::Host());
}

TEST(LayerInputsTest, NoTwoElementsOfAWindowAreEqual) {
  constexpr int64_t kSize = 300;  // more than the pattern's period
  const LayerWork work{.kind = LayerKind::kMaxPool,
                       .x = Shape{1, kSize, kSize, 2},
                       .windows = {.pool = {3, 3}, .strides = {2, 2}}};
  const Tensor x = InputsOf(work).x;
  for (int64_t row = 0; row + 3 <= kSize; ++row) {
    for (int64_t column = 0; column + 3 <= kSize; ++column) {
      std::set<float> window;
      for (int64_t i = 0; i < 9; ++i) {
        const int64_t pixel = (row + i / 3) * kSize + column + i % 3;
        window.insert(x.at<float>(pixel * 2 + 1));
      }
      ASSERT_EQ(window.size(), 9u) << row << ", " << column;
    }
  }
}

TEST(LayerInputsTest, SixteenBitsHoldThem) {
  for (LayerWork work : WorkloadLayers()) {
    if (work.dtype != DType::kBFloat16) continue;
    // Elements depend on their place alone: a few images show what all are.
    work.x = work.x.WithDim(0, 1);
    const LayerInputs narrow = InputsOf(work);
    work.dtype = DType::kFloat32;
    const LayerInputs wide = InputsOf(work);
    EXPECT_TRUE(BitwiseEqual(narrow.x.Cast(DType::kFloat32), wide.x));
    EXPECT_TRUE(BitwiseEqual(narrow.dy.Cast(DType::kFloat32), wide.dy));
  }
}

TEST(LayerInputsTest, TheGradientHasTheShapeOfTheResult) {
  const LayerWork work{.kind = LayerKind::kAvgPool, .x = Shape{2, 4, 6, 3}};
  EXPECT_EQ(InputsOf(work).dy.shape(), (Shape{2, 2, 3, 3}));
  EXPECT_FALSE(InputsOf(work).gamma.defined());
}

TEST(LayerInputsTest, SumsOfANormalizationAreExactInFloat32) {
  const LayerWork work{.kind = LayerKind::kBatchNorm,
                       .x = Shape{4, 8, 8, 3},
                       .dtype = DType::kBFloat16};
  const LayerInputs inputs = InputsOf(work);
  EXPECT_EQ(inputs.gamma.shape(), Shape{3});
  EXPECT_EQ(inputs.beta.dtype(), DType::kFloat32);
  for (const Tensor& tensor : {inputs.x, inputs.dy}) {
    const Tensor values = tensor.Cast(DType::kFloat32);
    std::set<float> different;
    for (const float value : values.span<float>()) {
      EXPECT_EQ(value, std::round(value));
      EXPECT_LE(std::abs(value), 4);  // 16 * 64 * 56 * 56 is below 2^24
      different.insert(value);
    }
    EXPECT_EQ(different.size(), 7u);
  }
}

}  // namespace
}  // namespace lockstep::benchmarks
