#include "reference/layers/batch_normalization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer.h"
#include "reference/regularizers/regularizer.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

// Two channels: means 3 and 10, variances 4 and 9.
const Tensor kX =
    Tensor::FromVector<float>({1, 7, 5, 13, 1, 13, 5, 7}, Shape{4, 2});

Floats Value(const Layer& norm, const std::string& name) {
  for (const auto& variable : norm.variables()) {
    if (variable->name() == norm.name() + "/" + name) {
      return variable->Read().ToVector<float>();
    }
  }
  return {};
}

TEST(BatchNormalizationTest, MakesKerasVariables) {
  ClearSession();
  BatchNormalization norm;
  norm.Build(Shape{kUnknownDim, 5, 5, 3});
  std::vector<std::string> names;
  for (const auto& variable : norm.variables()) {
    names.push_back(variable->name());
    EXPECT_EQ(variable->shape(), (Shape{3}));
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "batch_normalization/gamma", "batch_normalization/beta",
                       "batch_normalization/moving_mean",
                       "batch_normalization/moving_variance"}));
  EXPECT_EQ(Value(norm, "gamma"), Floats(3, 1));
  EXPECT_EQ(Value(norm, "beta"), Floats(3, 0));
  EXPECT_EQ(Value(norm, "moving_mean"), Floats(3, 0));
  EXPECT_EQ(Value(norm, "moving_variance"), Floats(3, 1));
  EXPECT_EQ(norm.trainable_variables().size(), 2u);
  std::vector<std::string> nodes;
  for (const auto& child : norm.trackable()->children())
    nodes.push_back(child.name);
  EXPECT_EQ(nodes, (std::vector<std::string>{"gamma", "beta", "moving_mean",
                                             "moving_variance"}));
}

TEST(BatchNormalizationTest, MixedPolicyKeepsFloat32Moments) {
  SetDTypePolicy("mixed_bfloat16");
  BatchNormalization norm({.momentum = 0, .epsilon = 0});
  SetDTypePolicy("float32");
  // 257 rounds to 256; the mean, 255.5, is not a bfloat16 number.
  const Tensor x = Tensor::FromVector<float>({255, 257, 255, 257}, Shape{4, 1});
  const Tensor y = norm(x, /*training=*/true);
  EXPECT_EQ(y.dtype(), DType::kBFloat16);
  EXPECT_EQ(ToString(y), "[[-1], [1], [-1], [1]]");
  EXPECT_EQ(Value(norm, "moving_mean"), (Floats{255.5f}));
}

TEST(BatchNormalizationTest, MovingMomentsAreAveraged) {
  BatchNormalization norm;
  norm(kX);
  ASSERT_EQ(norm.non_trainable_variables().size(), 2u);
  for (const auto& variable : norm.non_trainable_variables()) {
    EXPECT_EQ(variable->synchronization(), VariableSynchronization::kOnRead);
    EXPECT_EQ(variable->aggregation(), VariableAggregation::kMean);
  }
}

TEST(BatchNormalizationTest, Training) {
  BatchNormalization norm({.momentum = 0.5, .epsilon = 0});
  EXPECT_EQ(norm(kX, /*training=*/true).ToVector<float>(),
            (Floats{-1, -1, 1, 1, -1, 1, 1, -1}));
  EXPECT_EQ(Value(norm, "moving_mean"), (Floats{1.5f, 5}));
  EXPECT_EQ(Value(norm, "moving_variance"), (Floats{2.5f, 5}));
  norm(kX, /*training=*/true);
  EXPECT_EQ(Value(norm, "moving_mean"), (Floats{2.25f, 7.5f}));
  EXPECT_EQ(Value(norm, "moving_variance"), (Floats{3.25f, 7}));
}

TEST(BatchNormalizationTest, Inference) {
  BatchNormalization norm(
      {.epsilon = 0,
       .beta_initializer = initializers::Constant(2),
       .gamma_initializer = initializers::Constant(4),
       .moving_mean_initializer = initializers::Constant(1),
       .moving_variance_initializer = initializers::Constant(16)});
  EXPECT_EQ(norm(kX).ToVector<float>(), (Floats{2, 8, 6, 14, 2, 14, 6, 8}));
  EXPECT_EQ(Value(norm, "moving_mean"), (Floats{1, 1}));
  EXPECT_EQ(Value(norm, "moving_variance"), (Floats{16, 16}));
}

// Keras 3.15.1 on TensorFlow 2.21.0: two calls with training=True, one without;
// gradients of sum(y * w). Both compute in float32; 1e-5 allows for a few
// roundings.
constexpr float kKerasTolerance = 1e-5;

void ExpectClose(const Tensor& actual, const Floats& wanted) {
  ASSERT_EQ(actual.num_elements(), static_cast<int64_t>(wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(actual.at<float>(i), wanted[i],
                kKerasTolerance * std::max(1.0f, std::abs(wanted[i])))
        << i;
  }
}

// ((i * factor) mod modulus) - less, as [2, 2, 2, 3].
Tensor Numbers(int factor, int modulus, int less) {
  Floats values(24);
  for (int i = 0; i < 24; ++i) {
    values[i] = static_cast<float>(i * factor % modulus - less);
  }
  return Tensor::FromVector(values, Shape{2, 2, 2, 3});
}

Initializer Values(const Floats& values) {
  return [values](const Shape& shape, Random&) {
    return Tensor::FromVector(values, shape);
  };
}

struct Step {
  Tensor y;
  Gradients gradients;  // of x, gamma, beta
};

Step Differentiate(BatchNormalization& norm, bool training) {
  const Tensor x = Numbers(7, 11, 4);
  GradientTape tape;
  tape.Watch(x);
  norm.Build(x.shape());
  const Tensor gamma = norm.variables()[0]->Read();
  const Tensor beta = norm.variables()[1]->Read();
  const Tensor y = norm(x, training);
  const Tensor target = ops::Multiply(y, Numbers(5, 7, 3));
  return {y, tape.Gradient(target, std::vector<Tensor>{x, gamma, beta})};
}

TEST(BatchNormalizationTest, EqualsKeras) {
  BatchNormalization norm({.beta_initializer = Values({0, 1, -1}),
                           .gamma_initializer = Values({1, 2, 0.5f})});
  const Step first = Differentiate(norm, true);
  ExpectClose(first.y, {-2.0576904f,  4.0547595f,  -1.2721555f,  1.3018042f,
                        3.181971f,    -1.4082332f, 0.96585464f,  2.3091826f,
                        -1.5443109f,  0.6299052f,  1.4363942f,   -1.6803887f,
                        0.2939558f,   0.5636058f,  -0.31961143f, -0.041993678f,
                        -0.30918264f, -0.4556892f, -0.37794313f, -1.1819711f,
                        -0.5917669f,  -0.7138926f, -2.0547595f,  -0.7278446f});
  ExpectClose(
      *first.gradients[0],
      {-0.55165803f,  1.5273798f,   -0.13102809f,  -0.75482583f, 2.4001682f,
       -0.060464412f, -0.3649646f,  -2.8365624f,   0.010099262f, 0.02489657f,
       -1.963774f,    0.080662966f, 0.41475776f,   -1.0909855f,  -0.080662966f,
       0.8046189f,    -0.2181971f,  -0.010099262f, 1.1944802f,   0.6545913f,
       0.060464412f,  -0.76730496f, 1.5273798f,    0.13102809f});
  ExpectClose(*first.gradients[1], {3.821425f, 0, -14.152082f});
  ExpectClose(*first.gradients[2], {-3, 2, 0});
  Differentiate(norm, true);
  ExpectClose(norm.variables()[2]->Read(), {0.0422875f, -0.00995f, 0.0199f});
  ExpectClose(norm.variables()[3]->Read(), {1.1564015f, 1.084575f, 1.24875f});
}

TEST(BatchNormalizationTest, EqualsKerasInInference) {
  BatchNormalization norm(
      {.beta_initializer = Values({0, 1, -1}),
       .gamma_initializer = Values({1, 2, 0.5f}),
       .moving_mean_initializer = Values({0.0422875f, -0.00995f, 0.0199f}),
       .moving_variance_initializer =
           Values({1.1564015f, 1.084575f, 1.24875f})});
  const Step step = Differentiate(norm, false);
  ExpectClose(step.y, {-3.7573802f, 6.777758f,     -1.4561588f, 5.5378027f,
                       4.8582053f,  -1.9034171f,   4.6082845f,  2.9386525f,
                       -2.3506753f, 3.678766f,     1.0190996f,  -2.7979336f,
                       2.7492478f,  -0.9004532f,   1.6746495f,  1.8197296f,
                       -2.820006f,  1.2273912f,    0.8902113f,  -4.7395587f,
                       0.7801329f,  -0.039307002f, -6.6591115f, 0.33287454f});
  ExpectClose(*step.gradients[0],
              {-2.788555f,   3.8391056f,  0.0f,         -1.8590366f, 5.7586584f,
               0.44725832f,  -0.9295183f, -5.7586584f,  0.89451665f, 0.0f,
               -3.8391056f,  1.341775f,   0.9295183f,   -1.9195528f, -1.341775f,
               1.8590366f,   0.0f,        -0.89451665f, 2.788555f,   1.9195528f,
               -0.44725832f, -2.788555f,  3.8391056f,   0.0f});
  ExpectClose(*step.gradients[1], {4.7655125f, -0.9406768f, -46.514866f});
  ExpectClose(*step.gradients[2], {-3, 2, 0});
}

TEST(BatchNormalizationTest, FusesItsEpilogue) {
  BatchNormalization norm({.epsilon = 0});
  const Tensor addend =
      Tensor::FromVector<float>({4, 0, -2, 1, 1, -3, 0, 2}, Shape{4, 2});
  const Epilogue both{.add = true, .relu = true};
  EXPECT_TRUE(norm.impl().Fuses(both));
  const Tensor y = norm.impl().Run(kX, true, both, addend);
  EXPECT_EQ(y.ToVector<float>(), (Floats{3, 0, 0, 2, 0, 0, 1, 1}));
}

TEST(BatchNormalizationTest, EmptyBatchKeepsTheMoments) {
  BatchNormalization norm({.momentum = 0.5});
  norm(kX, true);
  EXPECT_EQ(norm(Tensor::Empty(Shape{0, 2}), true).shape(), (Shape{0, 2}));
  EXPECT_EQ(Value(norm, "moving_mean"), (Floats{1.5f, 5}));
  EXPECT_EQ(Value(norm, "moving_variance"), (Floats{2.5f, 5}));
}

TEST(BatchNormalizationTest, WithoutCenterAndScale) {
  BatchNormalization norm({.epsilon = 0, .center = false, .scale = false});
  EXPECT_EQ(norm(kX, true).ToVector<float>(),
            (Floats{-1, -1, 1, 1, -1, 1, 1, -1}));
  EXPECT_EQ(norm.variables().size(), 2u);
  EXPECT_TRUE(norm.trainable_variables().empty());
}

TEST(BatchNormalizationTest, PenaltiesOfGammaAndBeta) {
  BatchNormalization norm({.beta_initializer = initializers::Constant(3),
                           .beta_regularizer = std::make_shared<L2>(1),
                           .gamma_regularizer = std::make_shared<L2>(0.5)});
  norm(kX);
  const auto losses = norm.losses();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].item<float>(), 1);
  EXPECT_EQ(losses[1].item<float>(), 18);
}

TEST(BatchNormalizationTest, RefusesWrongArguments) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double momentum : {-0.1, 1.1, nan}) {
    EXPECT_THROW(BatchNormalization({.momentum = momentum}), Error);
  }
  EXPECT_THROW(BatchNormalization({.epsilon = -1e-3}), Error);
  EXPECT_THROW(BatchNormalization({.epsilon = nan}), Error);
  BatchNormalization norm;
  EXPECT_THROW(norm(Tensor::Zeros(Shape{4})), Error);
  EXPECT_FALSE(norm.built());
}

// The operations of synchronized moments would broadcast some of these.
TEST(BatchNormalizationTest, RefusesInputsThatDoNotFit) {
  for (const bool synchronized : {false, true}) {
    BatchNormalization norm({.synchronized = synchronized});
    norm(kX);
    for (const Tensor& x :
         {Tensor::Zeros(Shape{2}), Tensor::Zeros(Shape{4, 3}),
          Tensor::Zeros(Shape{4, 1}), Tensor::Zeros(Shape{4, 0}),
          Tensor::Zeros(Shape{0, 0}), Tensor::Zeros(Shape{4, 2}, DType::kInt64),
          Tensor::FromVector<float>({1, 2})}) {
      for (const bool training : {false, true}) {
        EXPECT_EQ(CodeOf([&] { norm(x, training); }), Code::kInvalidArgument)
            << Describe(x) << " synchronized " << synchronized << " training "
            << training;
      }
    }
    EXPECT_EQ(Value(norm, "moving_mean"), (Floats{0, 0}));
  }
}

// A subclass's Call runs, even if an epilogue follows.
class Negated : public BatchNormalizationImpl {
 public:
  using BatchNormalizationImpl::BatchNormalizationImpl;

 protected:
  Tensor Call(const Tensor& x, bool training) override {
    return ops::Scale(BatchNormalizationImpl::Call(x, training), -1);
  }
};

TEST(BatchNormalizationTest, SubclassKeepsItsCall) {
  const Layer norm =
      MakeLayer<Negated>(BatchNormalizationOptions{.epsilon = 0});
  // By the moments of kX, the negative of WithoutCenterAndScale.
  EXPECT_EQ(norm(kX, true).ToVector<float>(),
            (Floats{1, 1, -1, -1, 1, -1, -1, 1}));
  EXPECT_FALSE(norm.impl().Fuses({.relu = true}));
  const Tensor cut = norm.impl().Run(kX, true, {.relu = true});
  EXPECT_EQ(cut.ToVector<float>(), (Floats{1, 1, 0, 0, 1, 0, 0, 1}));
}

// Two images of one row and two columns, channels first. The channels have
// means 1 and 4 and variance 1.
const Tensor kChannelsFirst =
    Tensor::FromVector<float>({0, 2, 5, 3, 0, 2, 3, 5}, Shape{2, 2, 1, 2});

TEST(BatchNormalizationTest, ChannelsFirst) {
  for (const int axis : {1, -3}) {
    const BatchNormalization norm({.axis = axis, .epsilon = 3});
    EXPECT_EQ(norm(kChannelsFirst, /*training=*/true).ToVector<float>(),
              (Floats{-0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5, 0.5}));
    EXPECT_EQ(norm(kChannelsFirst).shape(), kChannelsFirst.shape());
    EXPECT_EQ(Value(norm, "moving_mean"), (Floats{0.01f, 0.04f}));
    EXPECT_EQ(Value(norm, "moving_variance"), Floats(2, 1));
  }
}

// By hand: half of the gradient minus its mean, and a sixteenth of x - mean
// times their product.
TEST(BatchNormalizationTest, GradientsOfChannelsFirst) {
  const BatchNormalization norm({.axis = 1, .epsilon = 3});
  norm.Build(Shape{kUnknownDim, 2, 1, 2});
  const Tensor weights = Tensor::FromVector<float>({1, 0, 0, 0, 0, 0, 2, 0},
                                                   kChannelsFirst.shape());
  GradientTape tape;
  tape.Watch(kChannelsFirst);
  const Tensor loss = ops::ReduceSum(
      ops::Multiply(norm(kChannelsFirst, /*training=*/true), weights));
  EXPECT_EQ(tape.Gradient(loss, {kChannelsFirst})[0]->ToVector<float>(),
            (Floats{0.34375, -0.09375, -0.1875, -0.3125, -0.15625, -0.09375,
                    0.6875, -0.1875}));
}

TEST(BatchNormalizationTest, SynchronizedChannelsFirst) {
  const BatchNormalization norm(
      {.axis = 1, .epsilon = 3, .synchronized = true});
  EXPECT_EQ(norm(kChannelsFirst, /*training=*/true).ToVector<float>(),
            (Floats{-0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5, 0.5}));
}

TEST(BatchNormalizationTest, RefusesWrongAxes) {
  for (const int axis : {0, 4, -4}) {
    const BatchNormalization norm({.axis = axis});
    EXPECT_EQ(CodeOf([&] { norm(kChannelsFirst); }), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace lockstep
