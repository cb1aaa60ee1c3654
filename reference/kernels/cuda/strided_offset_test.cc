#include "reference/kernels/cuda/strided_offset.h"

#include <gtest/gtest.h>

namespace lockstep::cuda {
namespace {

TEST(StridedOffsetTest, NoAxesAreOneElement) {
  const StridedAxes axes{};
  EXPECT_EQ(axes.count(), 1);
  EXPECT_EQ(axes.Offset(0), 0);
}

TEST(StridedOffsetTest, WalksInRowMajorOrder) {
  StridedAxes axes;
  axes.Append(2, 100);
  axes.Append(3, 0);
  axes.Append(4, 10);
  EXPECT_EQ(axes.count(), 24);
  int64_t index = 0;
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 4; ++k) {
        EXPECT_EQ(axes.Offset(index++), 100 * i + 10 * k);
      }
    }
  }
}

TEST(StridedOffsetTest, NumbersMayBeLargerThan32Bits) {
  StridedAxes axes;
  axes.Append(int64_t{1} << 40, 2);
  axes.Append(5, 7);
  EXPECT_EQ(axes.Offset(5 * (int64_t{1} << 39) + 3), (int64_t{1} << 40) + 21);
}

}  // namespace
}  // namespace lockstep::cuda
