#include "reference/metrics/mean_error.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

Tensor Floats(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

TEST(MeanErrorTest, OfRankOneEachValueIsAnExample) {
  MeanSquaredError squared;
  MeanAbsoluteError absolute;
  for (const std::vector<float>& labels :
       {std::vector<float>{1, 2}, std::vector<float>{},
        std::vector<float>{4}}) {
    const Tensor zeros = Tensor::Zeros(Shape{int64_t(labels.size())});
    squared.UpdateState(Floats(labels), zeros);
    absolute.UpdateState(Floats(labels), zeros);
  }
  EXPECT_EQ(squared.Result(), 7.0);  // (1 + 4 + 16) / 3
  EXPECT_FLOAT_EQ(absolute.Result(), 7.0f / 3);
}

TEST(MeanErrorTest, OfHigherRankAnExampleIsTheMeanOfItsLastAxis) {
  MeanSquaredError error;
  error.UpdateState(Tensor::FromVector<float>({1, 3, 0, 2}, Shape{2, 2}),
                    Tensor::Zeros(Shape{2, 2}), Floats({1, 3}));
  EXPECT_EQ(error.Result(), 2.75);  // (5 * 1 + 2 * 3) / 4
}

TEST(MeanErrorTest, RootIsTakenOfTheMean) {
  RootMeanSquaredError error;
  error.UpdateState(Floats({1, 2, 4}), Floats({0, 0, 0}));
  EXPECT_FLOAT_EQ(error.Result(), 2.6457513f);  // sqrt(7)
}

TEST(MeanErrorTest, RefusesShapesThatDiffer) {
  EXPECT_THROW(MeanSquaredError().UpdateState(Floats({1}), Floats({1, 2})),
               Error);
}

}  // namespace
}  // namespace lockstep
