#include "reference/kernels/device_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <thread>

#include "reference/base/error.h"
#include "reference/device/fake_gpu.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/gpu_libraries.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

template <class Call>
std::string MessageOf(Code code, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

class OnGpuTest : public testing::Test {
 protected:
  void SetUp() override { SetLogicalCpuDevices(2); }
  void TearDown() override { SetLogicalCpuDevices(1); }

  Tensor On(Device& device) {
    return Tensor::Empty(Shape{2}, DType::kFloat32, device);
  }

  FakeGpu first_{0};
  FakeGpu second_{1};
};

TEST_F(OnGpuTest, FalseForTensorsOnTheHost) {
  EXPECT_FALSE(OnGpu("Add", On(FindDevice("CPU:0"))));
  EXPECT_FALSE(OnGpu("Add", On(FindDevice("CPU:0")), On(FindDevice("CPU:1"))));
}

TEST_F(OnGpuTest, TrueForTensorsOnOneGpu) {
  EXPECT_TRUE(OnGpu("Add", On(first_.device())));
  EXPECT_TRUE(OnGpu("Add", On(first_.device()), On(first_.device())));
  EXPECT_TRUE(OnGpu("Add", On(first_.device()), Tensor()));
}

TEST_F(OnGpuTest, RefusesTwoDevices) {
  EXPECT_EQ(
      MessageOf(
          Code::kInvalidArgument,
          [&] { OnGpu("Add", On(first_.device()), On(FindDevice("CPU:1"))); }),
      "[Add] tensors must be on one device, got GPU:0 and CPU:1");
  EXPECT_EQ(MessageOf(Code::kInvalidArgument,
                      [&] {
                        OnGpu("Add", On(FindDevice("CPU:0")),
                              On(FindDevice("CPU:0")), On(first_.device()));
                      }),
            "[Add] tensors must be on one device, got CPU:0 and GPU:0");
  EXPECT_EQ(MessageOf(Code::kInvalidArgument,
                      [&] {
                        OnGpu("Add", On(first_.device()), On(second_.device()));
                      }),
            "[Add] tensors must be on one device, got GPU:0 and GPU:1");
}

}  // namespace
}  // namespace lockstep::kernels

namespace lockstep {
namespace {

TEST(GpuMathTest, IsExactByDefault) {
  EXPECT_EQ(CurrentGpuMath(),
            (GpuMath{.allow_tf32 = false, .autotune = false}));
  EXPECT_EQ(Describe(CurrentGpuMath()), "tf32 off, autotune off");
}

TEST(GpuMathTest, IsSetAndDescribed) {
  SetGpuMath({.allow_tf32 = true});
  EXPECT_TRUE(CurrentGpuMath().allow_tf32);
  EXPECT_EQ(Describe(CurrentGpuMath()), "tf32 on, autotune off");
  SetGpuMath({.autotune = true});
  EXPECT_EQ(Describe(CurrentGpuMath()), "tf32 off, autotune on");
  SetGpuMath({});
  EXPECT_EQ(CurrentGpuMath(), GpuMath{});
}

TEST(LibraryCallsTest, GoToTheInnermostScope) {
  LibraryCalls outer, inner;
  EXPECT_EQ(LibraryCalls::Current(), nullptr);
  {
    const LibraryCalls::Scope scope(&outer);
    LibraryCalls::Current()->Add({"first", {}});
    {
      const LibraryCalls::Scope within(&inner);
      LibraryCalls::Current()->Add({"second", {}});
      const LibraryCalls::Scope nowhere(nullptr);
      EXPECT_EQ(LibraryCalls::Current(), nullptr);
    }
    LibraryCalls::Current()->Add({"first", {}});
    std::thread([] { EXPECT_EQ(LibraryCalls::Current(), nullptr); }).join();
  }
  EXPECT_EQ(LibraryCalls::Current(), nullptr);
  ASSERT_EQ(outer.list().size(), 2u);
  EXPECT_EQ(outer.list()[1].name, "first");
  ASSERT_EQ(inner.list().size(), 1u);
  EXPECT_EQ(inner.list()[0].name, "second");
}

}  // namespace
}  // namespace lockstep

namespace lockstep::kernels {

// The cases for GPU kernels run on the host, and calls with tensors on a GPU
// never run the host's kernel.

namespace {

TEST(KernelCasesTest, NamesAreUniqueAndCasesRunOnTheHost) {
  std::set<std::string> names;
  for (const KernelCase& test : AllKernelCases()) {
    EXPECT_TRUE(names.insert(test.name).second) << test.name;
    const Tensors first = test.compute(test.inputs);
    EXPECT_FALSE(first.empty()) << test.name;
    EXPECT_EQ(Difference(test.compute(test.inputs), first, 0), "") << test.name;
  }
}

// The fake GPU has no kernels, and its memory faults when the host accesses it.
TEST(KernelCasesTest, HostDoesNotAccessGpuMemory) {
  FakeGpu gpu(0, size_t{2} << 30);
  for (const KernelCase& test : AllKernelCases()) {
    if (test.name.starts_with("Views")) continue;  // needs no kernel
    Tensors inputs;
    for (const Tensor& input : test.inputs) {
      inputs.push_back(input.To(gpu.device()));
    }
    bool launches = false;
    try {
      for (const Tensor& result : test.compute(inputs)) {
        launches |= !result.on_host() && result.num_elements() > 0;
      }
      // Same type, one piece: nothing to compute.
      launches &=
          !test.name.starts_with("Cast") && !test.name.starts_with("Split");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kUnimplemented)
          << test.name << ": " << error.what();
    }
    EXPECT_FALSE(launches) << test.name;
  }
}

// The current device is a GPU whose memory faults when the host accesses it.
TEST(KernelCasesTest, HostTensorsAreComputedOnTheHost) {
  FakeGpu gpu;
  for (const KernelCase& test : AllKernelCases()) {
    SCOPED_TRACE(test.name);
    const Tensors wanted = test.compute(test.inputs);
    const DeviceScope on_gpu(gpu.device());
    const Tensors results = test.compute(test.inputs);
    EXPECT_EQ(Difference(results, wanted, 0), "");
    for (const Tensor& result : results) {
      EXPECT_TRUE(!result.defined() || result.on_host());
    }
  }
  EXPECT_EQ(gpu.transfers(), 0);
}

// A GPU's convolution may round differently.
TEST(KernelCasesTest, FusedPoolsHaveClearWinners) {
  int fused = 0;
  for (const KernelCase& test : ProductCases()) {
    if (!test.name.starts_with("Conv2DReluMaxPool2D")) continue;
    ++fused;
    Tensors inputs = test.inputs;
    const Tensor noise =
        Scale(Fractions(inputs[0].shape(), 9).ToHost(), 0x1p-12);
    inputs[0] = Add(inputs[0], noise);
    EXPECT_TRUE(
        BitwiseEqual(test.compute(inputs)[1], test.compute(test.inputs)[1]))
        << test.name;
  }
  EXPECT_EQ(fused, 4);
}

TEST(KernelCasesTest, AwkwardHasAllKindsOfNumbers) {
  const std::vector<float> x = Awkward<float>(Shape{1000}).ToVector<float>();
  const auto count = [&](auto predicate) {
    return std::count_if(x.begin(), x.end(), predicate);
  };
  EXPECT_GT(count([](float v) { return std::isnan(v); }), 0);
  EXPECT_GT(count([](float v) { return std::isinf(v) && v < 0; }), 0);
  EXPECT_GT(count([](float v) { return v == 0 && std::signbit(v); }), 0);
  EXPECT_GT(count([](float v) { return std::fpclassify(v) == FP_SUBNORMAL; }),
            0);
  EXPECT_GT(count([](float v) { return std::isnormal(v); }), 500);
}

TEST(KernelCasesTest, FindsDifferences) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::FromVector<float>({1, nan, -0.0f, 100});
  const auto with = [&](int64_t index, float value) {
    std::vector<float> values = x.ToVector<float>();
    values[index] = value;
    return Tensors{Tensor::FromVector(values)};
  };
  EXPECT_EQ(Difference({x}, {x}, 0), "");
  EXPECT_EQ(Difference(with(0, 1 + 0x1p-23f), {x}, 0),
            "result 0: element 0 of float32 (4,) is 1.0000001192092896 instead "
            "of 1");
  EXPECT_EQ(Difference(with(0, 1 + 0x1p-23f), {x}, 1), "");
  EXPECT_NE(Difference(with(0, 1 + 0x1p-22f), {x}, 1), "");
  EXPECT_NE(Difference(with(1, 0), {x}, 4), "");
  EXPECT_NE(Difference(with(0, nan), {x}, 4), "");
  EXPECT_NE(Difference(with(2, 0), {x}, 4), "");
  EXPECT_EQ(Difference({}, {x}, 0), "0 results instead of 1");
  EXPECT_EQ(Difference({x.Reshape(Shape{2, 2})}, {x}, 0),
            "result 0: float32 (2, 2) instead of float32 (4,)");
  const Tensor n = Tensor::FromVector<int32_t>({1});
  EXPECT_EQ(Difference({Tensor::FromVector<int32_t>({2})}, {n}, 9),
            "result 0: integers differ");
}

}  // namespace
}  // namespace lockstep::kernels
