#include "reference/kernels/padding.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep::kernels {
namespace {

TEST(PaddingTest, ValidWindowsLieInside) {
  EXPECT_EQ(PlaceWindows("T", 28, 3, 1, Padding::kValid), (Windows{26, 0, 0}));
  EXPECT_EQ(PlaceWindows("T", 11, 2, 2, Padding::kValid), (Windows{5, 0, 0}));
  EXPECT_EQ(PlaceWindows("T", 3, 3, 5, Padding::kValid), (Windows{1, 0, 0}));
}

TEST(PaddingTest, SameGivesOneWindowAStride) {
  EXPECT_EQ(PlaceWindows("T", 28, 3, 1, Padding::kSame), (Windows{28, 1, 1}));
  EXPECT_EQ(PlaceWindows("T", 5, 2, 2, Padding::kSame), (Windows{3, 0, 1}));
  EXPECT_EQ(PlaceWindows("T", 6, 4, 1, Padding::kSame), (Windows{6, 1, 2}));
  EXPECT_EQ(PlaceWindows("T", 4, 1, 2, Padding::kSame), (Windows{2, 0, 0}));
  EXPECT_EQ(PlaceWindows("T", 0, 3, 2, Padding::kSame), (Windows{0, 0, 0}));
}

TEST(PaddingTest, RefusesWhatCannotBe) {
  EXPECT_THROW(PlaceWindows("T", 2, 3, 1, Padding::kValid), Error);
  EXPECT_THROW(PlaceWindows("T", 2, 0, 1, Padding::kValid), Error);
  EXPECT_THROW(PlaceWindows("T", 2, 1, 0, Padding::kSame), Error);
}

}  // namespace
}  // namespace lockstep::kernels
