#include "reference/losses/sparse_categorical_crossentropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/losses/compute_average_loss.h"
#include "reference/losses/context_testing.h"

namespace lockstep::losses {
namespace {

using Floats = std::vector<float>;

Tensor PerExample(const Tensor& labels, const Tensor& predictions,
                  bool from_logits = true) {
  return SparseCategoricalCrossentropy(
      {.from_logits = from_logits, .reduction = Reduction::kNone})(labels,
                                                                   predictions);
}

TEST(SparseCategoricalCrossentropyTest, OfEqualLogitsIsTheLogOfTheirNumber) {
  const Tensor labels = Tensor::FromVector<int64_t>({0, 3});
  const Tensor losses = PerExample(labels, Tensor::Zeros(Shape{2, 4}));
  EXPECT_EQ(losses.shape(), (Shape{2}));
  for (const float loss : losses.ToVector<float>()) {
    EXPECT_FLOAT_EQ(loss, std::log(4.0f));
  }
}

TEST(SparseCategoricalCrossentropyTest, LabelsOfAnyTypeAndWithAnExtraAxis) {
  const Tensor logits = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  const Floats expected =
      PerExample(Tensor::FromVector<int64_t>({1, 0}), logits).ToVector<float>();
  EXPECT_FLOAT_EQ(expected[0], std::log1p(std::exp(-1.0f)));
  EXPECT_FLOAT_EQ(expected[1], std::log1p(std::exp(1.0f)));
  const std::vector<Tensor> same = {
      Tensor::FromVector<int32_t>({1, 0}), Tensor::FromVector<uint8_t>({1, 0}),
      Tensor::FromVector<float>({1, 0}),
      Tensor::FromVector<int64_t>({1, 0}, Shape{2, 1})};
  for (const Tensor& labels : same) {
    EXPECT_EQ(PerExample(labels, logits).ToVector<float>(), expected);
  }
}

TEST(SparseCategoricalCrossentropyTest, EveryElementOfAnImageHasALoss) {
  // LOSS-005: each element 1.3132617 = log(1 + e); divided by the elements of
  // an example and the global batch of 4: 2 * 6 * 1.3132617 / 6 / 4.
  const Tensor labels = Tensor::Zeros(Shape{2, 2, 3}, DType::kInt64);
  Tensor logits = Tensor::Zeros(Shape{2, 2, 3, 2});
  for (int64_t i = 0; i < 12; ++i) logits.mutable_data<float>()[2 * i + 1] = 1;
  const Tensor losses = PerExample(labels, logits);
  EXPECT_EQ(losses.shape(), (Shape{2, 2, 3}));
  EXPECT_NEAR(losses.at<float>(7), 1.3132617, 2e-7);
  EXPECT_NEAR(
      ComputeAverageLoss(losses, {.global_batch_size = 4}).item<float>() / 6,
      0.656631, 1e-6);
}

TEST(SparseCategoricalCrossentropyTest, ProbabilitiesAreHeldAwayFromZero) {
  const Tensor labels = Tensor::FromVector<int64_t>({1, 0, 1});
  const Tensor probabilities =
      Tensor::FromVector<float>({0.75, 0.25, 0.5, 0.5, 1, 0}, Shape{3, 2});
  const Floats losses =
      PerExample(labels, probabilities, false).ToVector<float>();
  EXPECT_FLOAT_EQ(losses[0], std::log(4.0f));
  EXPECT_FLOAT_EQ(losses[1], std::log(2.0f));
  EXPECT_NEAR(losses[2], -std::log(1e-7), 1e-5);  // not infinite
}

TEST(SparseCategoricalCrossentropyTest, HasAGradient) {
  const Tensor logits = Tensor::Zeros(Shape{1, 4});
  GradientTape tape;
  tape.Watch(logits);
  const Tensor loss = SparseCategoricalCrossentropy({.from_logits = true})(
      Tensor::FromVector<int64_t>({2}), logits);
  EXPECT_EQ(
      tape.Gradient(loss, std::vector<Tensor>{logits})[0]->ToVector<float>(),
      (Floats{0.25, 0.25, -0.75, 0.25}));
}

TEST(SparseCategoricalCrossentropyTest, AnEmptyBatchIsFine) {
  EXPECT_EQ(PerExample(Tensor::Zeros(Shape{0}, DType::kInt64),
                       Tensor::Zeros(Shape{0, 10}))
                .shape(),
            (Shape{0}));
}

TEST(SparseCategoricalCrossentropyTest, WhatDoesNotFitIsInvalid) {
  const Tensor logits = Tensor::Zeros(Shape{2, 3});
  for (const Tensor& labels :
       {Tensor::FromVector<int64_t>({0, 3}), Tensor::FromVector<int64_t>({0}),
        Tensor::FromVector<int64_t>({0, -1}), Tensor::Scalar<int64_t>(0)}) {
    EXPECT_EQ(CodeOf([&] { PerExample(labels, logits); }),
              Code::kInvalidArgument);
  }
  EXPECT_EQ(CodeOf([&] {
              PerExample(Tensor::Scalar<int64_t>(0), Tensor::Zeros(Shape{3}));
            }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::losses
