#include "reference/kernels/gpu_math.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep
