// Tests the GPU code of pooling, normalization and padding on threads of the
// host.
#include <gtest/gtest.h>

#include "reference/device/gpu_testing.h"
#include "reference/kernels/normalization/batch_norm.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

class LayersEmulatedTest : public GpuTest {};

TEST_F(LayersEmulatedTest, EqualTheHost) {
  for (const KernelCase& test : LayerCases()) {
    SCOPED_TRACE(test.name);
    const Tensors wanted = test.compute(test.inputs);
    Tensors inputs;
    for (const Tensor& input : test.inputs) inputs.push_back(input.To(gpu()));
    EXPECT_EQ(Difference(test.compute(inputs), wanted, test.ulps), "");
  }
}

// Values per channel are float32 for 16-bit images. Two rows of one channel:
// mean 2, variance 1, both exact.
TEST_F(LayersEmulatedTest, MomentsOf16BitsAreFloat32) {
  const auto narrow = [&](const std::vector<float>& values) {
    return Tensor::FromVector(values, Shape{2, 1})
        .Cast(DType::kBFloat16)
        .To(gpu());
  };
  const Tensor x = narrow({1, 3});
  const BatchNormOptions options{.epsilon = 0};
  const auto out = gpu::BatchNorm(x, {}, {}, {}, options);
  ASSERT_EQ(out.mean.dtype(), DType::kFloat32);
  ASSERT_EQ(out.variance.dtype(), DType::kFloat32);
  EXPECT_EQ(out.mean.ToVector<float>(), std::vector<float>{2});
  EXPECT_EQ(out.variance.ToVector<float>(), std::vector<float>{1});
  EXPECT_EQ(out.y.ToHost().Cast(DType::kFloat32).ToVector<float>(),
            (std::vector<float>{-1, 1}));
  const auto gradients = gpu::BatchNormBackward(
      {x, {}, out.mean, out.variance, out.y}, narrow({1, 5}), options, false);
  ASSERT_EQ(gradients.gamma.dtype(), DType::kFloat32);
  ASSERT_EQ(gradients.beta.dtype(), DType::kFloat32);
  EXPECT_EQ(gradients.gamma.ToVector<float>(), std::vector<float>{4});
  EXPECT_EQ(gradients.beta.ToVector<float>(), std::vector<float>{6});
}

// 1/3, 1/4, 1/5... in blocks of 64 rows: another order of additions gives other
// last bits.
TEST_F(LayersEmulatedTest, ShapeDeterminesTheOrderOfSums) {
  std::vector<double> x(700);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 1 / (3 + static_cast<double>(i));
  const auto out =
      BatchNorm(Tensor::FromVector(x, Shape{700, 1}, gpu()), {}, {}, {}, {});
  EXPECT_EQ(out.mean.ToVector<double>(),
            std::vector<double>{cuda::OrderedSum(x, 8, 64) / 700});
}

}  // namespace
}  // namespace lockstep::kernels
