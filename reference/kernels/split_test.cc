#include "reference/kernels/split.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

#include "reference/kernels/concat.h"
#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(SplitTest, AlongAnyAxis) {
  const Tensor x = Tensor::FromVector<float>({1, 3, 2, 4}, Shape{2, 2});
  const auto columns = Split(x, std::array<int64_t, 2>{1, 1}, 1);
  EXPECT_EQ(columns[0].shape(), (Shape{2, 1}));
  EXPECT_EQ(columns[0].ToVector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(columns[1].ToVector<float>(), (std::vector<float>{3, 4}));
  const auto rows = Split(x, std::array<int64_t, 3>{1, 0, 1}, 0);
  EXPECT_TRUE(rows[0].SharesMemoryWith(x));
  EXPECT_EQ(rows[1].shape(), (Shape{0, 2}));
  EXPECT_EQ(rows[2].ToVector<float>(), (std::vector<float>{2, 4}));
}

TEST(SplitTest, RefusesSizesThatDoNotAddUp) {
  const Tensor x = Tensor::Zeros(Shape{3});
  ExpectInvalid(
      [&] {
        Split(x, std::array<int64_t, 2>{1, 1}, 0);
      },
      "their sum is 2");
  ExpectInvalid([&] { Split(x, std::array<int64_t, 2>{4, -1}, 0); }, "[Split]");
  ExpectInvalid([&] { Split(x, std::array<int64_t, 1>{3}, 1); }, "axis 1");
}

RC_GTEST_PROP(SplitTest, ConcatUndoesIt, ()) {
  const auto sizes =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(
          rc::gen::inRange<int64_t>(0, 4)));
  const int axis = *rc::gen::inRange(0, 3);
  int64_t total = 0;
  for (const int64_t size : sizes) total += size;
  const Tensor x = SmallIntegers(Shape{2, 3, 2}.WithDim(axis, total), 1);
  RC_ASSERT(BitwiseEqual(Concat(Split(x, sizes, axis), axis), x));
}

}  // namespace
}  // namespace lockstep::kernels
