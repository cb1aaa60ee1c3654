#include "reference/metrics/mean.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

Tensor Floats(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

TEST(MeanTest, IsOverAllUpdates) {
  Mean mean;
  EXPECT_EQ(mean.Result(), 0.0);
  mean.UpdateState(Floats({1, 2}));
  mean.UpdateState(Floats({6}));
  EXPECT_EQ(mean.Result(), 3.0);
}

TEST(MeanTest, AnEmptyBatchChangesNothing) {
  Mean mean;
  mean.UpdateState(Floats({4}));
  mean.UpdateState(Floats({}));
  EXPECT_EQ(mean.Result(), 4.0);
}

TEST(MeanTest, WeighsValues) {
  Mean mean;
  mean.UpdateState(Floats({1, 2, 3}), Floats({1, 0, 1}));
  mean.UpdateState(Floats({10}), Floats({0.5}));
  EXPECT_EQ(mean.Result(), 3.6);  // (1 + 3 + 5) / 2.5
}

TEST(MeanTest, AWeightARowCountsForItsElements) {
  Mean mean;
  mean.UpdateState(Tensor::FromVector<float>({1, 3, 5, 7}, Shape{2, 2}),
                   Floats({1, 0}));
  EXPECT_EQ(mean.Result(), 2.0);
}

TEST(MeanTest, AScalarWeightCountsForAll) {
  Mean mean;
  mean.UpdateState(Floats({1, 3}), Tensor::Scalar(0.5f));
  EXPECT_EQ(mean.Result(), 2.0);
}

TEST(MeanTest, RefusesWeightsThatDoNotFit) {
  Mean mean;
  EXPECT_THROW(mean.UpdateState(Floats({1, 2, 3}), Floats({1, 2})), Error);
  EXPECT_EQ(mean.Result(), 0.0);
}

TEST(MeanTest, ResetForgets) {
  Mean mean;
  mean.UpdateState(Floats({4}));
  mean.ResetState();
  EXPECT_EQ(mean.Result(), 0.0);
  mean.UpdateState(Floats({5}));
  EXPECT_EQ(mean.Result(), 5.0);
}

TEST(MeanTest, TakesIntegers) {
  Mean mean;
  mean.UpdateState(Tensor::FromVector<int64_t>({0, 1, 2, 3}));
  EXPECT_EQ(mean.Result(), 1.5);
}

}  // namespace
}  // namespace lockstep
