// Compares the layers of convolutional networks on a GPU with the host's
// kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/device/gpu_testing.h"
#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/gpu_libraries.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

class NetworksGpuTest : public GpuTest {
 protected:
  void TearDown() override {
    SetGpuMath({});
    GpuTest::TearDown();
  }
  Tensor OnGpu(const Tensor& x) { return x.To(gpu()); }
  // Runs all cases with the current choice of plans.
  void RunCases() {
    std::vector<KernelCase> cases = ProductCases();
    for (KernelCase& layer : LayerCases()) cases.push_back(std::move(layer));
    for (const KernelCase& test : cases) {
      SCOPED_TRACE(test.name);
      const Tensors wanted = test.compute(test.inputs);
      DeviceScope scope(gpu());
      Tensors inputs;
      for (const Tensor& input : test.inputs) inputs.push_back(OnGpu(input));
      EXPECT_EQ(Difference(test.compute(inputs), wanted, test.ulps), "");
      // From the plan cache.
      EXPECT_EQ(Difference(test.compute(inputs), wanted, test.ulps), "");
    }
  }
};

TEST_F(NetworksGpuTest, EqualTheHost) { RunCases(); }

TEST_F(NetworksGpuTest, EqualTheHostWithAutotuning) {
  SetGpuMath({.autotune = true});
  RunCases();
}

TEST_F(NetworksGpuTest, AcceptUnalignedSlices) {
  const Tensor x = SmallIntegers(Shape{5, 7, 5, 3}, 1);
  const Tensor filter = SmallIntegers(Shape{3, 3, 3, 5}, 2);
  const Tensor wanted = Conv2D(x.Slice(1, 4), filter, {}, {});
  const Tensor y = Conv2D(OnGpu(x).Slice(1, 4), OnGpu(filter), {}, {});
  EXPECT_EQ(Difference({y}, {wanted}, 0), "");
  const Tensor a = SmallIntegers(Shape{9, 7}, 3);
  const Tensor b = SmallIntegers(Shape{7, 3}, 4);
  EXPECT_EQ(Difference({MatMul(OnGpu(a).Slice(1, 8), OnGpu(b))},
                       {MatMul(a.Slice(1, 8), b)}, 0),
            "");
}

// 1 + 2^-12 has more bits than TensorFloat-32, which rounds it to 1.
TEST_F(NetworksGpuTest, Float32KeepsItsBitsByDefault) {
  const float value = 1 + 0x1p-12f;
  const Tensor a = OnGpu(Tensor::Full(Shape{64, 64}, value));
  const Tensor b = OnGpu(Tensor::Full(Shape{64, 64}, 1.0f));
  EXPECT_EQ(MatMul(a, b).at<float>(0), 64 * value);
  const Tensor x = OnGpu(Tensor::Full(Shape{8, 16, 16, 32}, value));
  const Tensor filter = OnGpu(Tensor::Full(Shape{1, 1, 32, 64}, 1.0f));
  EXPECT_EQ(Conv2D(x, filter, {}, {}).at<float>(0), 32 * value);
  SetGpuMath({.allow_tf32 = true});
  // Rounding is allowed, not required: 64 or 64 + 2^-6.
  const float loose = MatMul(a, b).at<float>(0);
  EXPECT_TRUE(loose == 64.0f || loose == 64 * value) << loose;
}

TEST_F(NetworksGpuTest, AreDeterministic) {
  const Tensor x = OnGpu(Fractions(Shape{21, 9, 9, 16}, 1));
  const Tensor filter = OnGpu(Fractions(Shape{3, 3, 16, 24}, 2));
  const Tensor y = Conv2D(x, filter, {}, {});
  const auto first = Conv2DBackward(x, filter, {}, y, {}, true);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(BitwiseEqual(Conv2D(x, filter, {}, {}), y));
    const auto again = Conv2DBackward(x, filter, {}, y, {}, true);
    ASSERT_TRUE(BitwiseEqual(again.x, first.x));
    ASSERT_TRUE(BitwiseEqual(again.filter, first.filter));
    ASSERT_TRUE(BitwiseEqual(again.bias, first.bias));
  }
}

TEST_F(NetworksGpuTest, ReportLibraryCalls) {
  const Tensor x = OnGpu(SmallIntegers(Shape{4, 6, 6, 3}, 1));
  const Tensor filter = OnGpu(SmallIntegers(Shape{3, 3, 3, 8}, 2));
  const Tensor a = OnGpu(SmallIntegers(Shape{9, 7}, 3));
  const Tensor b = OnGpu(SmallIntegers(Shape{7, 3}, 4));
  LibraryCalls calls;
  {
    const LibraryCalls::Scope scope(&calls);
    Conv2D(x, filter, {}, {});
    MatMul(a, b);
  }
  MatMul(a, b);
  ASSERT_EQ(calls.list().size(), 2u);
  EXPECT_EQ(calls.list()[0].name.substr(0, 28), "Conv2D forward 4 x 6 x 6 x 3");
  EXPECT_EQ(calls.list()[1].name, "MatMul 9 x 7 x 3, float32");
  for (const LibraryCall& call : calls.list()) {
    const auto run = call.prepare();
    for (int i = 0; i < 3; ++i) run();
  }
  gpu().memory()->Synchronize();
}

TEST_F(NetworksGpuTest, LogicalDevicesHaveOwnHandles) {
  const Tensor x = SmallIntegers(Shape{4, 6, 6, 3}, 1);
  const Tensor filter = SmallIntegers(Shape{3, 3, 3, 8}, 2);
  const Tensor wanted = Conv2D(x, filter, {}, {});
  for (Device* device : DivideGpu(3)) {
    const Tensor y = Conv2D(x.To(*device), filter.To(*device), {}, {});
    EXPECT_EQ(&y.device(), device);
    EXPECT_EQ(Difference({y}, {wanted}, 0), "");
  }
}

}  // namespace
}  // namespace lockstep::kernels
