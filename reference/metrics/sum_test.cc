#include "reference/metrics/sum.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(SumTest, AddsWeightedValues) {
  Sum sum;
  sum.UpdateState(Tensor::FromVector<float>({1, 2}));
  sum.UpdateState(Tensor::FromVector<float>({4, 8}),
                  Tensor::FromVector<float>({1, 0.5}));
  EXPECT_EQ(sum.Result(), 11.0);
  sum.ResetState();
  EXPECT_EQ(sum.Result(), 0.0);
}

}  // namespace
}  // namespace lockstep
