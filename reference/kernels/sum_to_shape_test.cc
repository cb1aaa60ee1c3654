#include "reference/kernels/sum_to_shape.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "reference/kernels/broadcast_to.h"
#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(SumToShapeTest, SumsStretchedAxes) {
  const Tensor x = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  EXPECT_EQ(SumToShape(x, Shape{2}).ToVector<float>(),
            (std::vector<float>{4, 6}));
  const Tensor column = SumToShape(x, Shape{2, 1});
  EXPECT_EQ(column.shape(), (Shape{2, 1}));
  EXPECT_EQ(column.ToVector<float>(), (std::vector<float>{3, 7}));
  EXPECT_EQ(SumToShape(x, Shape{}).item<float>(), 10);
  EXPECT_EQ(SumToShape(x, Shape{1, 1}).shape(), (Shape{1, 1}));
}

TEST(SumToShapeTest, SameShapeCopiesNothing) {
  const Tensor x = Tensor::Zeros(Shape{2, 2});
  EXPECT_TRUE(SumToShape(x, x.shape()).SharesMemoryWith(x));
}

TEST(SumToShapeTest, RefusesWhatDoesNotBroadcast) {
  const Tensor x = Tensor::Zeros(Shape{2, 2});
  ExpectInvalid([&] { SumToShape(x, Shape{3}); }, "do not broadcast");
  ExpectInvalid([&] { SumToShape(x, Shape{2, 2, 2}); }, "[SumToShape]");
}

// <BroadcastTo(a), b> = <a, SumToShape(b)>.
RC_GTEST_PROP(SumToShapeTest, IsTheTransposeOfBroadcasting, ()) {
  const int rank = *rc::gen::inRange(0, 5);
  std::vector<int64_t> large, small;
  for (int i = 0; i < rank; ++i) {
    large.push_back(*rc::gen::inRange(1, 5));
    small.push_back(*rc::gen::arbitrary<bool>() ? 1 : large.back());
  }
  const int dropped = *rc::gen::inRange(0, rank + 1);
  small.erase(small.begin(), small.begin() + dropped);
  const Tensor a = SmallIntegers(Shape(small), 1);
  const Tensor b = SmallIntegers(Shape(large), 2);
  RC_ASSERT(Dot(BroadcastTo(a, b.shape()), b) ==
            Dot(a, SumToShape(b, a.shape())));
}

}  // namespace
}  // namespace lockstep::kernels
