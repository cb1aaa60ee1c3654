#include "reference/metrics/sparse_categorical_accuracy.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

const Tensor kScores =
    Tensor::FromVector<float>({9, 1, 0, 0, 5, 1, 2, 3, 1}, Shape{3, 3});

TEST(SparseCategoricalAccuracyTest, TheLargestScoreIsTheChoice) {
  SparseCategoricalAccuracy accuracy;
  accuracy.UpdateState(Tensor::FromVector<int64_t>({0, 1, 0}), kScores);
  accuracy.UpdateState(Tensor::FromVector<uint8_t>({1}, Shape{1, 1}),
                       kScores.Slice(1, 2));
  EXPECT_EQ(accuracy.Result(), 0.75);
}

TEST(SparseCategoricalAccuracyTest, AnEmptyBatchChangesNothing) {
  SparseCategoricalAccuracy accuracy;
  accuracy.UpdateState(Tensor::Empty(Shape{0}, DType::kInt64),
                       kScores.Slice(0, 0));
  EXPECT_EQ(accuracy.Result(), 0.0);
}

TEST(SparseCategoricalAccuracyTest, RefusesShapesThatDoNotFit) {
  SparseCategoricalAccuracy accuracy;
  EXPECT_THROW(
      accuracy.UpdateState(Tensor::FromVector<int64_t>({0, 1}), kScores),
      Error);
  EXPECT_THROW(
      accuracy.UpdateState(Tensor::Scalar<int64_t>(0), Tensor::Scalar(1.0f)),
      Error);
}

}  // namespace
}  // namespace lockstep
