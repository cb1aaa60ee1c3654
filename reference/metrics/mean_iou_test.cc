#include "reference/metrics/mean_iou.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

Tensor ClassNumbers(const std::vector<int32_t>& values) {
  return Tensor::FromVector(values);
}

// By hand. Keras 3.15.1 gives the same, except that it adds an epsilon to each
// divisor.
TEST(MeanIouTest, IsTheMeanOverClasses) {
  MeanIou iou(2);
  iou.UpdateState(ClassNumbers({0, 0, 1, 1}), ClassNumbers({0, 1, 0, 1}));
  EXPECT_DOUBLE_EQ(iou.Result(), 1 / 3.0);
  iou.UpdateState(ClassNumbers({1, 1}), ClassNumbers({1, 1}));
  // One of three for class 0, three of five for class 1.
  EXPECT_DOUBLE_EQ(iou.Result(), (1 / 3.0 + 3 / 5.0) / 2);
  iou.ResetState();
  EXPECT_EQ(iou.Result(), 0);
}

TEST(MeanIouTest, IgnoresAbsentClasses) {
  MeanIou iou(5);
  iou.UpdateState(ClassNumbers({0, 3}), ClassNumbers({0, 0}));
  EXPECT_EQ(iou.Result(), 0.25);  // 1 of 2, and 0 of 1
}

TEST(MeanIouTest, TakesWeights) {
  MeanIou iou(2);
  iou.UpdateState(ClassNumbers({0, 0, 1, 1}), ClassNumbers({0, 1, 0, 1}),
                  Tensor::FromVector<float>({3, 0, 1, 1}));
  EXPECT_EQ(iou.Result(), 0.625);  // 3 of 4, and 1 of 2
}

TEST(MeanIouTest, IgnoresNumbersThatAreNotClasses) {
  MeanIou iou(2);
  iou.UpdateState(ClassNumbers({0, 1, -1, 0}), ClassNumbers({0, 1, 0, 2}));
  EXPECT_EQ(iou.Result(), 1);
}

TEST(MeanIouTest, RefusesWrongArguments) {
  EXPECT_EQ(CodeOf([] { MeanIou(0); }), Code::kInvalidArgument);
  MeanIou iou(2);
  EXPECT_EQ(CodeOf([&] {
              iou.UpdateState(ClassNumbers({0}), ClassNumbers({0, 1}));
            }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
