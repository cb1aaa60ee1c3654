#include "reference/optimizers/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/named_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

VariablePtr MakeFloats(const std::vector<float>& values,
                       const std::string& name = "v") {
  return MakeVariable(
      {.initial_value = [values] { return Tensor::FromVector(values); },
       .name = name});
}

Tensor Floats(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

TEST(ZipTest, PairsGradientsWithVariables) {
  const VariablePtr v = MakeFloats({1}), w = MakeFloats({2});
  const auto pairs = Zip({std::nullopt, Floats({3})}, {v, w});
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_FALSE(pairs[0].first);
  EXPECT_EQ(pairs[0].second, v);
  EXPECT_EQ(std::get<Tensor>(*pairs[1].first).at<float>(0), 3);
  EXPECT_EQ(pairs[1].second, w);
  EXPECT_EQ(CodeOf([&] {
              Zip({Floats({3})}, {v, w});
            }),
            Code::kInvalidArgument);
}

TEST(OptimizerTest, CountsStepsAndKeepsItsRate) {
  Sgd optimizer({.learning_rate = 0.5});
  VariablePtr v = MakeFloats({1});
  EXPECT_EQ(optimizer.iterations(), 0);
  for (int i = 0; i < 3; ++i) {
    optimizer.ApplyGradients({{Floats({1}), v}});
  }
  EXPECT_EQ(optimizer.iterations(), 3);
  EXPECT_EQ(v->Read().at<float>(0), -0.5f);
  optimizer.SetLearningRate(0.25);
  EXPECT_EQ(optimizer.learning_rate(), 0.25);
}

TEST(OptimizerTest, MayBeBuiltBeforeItsFirstStep) {
  Adam optimizer;
  VariablePtr v = MakeFloats({1});
  EXPECT_EQ(optimizer.variables().size(), 2u);
  optimizer.Build({v});
  optimizer.Build({v, MakeFloats({2})});  // no effect any more
  EXPECT_EQ(optimizer.variables().size(), 4u);
  optimizer.ApplyGradients({{Floats({1}), v}});
  EXPECT_EQ(optimizer.variables().size(), 4u);
}

TEST(OptimizerTest, FollowsAScheduleByStepsTaken) {
  const auto schedule = std::make_shared<PiecewiseConstantDecay>(
      std::vector<int64_t>{1}, std::vector<double>{1.0, 0.5});
  Sgd optimizer({.learning_rate = schedule});
  VariablePtr v = MakeFloats({1});
  std::vector<float> seen;
  for (int i = 0; i < 3; ++i) {
    optimizer.ApplyGradients({{Floats({1}), v}});
    seen.push_back(v->Read().at<float>(0));
  }
  EXPECT_EQ(seen, (std::vector<float>{0, -1, -1.5}));
  EXPECT_EQ(CodeOf([&] { optimizer.SetLearningRate(1); }),
            Code::kFailedPrecondition);
}

TEST(OptimizerTest, SkipsVariablesWithoutGradient) {
  Sgd optimizer({.learning_rate = 1.0});
  VariablePtr a = MakeFloats({1});
  VariablePtr b = MakeFloats({1});
  optimizer.ApplyGradients({{std::nullopt, a}, {Floats({1}), b}});
  EXPECT_EQ(a->Read().at<float>(0), 1);
  EXPECT_EQ(b->Read().at<float>(0), 0);
  EXPECT_EQ(CodeOf([&] {
              optimizer.ApplyGradients({{std::nullopt, a}, {std::nullopt, b}});
            }),
            Code::kInvalidArgument);
}

TEST(OptimizerTest, RefusesInvalidGradients) {
  Sgd optimizer;
  VariablePtr v = MakeFloats({1, 2});
  EXPECT_EQ(CodeOf([&] {
              optimizer.ApplyGradients({{Floats({1}), v}});
            }),
            Code::kInvalidArgument);
  optimizer.ApplyGradients({{Floats({0, 0}), v}});
  EXPECT_EQ(CodeOf([&] {
              optimizer.ApplyGradients({{Floats({1}), MakeFloats({1})}});
            }),
            Code::kInvalidArgument);
}

TEST(OptimizerTest, ClipsTheSummedGradients) {
  VariablePtr v = MakeFloats({0, 0});
  Sgd by_norm(
      {.learning_rate = 1.0, .options = {.name = "a", .clipnorm = 5.0}});
  by_norm.ApplyGradients({{Floats({6, 8}), v}});
  EXPECT_EQ(v->Read().ToVector<float>(), (std::vector<float>{-3, -4}));

  VariablePtr w = MakeFloats({0, 0});
  Sgd by_value(
      {.learning_rate = 1.0, .options = {.name = "b", .clipvalue = 2.0}});
  by_value.ApplyGradients({{Floats({6, -1}), w}});
  EXPECT_EQ(w->Read().ToVector<float>(), (std::vector<float>{-2, 1}));
}

TEST(OptimizerTest, DecaysWeightsOncePerStep) {
  // Keras 3.15, decay .004, rate 1, zero gradient: 2, 1.992, 1.984032.
  Sgd optimizer(
      {.learning_rate = 1.0, .options = {.name = "a", .weight_decay = 0.004}});
  VariablePtr v = MakeFloats({2});
  optimizer.ApplyGradients({{Floats({0}), v}});
  EXPECT_FLOAT_EQ(v->Read().at<float>(0), 1.992f);
  optimizer.ApplyGradients({{Floats({0}), v}});
  EXPECT_FLOAT_EQ(v->Read().at<float>(0), 1.984032f);
}

// Decay .5, rate 1, zero gradient: a variable of 2 becomes 1, or stays.
TEST(OptimizerTest, ExcludesVariablesFromWeightDecay) {
  const auto decayed = [](const WeightDecayExclusions& exclusions,
                          const std::string& name) {
    Sgd optimizer(
        {.learning_rate = 1.0, .options = {.name = "a", .weight_decay = 0.5}});
    optimizer.ExcludeFromWeightDecay(exclusions);
    VariablePtr v = MakeFloats({2}, name), other = MakeFloats({2}, "other");
    optimizer.ApplyGradients({{Floats({0}), v}, {Floats({0}), other}});
    EXPECT_EQ(other->Read().at<float>(0), 1);
    return v->Read().at<float>(0);
  };
  const WeightDecayExclusions named{.names = {"layer_norm", "bias"}};
  EXPECT_EQ(decayed({}, "dense/bias"), 1);
  EXPECT_EQ(decayed(named, "dense/bias"), 2);
  EXPECT_EQ(decayed(named, "layer_norm_1/gamma"), 2);
  EXPECT_EQ(decayed(named, "dense/kernel"), 1);
}

TEST(OptimizerTest, ExcludesGivenVariables) {
  AdamW optimizer(
      {.learning_rate = 1.0, .options = {.name = "a", .weight_decay = 0.5}});
  VariablePtr v = MakeFloats({2}, "same"), w = MakeFloats({2}, "same");
  optimizer.ExcludeFromWeightDecay({.variables = {w}});
  optimizer.ApplyGradients({{Floats({0}), v}, {Floats({0}), w}});
  EXPECT_EQ(v->Read().at<float>(0), 1);
  EXPECT_EQ(w->Read().at<float>(0), 2);
  ExpectError([&] { optimizer.ExcludeFromWeightDecay({}); },
              Code::kFailedPrecondition, "'a' has made its state already");
}

class TwoReplicas : public DistributionContext {
 public:
  bool has_strategy() const override { return true; }
  int num_replicas_in_sync() const override { return 2; }
};

TEST(OptimizerTest, RefusesVariablesMadeOutsideTheScope) {
  Sgd optimizer;
  VariablePtr v = MakeFloats({1});
  TwoReplicas context;
  DistributionContextScope scope(context);
  EXPECT_EQ(CodeOf([&] {
              optimizer.ApplyGradients({{Floats({1}), v}});
            }),
            Code::kFailedPrecondition);
  EXPECT_EQ(v->Read().at<float>(0), 1);
  EXPECT_EQ(optimizer.iterations(), 0);
}

// The copies of a trained variable do not replace those of the counter.
TEST(OptimizerTest, RefusesOptimizersMadeOutsideTheScope) {
  Sgd optimizer;
  VariablePtr v = MakeFloats({1});
  TwoReplicas context;
  DistributionContextScope scope(context);
  try {
    optimizer.ApplyGradients({{Floats({1}), v}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'SGD/iteration"),
              std::string::npos)
        << error.what();
  }
}

TEST(OptimizerTest, FindsTheStateOfAVariable) {
  Adam adam;
  VariablePtr a = MakeFloats({1});
  VariablePtr b = MakeFloats({1, 2});
  EXPECT_EQ(CodeOf([&] { adam.Slot(*b, "velocity"); }), Code::kNotFound);
  adam.ApplyGradients({{Floats({1}), a}, {Floats({2, 4}), b}});
  const VariablePtr momentum = adam.Slot(*b, "momentum");
  EXPECT_EQ(momentum->name(), "adam/v_momentum");
  EXPECT_EQ(momentum->shape(), (Shape{2}));
  EXPECT_EQ(adam.Slot(*b, "velocity"), adam.variables()[5]);
  EXPECT_EQ(CodeOf([&] { adam.Slot(*b, "accumulator"); }), Code::kNotFound);
}

TEST(OptimizerTest, UpdatesInPlace) {
  Adam optimizer;
  VariablePtr v = MakeFloats({1, 2, 3});
  optimizer.ApplyGradients({{Floats({1, 1, 1}), v}});
  std::vector<const void*> before;
  for (const VariablePtr& variable : optimizer.variables()) {
    before.push_back(variable->Read().raw_data());
  }
  before.push_back(v->Read().raw_data());
  optimizer.ApplyGradients({{Floats({1, 1, 1}), v}});
  std::vector<const void*> after;
  for (const VariablePtr& variable : optimizer.variables()) {
    after.push_back(variable->Read().raw_data());
  }
  after.push_back(v->Read().raw_data());
  EXPECT_EQ(before, after);
}

TEST(OptimizerTest, ReturnedTensorsKeepTheirValue) {
  Sgd optimizer({.learning_rate = 1.0});
  VariablePtr v = MakeFloats({1});
  const Tensor before = v->Read();
  optimizer.ApplyGradients({{Floats({1}), v}});
  EXPECT_EQ(before.at<float>(0), 1);
  EXPECT_EQ(v->Read().at<float>(0), 0);
}

std::vector<std::string> Names(const Trackable& object) {
  std::vector<std::string> names;
  for (const Trackable::Child& child : object.children()) {
    names.push_back(child.name);
  }
  return names;
}

TEST(OptimizerTest, HasKerasNamesInCheckpoints) {
  Adam optimizer;
  VariablePtr kernel = MakeFloats({1}, "dense/kernel");
  VariablePtr bias = MakeFloats({1}, "dense/bias");
  optimizer.ApplyGradients({{Floats({1}), kernel}, {Floats({1}), bias}});
  EXPECT_EQ(
      Names(optimizer),
      (std::vector<std::string>{
          "_variables", "_trainable_variables", "_trainable_variables_indices",
          "_iterations", "_learning_rate", "_momentums", "_velocities"}));
  const std::vector<VariablePtr> all = optimizer.variables();
  const Trackable& list = *optimizer.children()[0].object;
  ASSERT_EQ(list.children().size(), 6u);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(list.children()[i].name, std::to_string(i));
    EXPECT_EQ(list.children()[i].object, all[i].get());
  }
  EXPECT_EQ(all[2]->name(), "adam/dense_kernel_momentum");
  EXPECT_EQ(all[3]->name(), "adam/dense_kernel_velocity");
  EXPECT_EQ(all[4]->name(), "adam/dense_bias_momentum");
}

// Records its stages around another optimizer's rule. Its second step is not
// taken.
class StagesOfItsOwn : public Optimizer {
 public:
  explicit StagesOfItsOwn(Optimizer& inner)
      : Optimizer(0.0, {.name = "stages"}, {}), inner_(inner) {}

  OptimizerPipeline Stages() override {
    inner_.Build({v});
    OptimizerPipeline stages = inner_.Stages();
    const auto note = [this](const char* name) {
      return [this, name](OptimizerStep&) { seen.push_back(name); };
    };
    stages.unscale = note("unscale");
    stages.aggregate = note("aggregate");
    stages.decide = [this](OptimizerStep& step) {
      seen.push_back("decide");
      step.taken = Tensor::Scalar(seen.size() < 4);
    };
    stages.clip = note("clip");
    stages.update_loss_scale = note("update_loss_scale");
    return stages;
  }

  const VariablePtr v = MakeFloats({1});
  std::vector<std::string> seen;

 private:
  Optimizer& inner_;
};

TEST(OptimizerTest, RunsStagesInOrder) {
  Sgd inner({.learning_rate = 1.0});
  StagesOfItsOwn optimizer(inner);
  optimizer.ApplyGradients({{Floats({0.5}), optimizer.v}});
  EXPECT_EQ(optimizer.seen,
            (std::vector<std::string>{"unscale", "aggregate", "decide", "clip",
                                      "update_loss_scale"}));
  EXPECT_EQ(optimizer.v->Read().at<float>(0), 0.5f);
  EXPECT_EQ(inner.iterations(), 1);
  EXPECT_EQ(optimizer.iterations(), 0);

  // The caller gives the sums, and the step is not taken.
  optimizer.ApplyGradients({{Floats({0.5}), optimizer.v}},
                           {.skip_gradients_aggregation = true});
  EXPECT_EQ(std::vector<std::string>(optimizer.seen.begin() + 5,
                                     optimizer.seen.end()),
            (std::vector<std::string>{"unscale", "decide", "clip",
                                      "update_loss_scale"}));
  EXPECT_EQ(optimizer.v->Read().at<float>(0), 0.5f);
  EXPECT_EQ(inner.iterations(), 1);
}

// Values of one float variable, 1 at first, after each gradient.
std::vector<float> Train(Optimizer& optimizer,
                         const std::vector<float>& gradients) {
  VariablePtr v =
      MakeVariable({.initial_value = [] { return Tensor::Scalar(1.0f); }});
  std::vector<float> values;
  for (float gradient : gradients) {
    optimizer.ApplyGradients({{Tensor::Scalar(gradient), v}});
    values.push_back(v->Read().item<float>());
  }
  return values;
}

void ExpectNear(const std::vector<float>& got,
                const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  // The figures are recorded with seven decimals.
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-7);
}

// Figures: TensorFlow 2.21 with Keras 3.15.1 and tf_keras 2.21.
TEST(SgdTest, PlainStep) {
  Sgd optimizer({.learning_rate = 0.1});
  ExpectNear(Train(optimizer, {3}), {0.7});
}

TEST(SgdTest, Momentum) {
  Sgd optimizer({.learning_rate = 0.1, .momentum = 0.9});
  ExpectNear(Train(optimizer, {3, 3, 3}), {0.7, 0.13, -0.683});
}

TEST(SgdTest, Nesterov) {
  Sgd optimizer({.learning_rate = 0.1, .momentum = 0.9, .nesterov = true});
  ExpectNear(Train(optimizer, {3, 3, 3}), {0.43, -0.383, -1.4147});
}

TEST(SgdTest, RefusesMomentumOutsideItsRange) {
  EXPECT_THROW(Sgd({.momentum = -0.1}), Error);
  EXPECT_THROW(Sgd({.momentum = 1.1}), Error);
}

TEST(OptimizerTest, TakesRatesThatAreNotNegative) {
  EXPECT_EQ(Sgd({.learning_rate = 1}).learning_rate(), 1);
  EXPECT_EQ(Sgd({.learning_rate = 0.5f}).learning_rate(), 0.5);
  EXPECT_EQ(Sgd({.learning_rate = 0}).learning_rate(), 0);
  for (const double rate : {-1.0, double{NAN}}) {
    ExpectError([&] { Sgd sgd({.learning_rate = rate}); },
                Code::kInvalidArgument,
                "learning_rate must be at least 0, got");
    Sgd sgd;
    EXPECT_THROW(sgd.SetLearningRate(rate), Error);
  }
  ExpectError(
      [] { Sgd({.learning_rate = std::shared_ptr<ExponentialDecay>()}); },
      Code::kInvalidArgument, "the schedule is nullptr");
}

// Figures: TensorFlow 2.21 with Keras 3.15.1, recorded with six decimals.
TEST(AdagradTest, FollowsKeras) {
  Adagrad optimizer({.learning_rate = 0.1});
  const std::vector<float> values = Train(optimizer, {3, 3});
  EXPECT_NEAR(values[0], 0.900551, 1e-6);
  EXPECT_NEAR(values[1], 0.830036, 1e-6);
}

// Figures: TensorFlow 2.21 with Keras 3.15.1, recorded with six decimals.
TEST(RmsPropTest, FollowsKeras) {
  RmsProp optimizer({.learning_rate = 0.1});
  const std::vector<float> values = Train(optimizer, {3, 3});
  EXPECT_NEAR(values[0], 0.683772, 1e-6);
  EXPECT_NEAR(values[1], 0.454357, 1e-6);
}

// Figures: TensorFlow 2.21 with Keras 3.15.1 and tf_keras 2.21.
TEST(AdamTest, FollowsKeras) {
  Adam optimizer({.learning_rate = 0.1});
  ExpectNear(Train(optimizer, {0.75, 0.75, 0.75}),
             {0.9000011, 0.8000024, 0.7000030});
}

TEST(AdamTest, MovesAgainstTheSignOfTheGradient) {
  Adam optimizer({.learning_rate = 0.1});
  ExpectNear(Train(optimizer, {-2, -2, -2}), {1.0999992, 1.1999980, 1.2999976});
}

// Keras 3.15.1; by default weights decay by .004 times the rate per step.
TEST(AdamWTest, FollowsKeras) {
  VariablePtr v = MakeFloats({1, -2});
  VariablePtr w = MakeFloats({1, -2});
  AdamW optimizer({.learning_rate = 0.1});
  AdamW faster({.learning_rate = 0.1,
                .options = {.name = "adamw", .weight_decay = 0.5}});
  for (const auto& gradient :
       std::vector<std::vector<float>>{{.5f, -.25f}, {.1f, .2f}, {0, 1}}) {
    optimizer.ApplyGradients({{Floats(gradient), v}});
    faster.ApplyGradients({{Floats(gradient), w}});
  }
  ExpectNear(v->Read().ToVector<float>(), {0.756536424, -1.95134723});
  ExpectNear(w->Read().ToVector<float>(), {0.628763855, -1.6784544});
}

TEST(AdamTest, RefusesBetasOutsideTheirRange) {
  for (const double beta : {-0.5, 1.0, 2.0, double{NAN}}) {
    ExpectError([&] { Adam adam({.beta_1 = beta}); }, Code::kInvalidArgument,
                "[Adam] beta_1 and beta_2 must be in [0, 1), got");
    EXPECT_THROW(AdamW({.beta_2 = beta}), Error);
  }
}

TEST(NamedOptimizerTest, HasKerasDefaultsUnderKerasNames) {
  EXPECT_EQ(NamedOptimizer("adam")->Config().class_name, "Adam");
  EXPECT_EQ(NamedOptimizer("RMSprop")->Config().class_name, "RMSprop");
  EXPECT_FLOAT_EQ(NamedOptimizer("SGD")->learning_rate(), 0.01);
  const std::shared_ptr<Optimizer> adamw = NamedOptimizer("AdamW");
  VariablePtr v = MakeFloats({1});
  adamw->ApplyGradients({{Floats({0}), v}});
  EXPECT_FLOAT_EQ(v->Read().at<float>(0), 1 - 0.004f * 0.001f);
  ExpectError([] { NamedOptimizer("adm"); }, Code::kInvalidArgument,
              "[Optimizer] there is no 'adm', only sgd, adam, adamw");
}

}  // namespace
}  // namespace lockstep
