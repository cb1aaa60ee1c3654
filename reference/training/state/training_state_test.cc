// The state after a step, and resumed training, are the same on any number of
// replicas. Expected numbers are computed by hand for y = k x.

#include "reference/training/state/training_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"
#include "reference/regularizers/regularizer.h"
#include "reference/training/events/callback.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

Tensor ColumnOf(const Floats& values) {
  return Tensor::FromVector(values,
                            Shape{static_cast<int64_t>(values.size()), 1});
}

Dense Times(float k, const RegularizerPtr& penalty = nullptr) {
  return Dense(1, {.use_bias = false,
                   .kernel_initializer = initializers::Constant(k),
                   .kernel_regularizer = penalty});
}

CompileOptions Squares(const OptimizerOptions& options = {.name = "SGD"}) {
  return {.optimizer = std::make_shared<Sgd>(
              SgdOptions{.learning_rate = 0.125, .options = options}),
          .loss = losses::MeanSquaredError(),
          .keep_gradients = true};
}

float KernelOf(const Model& model) {
  return model.variables()[0]->Read().item<float>();
}

void TrainOn(const Model& model, const Floats& x) {
  model.TrainOnBatch({ColumnOf(x), ColumnOf(Floats(x.size(), 0))});
}

// Calls `body` in the scopes of strategies of one, two and three replicas.
template <typename Body>
void OnReplicas(const Body& body) {
  for (const int replicas : {1, 2, 3}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    SCOPED_TRACE(replicas);
    body();
  }
}

// Of 1 the gradient is 2, of 1 and 3 it is 2 * (1 + 9) / 2.
TEST(GradientsTest, AreThoseOfTheLastBatch) {
  OnReplicas([] {
    const Sequential model({Times(1)});
    model.Compile(Squares({.name = "SGD", .global_clipnorm = 1.0}));
    TrainOn(model, {1, 3});
    EXPECT_EQ(model.gradients()[0]->item<float>(), 10);
    EXPECT_EQ(KernelOf(model), 1 - 0.125f);
  });
  const Sequential model({Times(1)});
  model.Compile({.loss = losses::MeanSquaredError()});
  ExpectError([&] { model.gradients(); }, Code::kFailedPrecondition,
              "keep_gradients");
}

// Batches of three and of one are one of four: 2 * (1 + 4 + 4 + 9) / 4 = 9, and
// the penalty counts once.
TEST(GradientsTest, WindowOfUnequalBatches) {
  OnReplicas([] {
    const Sequential model({Times(1, std::make_shared<L2>(0.5))});
    CompileOptions options = Squares();
    options.gradient_accumulation_steps = 2;
    model.Compile(options);
    TrainOn(model, {1, 2, 2});
    EXPECT_FLOAT_EQ(model.gradients()[0]->item<float>(), 7);
    EXPECT_EQ(KernelOf(model), 1);
    TrainOn(model, {3});
    EXPECT_FLOAT_EQ(model.gradients()[0]->item<float>(), 10);
    EXPECT_FLOAT_EQ(KernelOf(model), 1 - 0.125f * 10);
  });
}

// Three tokens count, two of them in one row: on every number of replicas, and
// in a window, the mean is over these.
TEST(GradientsTest, CountedTokensHaveEqualWeights) {
  const auto x = Tensor::FromVector<int64_t>({0, 1, 1, 0}, Shape{2, 2});
  const auto y = Tensor::FromVector<int64_t>({1, 1, -1, 0}, Shape{2, 2});
  const auto model_of = [](int steps) {
    const Sequential model(
        {Embedding(2, 2, {.embeddings_initializer = initializers::Zeros()})});
    CompileOptions options = Squares();
    options.loss = losses::SparseCategoricalCrossentropy(
        {.from_logits = true, .ignore_class = -1});
    options.gradient_accumulation_steps = steps;
    model.Compile(options);
    return model;
  };
  // Each token adds (0.5, -0.5) for class 1, less for class 0, over three.
  const Floats expected = {0, 0, 0.5f / 3, -0.5f / 3};
  const auto gradients = [](const Model& model) {
    return model.gradients()[0]->ToVector<float>();
  };
  OnReplicas([&] {
    const Model at_once = model_of(1);
    at_once.TrainOnBatch({x, y});
    const Model in_parts = model_of(2);
    in_parts.TrainOnBatch({x.Slice(0, 1), y.Slice(0, 1)});
    in_parts.TrainOnBatch({x.Slice(1, 2), y.Slice(1, 2)});
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(gradients(at_once)[i], expected[i], 1e-7);
      EXPECT_NEAR(gradients(in_parts)[i], expected[i], 1e-7);
    }
    const Logs logs = model_of(1).Evaluate(
        Dataset::FromTensorSlices(Structure::Tuple({x, y})).Batch(1));
    EXPECT_FLOAT_EQ(static_cast<float>(logs.at("loss")), std::log(2.0f));
  });
}

TEST(GradientsTest, FrozenWeightsHaveNone) {
  OnReplicas([] {
    const Dense first = Times(2);
    first.SetTrainable(false);
    const Sequential model({first, Times(1)});
    model.Compile(Squares());
    TrainOn(model, {1});
    EXPECT_EQ(model.trainable_variables().size(), 1u);
    EXPECT_EQ(model.gradients()[0]->item<float>(), 8);  // 2 * 2 * 2
    EXPECT_EQ(KernelOf(model), 2);
    EXPECT_EQ(model.variables()[1]->Read().item<float>(), 0);
  });
}

// The gradient 2e30 is beyond float32 with such a scale.
TEST(SkippedStepsTest, AreCounted) {
  OnReplicas([] {
    const Sequential model({Times(1)});
    CompileOptions options = Squares();
    options.optimizer = std::make_shared<LossScaleOptimizer>(
        std::make_shared<Sgd>(SgdOptions{.learning_rate = 0.5}),
        LossScaleOptions{.initial_scale = 1024, .dynamic_growth_steps = 1});
    model.Compile(options);
    TrainOn(model, {1e18f});
    EXPECT_EQ(model.skipped_steps(), 1);
    EXPECT_EQ(model.optimizer().iterations(), 0);
    TrainOn(model, {1});
    EXPECT_EQ(model.skipped_steps(), 1);
    EXPECT_EQ(model.gradients()[0]->item<float>(), 2);  // without the scale
    EXPECT_EQ(KernelOf(model), 0);
  });
}

TEST(EvaluateTest, PenaltiesCanBeExcluded) {
  const Sequential model({Times(1, std::make_shared<L2>(0.5))});
  model.Compile(Squares());
  const TrainingData data(ColumnOf({2}), ColumnOf({0}));
  EXPECT_EQ(model.Evaluate(data).at("loss"), 4.5);
  EXPECT_EQ(model.Evaluate(data, {.penalties = false}).at("loss"), 4);
}

// Moving averages of 1 and 3 on two replicas become 2, which all evaluate with.
TEST(EvaluateTest, ReplicasEvaluateOneModel) {
  const auto strategy = MakeStrategy(2);
  const auto scope = strategy->Scope();
  const Sequential model({BatchNormalization({.momentum = 0, .epsilon = 1})});
  model.Compile(Squares());
  TrainOn(model, {1, 3});
  const Tensor y = model.Predict(ColumnOf({2, 2})).leaf();
  EXPECT_EQ(y.at<float>(0), y.at<float>(1));
}

Dataset Shuffled() {
  return Dataset::FromTensorSlices(
             Structure::Tuple(
                 {ColumnOf({1, 2, 3, 4, 5}), ColumnOf({0, 0, 0, 0, 0})}))
      .Shuffle(5, /*seed=*/3)
      .Batch(2);
}

std::shared_ptr<InputPlace> PlaceInShuffled() {
  return std::make_shared<InputPlace>(
      GetStrategy().DistributeDataset(Shuffled()));
}

CompileOptions Slowly() {
  CompileOptions options = Squares();
  options.optimizer = std::make_shared<Sgd>(
      SgdOptions{.learning_rate = 0.0078125, .momentum = 0.5});
  return options;
}

struct Stopped {};

// Ends a fit after some batches with an exception.
CallbackPtr StopBehind(int64_t batches) {
  const LambdaCallback::Functions functions{
      .on_train_batch_end = [batches](int64_t batch, const LazyLogs&) {
        if (batch + 1 == batches) throw Stopped();
      }};
  return MakeCallback<LambdaCallback>(functions);
}

TEST(TrainingStateTest, ResumesInTheMiddleOfAPass) {
  const TestFolder folder;
  const std::string path = folder.path() + "/state";
  const FitOptions twice{.epochs = 2, .verbose = Verbose::kSilent};
  float whole = 0;
  {
    const auto strategy = MakeStrategy(1);
    const auto scope = strategy->Scope();
    const Sequential model({Times(1)});
    model.Compile(Slowly());
    model.Fit(PlaceInShuffled(), twice);
    whole = KernelOf(model);
  }
  {
    const auto strategy = MakeStrategy(2);
    const auto scope = strategy->Scope();
    const Sequential model({Times(1)});
    model.Compile(Slowly());
    const auto place = PlaceInShuffled();
    FitOptions options = twice;
    options.callbacks = {StopBehind(2)};
    EXPECT_THROW(model.Fit(place, options), Stopped);
    EXPECT_EQ(place->trained(), 2);
    TrainingState(model, {{"place", place.get()}}).Save(path);
    // This process continues too.
    model.Fit(place, twice);
    EXPECT_NEAR(KernelOf(model), whole, 1e-6);
  }
  OnReplicas([&] {
    const Sequential model({Times(7)});
    model.Build(Shape{kUnknownDim, 1});
    model.Compile(Slowly());
    const auto place = PlaceInShuffled();
    TrainingState(model, {{"place", place.get()}}).Restore(path);
    EXPECT_EQ(place->trained(), 2);
    model.Fit(place, twice);
    EXPECT_NEAR(KernelOf(model), whole, 1e-6);
  });
}

// Before the first step, and of a model that has its weights and is not built.
TEST(TrainingStateTest, SavesBeforeTheFirstStep) {
  const TestFolder folder;
  const std::string path = folder.path() + "/state";
  const auto model_of = [] {
    const BatchNormalization layer({.momentum = 0.5});
    layer.Build(Shape{kUnknownDim, 1});
    const Sequential model({layer});
    model.Compile(Squares());
    return model;
  };
  {
    const auto strategy = MakeStrategy(2);
    const auto scope = strategy->Scope();
    const Sequential model = model_of();
    TrainOn(model, {4, 8});
    TrainingState(model, {}).Save(path);
  }
  OnReplicas([&] {
    const Sequential model = model_of();
    TrainingState(model, {}).Restore(path);
    EXPECT_EQ(model.variables()[2]->Read().item<float>(), 3);
  });
}

TEST(TrainingStateTest, AnotherModelIsRefused) {
  const TestFolder folder;
  const std::string path = folder.path() + "/state";
  const auto state_of = [](const Sequential& model) {
    model.Build(Shape{kUnknownDim, 1});
    model.Compile(Squares());
    return TrainingState(model, {});
  };
  const Sequential model({Times(1)});
  EXPECT_EQ(CodeOf([&] { state_of(model).Restore(path); }), Code::kNotFound);
  state_of(model).Save(path);
  const Sequential deeper({Times(2), Times(3)});
  ExpectError([&] { state_of(deeper).Restore(path); }, Code::kInvalidArgument,
              "saved were kernel (1, 1)");
  EXPECT_EQ(KernelOf(deeper), 2);
}

TEST(InputPlaceTest, SkipsBatchesOfOnePass) {
  const auto rows = [](InputPlace& place) {
    std::vector<int64_t> first;
    PerReplica<Structure> batch;
    while (place.NextBatch(&batch)) {
      first.push_back(batch[0].leaf().at<int64_t>(0));
    }
    place.EndPass();
    return first;
  };
  InputPlace place(GetStrategy().DistributeDataset(Dataset::Range(6).Batch(2)));
  place.Skip(2);
  EXPECT_EQ(rows(place), (std::vector<int64_t>{4}));
  EXPECT_EQ(rows(place), (std::vector<int64_t>{0, 2, 4}));
  place.Skip(9);
  EXPECT_EQ(rows(place), std::vector<int64_t>());
  EXPECT_EQ(CodeOf([&] { place.Skip(-1); }), Code::kInvalidArgument);
  PerReplica<Structure> batch;
  place.NextBatch(&batch);
  EXPECT_EQ(CodeOf([&] { place.Skip(1); }), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace lockstep
