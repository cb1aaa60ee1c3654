#include "reference/metrics/accuracy.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

TEST(AccuracyTest, CountsEqualPairs) {
  Accuracy accuracy;
  accuracy.UpdateState(Tensor::FromVector<int64_t>({0, 1, 2, 1}),
                       Tensor::FromVector<int64_t>({0, 1, 1, 2}));
  EXPECT_EQ(accuracy.Result(), 0.5);
}

TEST(AccuracyTest, RefusesShapesThatDiffer) {
  Accuracy accuracy;
  EXPECT_THROW(accuracy.UpdateState(Tensor::FromVector<int64_t>({0, 1}),
                                    Tensor::FromVector<int64_t>({0})),
               Error);
}

}  // namespace
}  // namespace lockstep
