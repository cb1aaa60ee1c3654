#include "reference/kernels/broadcast_to.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(BroadcastToTest, Repeats) {
  const Tensor row = Tensor::FromVector<int64_t>({1, 2});
  EXPECT_EQ(BroadcastTo(row, Shape{2, 2}).ToVector<int64_t>(),
            (std::vector<int64_t>{1, 2, 1, 2}));
  EXPECT_EQ(
      BroadcastTo(row.Reshape(Shape{2, 1}), Shape{2, 3}).ToVector<int64_t>(),
      (std::vector<int64_t>{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(BroadcastTo(Tensor::Scalar(true), Shape{2}).ToVector<bool>(),
            (std::vector<bool>{true, true}));
  EXPECT_EQ(BroadcastTo(row, Shape{0, 2}).shape(), (Shape{0, 2}));
}

TEST(BroadcastToTest, RefusesToShrink) {
  const Tensor row = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { BroadcastTo(row, Shape{1}); }, "(2,)");
  ExpectInvalid([&] { BroadcastTo(row, Shape{3}); }, "do not broadcast");
  ExpectInvalid([&] { BroadcastTo(Tensor(), Shape{3}); }, "no tensor");
}

}  // namespace
}  // namespace lockstep::kernels
