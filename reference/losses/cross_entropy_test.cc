#include "reference/losses/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/losses/named_loss.h"
#include "reference/losses/regression_losses.h"

namespace lockstep::losses {
namespace {

using FloatList = std::vector<float>;

Tensor PerExample(const Tensor& labels, const Tensor& predictions,
                  bool from_logits = true) {
  return SparseCategoricalCrossentropy(
      {.from_logits = from_logits, .reduction = Reduction::kNone})(labels,
                                                                   predictions);
}

TEST(SparseCategoricalCrossentropyTest, EqualLogits) {
  const Tensor labels = Tensor::FromVector<int64_t>({0, 3});
  const Tensor losses = PerExample(labels, Tensor::Zeros(Shape{2, 4}));
  EXPECT_EQ(losses.shape(), (Shape{2}));
  for (const float loss : losses.ToVector<float>()) {
    EXPECT_FLOAT_EQ(loss, std::log(4.0f));
  }
}

TEST(SparseCategoricalCrossentropyTest, TypesAndShapesOfLabels) {
  const Tensor logits = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  const FloatList expected =
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

TEST(SparseCategoricalCrossentropyTest, Images) {
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

TEST(SparseCategoricalCrossentropyTest, LimitsProbabilities) {
  const Tensor labels = Tensor::FromVector<int64_t>({1, 0, 1});
  const Tensor probabilities =
      Tensor::FromVector<float>({0.75, 0.25, 0.5, 0.5, 1, 0}, Shape{3, 2});
  const FloatList losses =
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
      (FloatList{0.25, 0.25, -0.75, 0.25}));
}

TEST(SparseCategoricalCrossentropyTest, EmptyBatch) {
  EXPECT_EQ(PerExample(Tensor::Zeros(Shape{0}, DType::kInt64),
                       Tensor::Zeros(Shape{0, 10}))
                .shape(),
            (Shape{0}));
}

// By hand. Keras 3.15 with ignore_class and PyTorch 2 with ignore_index agree.
TEST(SparseCategoricalCrossentropyTest, IgnoredLabelsDoNotCount) {
  const SparseCategoricalCrossentropy loss(
      {.from_logits = true, .ignore_class = -100});
  const Tensor labels =
      Tensor::FromVector<int64_t>({0, -100, 1, -100}, Shape{2, 2});
  const Tensor logits = Tensor::Zeros(Shape{2, 2, 4});
  const float one = std::log(4.0f);
  EXPECT_EQ(loss.PerExample(labels, logits).ToVector<float>(),
            (FloatList{one, 0, one, 0}));
  EXPECT_FLOAT_EQ(loss(labels, logits).item<float>(), one);
  EXPECT_EQ(loss.Counted(labels).ToVector<float>(), (FloatList{1, 0, 1, 0}));
  // A class may be ignored too, and so may all labels.
  const SparseCategoricalCrossentropy without_zero(
      {.from_logits = true, .ignore_class = 0});
  const Tensor zeros = Tensor::FromVector<int64_t>({0, 0}, Shape{1, 2});
  EXPECT_EQ(without_zero(zeros, Tensor::Zeros(Shape{1, 2, 4})).item<float>(),
            0.0f);
}

TEST(SparseCategoricalCrossentropyTest, IgnoredLabelsHaveNoGradient) {
  const SparseCategoricalCrossentropy loss(
      {.from_logits = true, .ignore_class = -1});
  const Tensor logits = Tensor::Zeros(Shape{2, 2});
  GradientTape tape;
  tape.Watch(logits);
  const Tensor mean = loss(Tensor::FromVector<int64_t>({1, -1}), logits);
  const auto gradients = tape.Gradient(mean, std::vector<Tensor>{logits});
  EXPECT_EQ(gradients[0]->ToVector<float>(), (FloatList{0.5f, -0.5f, 0, 0}));
}

TEST(SparseCategoricalCrossentropyTest, RefusesWrongArguments) {
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

// One loss per example, and the gradient of their sum, from Keras 3.15.1.
struct Expected {
  FloatList losses;
  FloatList gradient;
};

void ExpectLosses(const Loss& loss, const Tensor& labels,
                  const Tensor& predictions, const Expected& expected) {
  GradientTape tape;
  tape.Watch(predictions);
  const Tensor losses = loss(labels, predictions);
  const FloatList got = losses.ToVector<float>();
  const FloatList gradient =
      tape.Gradient(losses, std::vector<Tensor>{predictions})[0]
          ->ToVector<float>();
  ASSERT_EQ(got.size(), expected.losses.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_FLOAT_EQ(got[i], expected.losses[i]) << "loss " << i;
  }
  for (size_t i = 0; i < gradient.size(); ++i) {
    EXPECT_NEAR(gradient[i], expected.gradient[i], 1e-6) << "element " << i;
  }
}

const Tensor kBits = Tensor::FromVector<float>({1, 0, 1, 0, 0, 1}, Shape{2, 3});
const Tensor kLogits =
    Tensor::FromVector<float>({2, -1, 0, .5f, -3, 40}, Shape{2, 3});
const Tensor kProbabilities =
    Tensor::FromVector<float>({.9f, .2f, .5f, 0, .3f, 1}, Shape{2, 3});

TEST(BinaryCrossentropyTest, LogitsEqualKeras) {
  ExpectLosses(
      BinaryCrossentropy({.from_logits = true, .reduction = Reduction::kNone}),
      kBits, kLogits,
      {{0.377778977f, 0.340888113f},
       {-0.039734304f, 0.0896471441f, -0.166666672f, 0.207486451f,
        0.0158086251f, 0}});
  ExpectLosses(BinaryCrossentropy({.from_logits = true,
                                   .label_smoothing = 0.1,
                                   .reduction = Reduction::kNone}),
               kBits, kLogits,
               {{0.427778959f, 1.0492214f},
                {-0.0230676234f, 0.0729804784f, -0.149999991f, 0.19081977f,
                 -0.000858042389f, 0.0166666806f}});
}

TEST(BinaryCrossentropyTest, ProbabilitiesEqualKeras) {
  ExpectLosses(
      BinaryCrossentropy({.reduction = Reduction::kNone}), kBits,
      kProbabilities,
      {{0.340550423f, 0.118891738f},
       {-0.370370388f, 0.416666687f, -0.666666687f, 0, 0.476190507f, 0}});
  ExpectLosses(
      BinaryCrossentropy(
          {.label_smoothing = 0.1, .reduction = Reduction::kNone}),
      kBits, kProbabilities,
      {{0.400275737f, 0.667354822f},
       {-0.185185164f, 0.31249997f, -0.599999964f, 0, 0.396825403f, 0}});
}

TEST(BinaryCrossentropyTest, ConfidentPredictions) {
  ExpectLosses(
      BinaryCrossentropy({.from_logits = true, .reduction = Reduction::kNone}),
      Tensor::FromVector<float>({0, 1}, Shape{2, 1}),
      Tensor::FromVector<float>({-20, 12}, Shape{2, 1}),
      {{2.06115369e-09f, 6.14419348e-06f},
       {2.06115369e-09f, -6.14419348e-06f}});
}

TEST(BinaryCrossentropyTest, LabelsOfRankOne) {
  const BinaryCrossentropy loss(
      {.from_logits = true, .reduction = Reduction::kNone});
  const Tensor column = Tensor::FromVector<float>({3, 3}, Shape{2, 1});
  const Tensor losses = loss(Tensor::FromVector<int64_t>({0, 1}), column);
  EXPECT_EQ(losses.shape(), (Shape{2}));
  EXPECT_FLOAT_EQ(losses.at<float>(0) - losses.at<float>(1), 3);
}

TEST(BinaryCrossentropyTest, RefusesWrongArguments) {
  ExpectError(
      [] {
        BinaryCrossentropy()(kBits, Tensor::Zeros(Shape{2, 4}));
      },
      Code::kInvalidArgument, "float32 (2, 4)");
  ExpectError([] { BinaryCrossentropy({.label_smoothing = 1.5}); },
              Code::kInvalidArgument, "got 1.5");
}

const Tensor kShares =
    Tensor::FromVector<float>({0, 1, 0, .25f, .25f, .5f}, Shape{2, 3});

TEST(CategoricalCrossentropyTest, LogitsEqualKeras) {
  ExpectLosses(
      CategoricalCrossentropy(
          {.from_logits = true, .reduction = Reduction::kNone}),
      kShares, kLogits,
      {{3.16984606f, 20.625f},
       {0.843794703f, -0.957989931f, 0.114195198f, -0.25f, -0.25f, 0.5f}});
  ExpectLosses(CategoricalCrossentropy({.from_logits = true,
                                        .label_smoothing = 0.3,
                                        .reduction = Reduction::kNone}),
               kShares, kLogits,
               {{2.7698462f, 22.6875f},
                {0.74379468f, -0.757989943f, 0.0141951963f, -0.275000006f,
                 -0.275000006f, 0.550000012f}});
}

TEST(CategoricalCrossentropyTest, ProbabilitiesEqualKeras) {
  ExpectLosses(
      CategoricalCrossentropy({.reduction = Reduction::kNone}), kShares,
      kProbabilities,
      {{2.07944155f, 4.52729034f},
       {0.625f, -4.375f, 0.625f, 0.576923072f, -0.256410241f, 0.0769230723f}});
  ExpectLosses(CategoricalCrossentropy(
                   {.label_smoothing = 0.3, .reduction = Reduction::kNone}),
               kShares, kProbabilities,
               {{1.83740473f, 4.95378304f},
                {0.513888896f, -3.375f, 0.424999982f, 0.557692289f,
                 -0.358974338f, 0.107692301f}});
}

TEST(CategoricalCrossentropyTest, EqualsTheSparseLoss) {
  const Tensor scores = kLogits.Reshape(Shape{1, 2, 3});
  const Tensor one_hot =
      Tensor::FromVector<float>({0, 0, 1, 1, 0, 0}, Shape{1, 2, 3});
  const Tensor losses = CategoricalCrossentropy(
      {.from_logits = true, .reduction = Reduction::kNone})(one_hot, scores);
  EXPECT_EQ(losses.shape(), (Shape{1, 2}));
  EXPECT_TRUE(BitwiseEqual(
      losses,
      PerExample(Tensor::FromVector<int64_t>({2, 0}, Shape{1, 2}), scores)));
}

TEST(CategoricalCrossentropyTest, RefusesWrongArguments) {
  for (const Shape& shape : {Shape{2}, Shape{2, 1}, Shape{3, 3}}) {
    EXPECT_EQ(CodeOf([&] {
                CategoricalCrossentropy()(Tensor::Zeros(shape), kLogits);
              }),
              Code::kInvalidArgument);
  }
  EXPECT_EQ(CodeOf([] { CategoricalCrossentropy({.label_smoothing = -1}); }),
            Code::kInvalidArgument);
}

TEST(NamedLossTest, KnownNames) {
  const std::vector<std::pair<const char*, const char*>> names = {
      {"mse", "mean_squared_error"},
      {"MeanSquaredError", "mean_squared_error"},
      {"mean_absolute_error", "mean_absolute_error"},
      {"MAE", "mean_absolute_error"},
      {"bce", "binary_crossentropy"},
      {"CategoricalCrossentropy", "categorical_crossentropy"},
      {"sparse_categorical_crossentropy", "sparse_categorical_crossentropy"},
      {"SparseCategoricalCrossentropy", "sparse_categorical_crossentropy"}};
  for (const auto& [asked, name] : names) {
    EXPECT_EQ(Named(asked)->name(), name) << asked;
    EXPECT_EQ(Named(asked)->reduction(), Reduction::kAuto);
  }
  // Probabilities, as by Keras' defaults.
  EXPECT_FLOAT_EQ(
      (*Named("BinaryCrossentropy"))(kBits, kProbabilities).item<float>(),
      (0.340550423f + 0.118891738f) / 2);
}

TEST(NamedLossTest, RefusesOtherNames) {
  ExpectError([] { Named("mean_sqared_error"); }, Code::kInvalidArgument,
              "[Loss] there is no 'mean_sqared_error', only "
              "binary_crossentropy, categorical_crossentropy");
}

}  // namespace
}  // namespace lockstep::losses
