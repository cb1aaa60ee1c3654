#include "reference/kernels/device_kernel.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "reference/base/error.h"
#include "reference/device/fake_gpu.h"
#include "reference/kernels/gpu_libraries.h"

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

TEST_F(OnGpuTest, TensorsOfTheHostAreNot) {
  EXPECT_FALSE(OnGpu("Add", On(FindDevice("CPU:0"))));
  EXPECT_FALSE(OnGpu("Add", On(FindDevice("CPU:0")), On(FindDevice("CPU:1"))));
}

TEST_F(OnGpuTest, TensorsOfOneGpuAre) {
  EXPECT_TRUE(OnGpu("Add", On(first_.device())));
  EXPECT_TRUE(OnGpu("Add", On(first_.device()), On(first_.device())));
  EXPECT_TRUE(OnGpu("Add", On(first_.device()), Tensor()));
}

TEST_F(OnGpuTest, TwoDevicesInOneCallAreRefused) {
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

TEST(GpuMathTest, NothingIsTradedUnlessAskedFor) {
  EXPECT_EQ(CurrentGpuMath(),
            (GpuMath{.allow_tf32 = false, .autotune = false}));
  EXPECT_EQ(Describe(CurrentGpuMath()), "tf32 off, autotune off");
}

TEST(GpuMathTest, IsSwitchedAndReported) {
  SetGpuMath({.allow_tf32 = true});
  EXPECT_TRUE(CurrentGpuMath().allow_tf32);
  EXPECT_EQ(Describe(CurrentGpuMath()), "tf32 on, autotune off");
  SetGpuMath({.autotune = true});
  EXPECT_EQ(Describe(CurrentGpuMath()), "tf32 off, autotune on");
  SetGpuMath({});
  EXPECT_EQ(CurrentGpuMath(), GpuMath{});
}

TEST(LibraryCallsTest, GoToTheInnermostScopeOfTheirThread) {
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
