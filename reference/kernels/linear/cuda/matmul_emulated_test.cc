// Tests matrix products with a fake cuBLASLt: which plans are chosen, and what
// our own kernel adds.
#include <gtest/gtest.h>

#include <set>

#include "reference/base/error.h"
#include "reference/device/gpu_testing.h"
#include "reference/device/kernel_scope.h"
#include "reference/kernels/gpu_libraries.h"
#include "reference/kernels/linear/cuda/fake_cublaslt.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

using cuda::FakeCublasLt;
using cuda::FakeProduct;

class MatMulEmulatedTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    fake() = {};
  }
  void TearDown() override {
    SetGpuMath({});
    GpuTest::TearDown();
  }
  static FakeCublasLt& fake() { return FakeCublasLt::Current(); }

  // Plans are cached, so each product of a test has a different shape.
  Tensor Product(int64_t rows) {
    return MatMul(SmallIntegers(Shape{rows, 3}, 1).To(gpu()),
                  SmallIntegers(Shape{3, 4}, 2).To(gpu()));
  }
  // A product with ReLU and a NaN.
  Tensor ReluOfNaN(int64_t rows) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    return Dense(Tensor::Full(Shape{rows, 3}, nan, gpu()),
                 Tensor::Full(Shape{3, 4}, 1.0f, gpu()),
                 Tensor::Full(Shape{4}, 1.0f, gpu()), true);
  }
};

// The library refuses a bias for odd numbers of columns, in one of two ways.
TEST_F(MatMulEmulatedTest, EqualsTheHost) {
  fake().odd_bias = CUBLAS_STATUS_INVALID_VALUE;
  std::set<cublasLtEpilogue_t> epilogues;
  for (const KernelCase& test : ProductCases()) {
    if (!test.name.starts_with("MatMul") && !test.name.starts_with("Dense")) {
      continue;
    }
    SCOPED_TRACE(test.name);
    const Tensors wanted = test.compute(test.inputs);
    const DeviceScope scope(gpu());
    Tensors inputs;
    for (const Tensor& input : test.inputs) inputs.push_back(input.To(gpu()));
    EXPECT_EQ(Difference(test.compute(inputs), wanted, test.ulps), "");
  }
  for (const FakeProduct& run : fake().runs) epilogues.insert(run.epilogue);
  EXPECT_EQ(epilogues.size(), 4u);  // none, bias, ReLU, both
}

// 16 * 16 + 1 = 257 is not a bfloat16 number and would be rounded to 256, and
// so would 256 + 1; but 257 + 1 is one.
TEST_F(MatMulEmulatedTest, Rounds16BitBiasOnce) {
  fake().odd_bias = CUBLAS_STATUS_NOT_SUPPORTED;
  const auto narrow = [&](std::vector<float> values, const Shape& shape) {
    return Tensor::FromVector(values, shape, gpu()).Cast(DType::kBFloat16);
  };
  const Tensor y =
      Dense(narrow({16, 1}, Shape{1, 2}), narrow({16, 1}, Shape{2, 1}),
            narrow({1}, Shape{1}), false);
  EXPECT_EQ(y.dtype(), DType::kBFloat16);
  EXPECT_EQ(y.Cast(DType::kFloat32).ToVector<float>(), std::vector<float>{258});
  EXPECT_EQ(fake().runs.back(),
            (FakeProduct{CUBLASLT_EPILOGUE_DEFAULT, CUDA_R_32F, 0}));
}

TEST_F(MatMulEmulatedTest, SkipsFailingAlgorithms) {
  fake().run_status = [](const FakeProduct& run) {
    return run.algorithm < 2 ? CUBLAS_STATUS_EXECUTION_FAILED
                             : CUBLAS_STATUS_SUCCESS;
  };
  Product(5);
  EXPECT_EQ(fake().runs.size(), 2u);  // tried, then run
  EXPECT_EQ(fake().runs.back().algorithm, 2);
  fake().run_status = [](const FakeProduct&) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  };
  try {
    Product(6);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnimplemented);
    EXPECT_STREQ(error.what(),
                 "[MatMul] cuBLASLt 0 has no algorithm, of 3 offered, for "
                 "MatMul 6 x 3 x 4, float32; the last said: [MatMul] run: "
                 "STATUS: set by the test");
  }
  fake().run_status = [](const FakeProduct&) {
    return CUBLAS_STATUS_ALLOC_FAILED;
  };
  try {
    Product(7);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
  }
}

TEST_F(MatMulEmulatedTest, AbandonsReluThatLosesNaNTwice) {
  fake().relu_loses_nan = true;
  for (const float value : ReluOfNaN(8).ToVector<float>()) {
    EXPECT_TRUE(std::isnan(value));
  }
  const FakeProduct relu{CUBLASLT_EPILOGUE_RELU_BIAS, CUDA_R_32F, 0};
  const FakeProduct next{CUBLASLT_EPILOGUE_RELU_BIAS, CUDA_R_32F, 1};
  const FakeProduct bias{CUBLASLT_EPILOGUE_BIAS, CUDA_R_32F, 0};
  EXPECT_EQ(fake().runs, (std::vector<FakeProduct>{relu, next, bias, bias}));
  fake() = {};
  ReluOfNaN(9);
  EXPECT_EQ(fake().runs, (std::vector<FakeProduct>{relu, relu}));
}

// Plans are timed in a graph, which excludes the host's time.
TEST_F(MatMulEmulatedTest, AutotuningTakesTheFastest) {
  CountingTimers timers;
  SetGpuMath({.autotune = true});
  fake().at_run = [&](const FakeProduct& run) {
    timers.Count(run.algorithm == 1 ? 1 : 5);
  };
  const Tensor wanted = Product(10).ToHost();
  EXPECT_EQ(fake().runs.back().algorithm, 1);
  // Each plan is tried once, run once more, and captured five times.
  EXPECT_EQ(fake().runs.size(), 3 * (1 + 1 + 5) + 1u);
  EXPECT_TRUE(BitwiseEqual(Product(10).ToHost(), wanted));
}

}  // namespace
}  // namespace lockstep::kernels
