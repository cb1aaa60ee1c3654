// The errors that common mistakes of a training program end with.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/log.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/losses/regression_losses.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/auc.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/model/fit_testing.h"
#include "reference/training/model/model.h"
#include "reference/training/model/model_file.h"

namespace lockstep {
namespace {

using MakeLayerInRun = std::function<Layer()>;

const std::vector<MakeLayerInRun> kLayersMadeInRun = {
    [] { return Dense(1); },
    [] { return Sequential({Dense(1)}); },
    [] {
      return Sequential({Input({4}), Dense(1)});
    },
    [] { return Sequential({Flatten()}); },
    [] {
      const SymbolicTensor x = Input({4});
      return Model(x, Dense(1)(x));
    },
};

TEST(MistakesTest, ALayerIsMadeInsideRun) {
  const auto strategy = MakeStrategy(2);
  const auto scope = strategy->Scope();
  const Structure x(Tensor::Zeros(Shape{4, 4}));
  for (const MakeLayerInRun& make : kLayersMadeInRun) {
    ExpectError(
        [&] {
          strategy->Run([&](const Structure& part) { return make()(part); }, x);
        },
        Code::kFailedPrecondition,
        "is another one on each replica; make it before, in the strategy's "
        "scope");
  }
}

TEST(MistakesTest, TheOnlyReplicaMayMakeItsLayers) {
  const auto strategy = MakeStrategy(1);
  const auto scope = strategy->Scope();
  const Structure x(Tensor::Zeros(Shape{4, 4}));
  for (const MakeLayerInRun& make : kLayersMadeInRun) {
    const PerReplica<Structure> y =
        strategy->Run([&](const Structure& part) { return make()(part); }, x);
    EXPECT_EQ(y[0].leaf().dim(0), 4);
  }
}

TEST(MistakesTest, AnOptimizerIsMadeInsideRun) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr v = MakeIn(*strategy, 1);
  ExpectError(
      [&] {
        strategy->Run([&] {
          Sgd().ApplyGradients({{Tensor::Scalar(1.0f), v}});
        });
      },
      Code::kFailedPrecondition, "[ApplyGradients] 'SGD' is not the optimizer");
}

// Calls `step` with a layer and an optimizer, on the only replica.
void ExpectNoGradients(
    const std::function<void(const Dense&, Optimizer&)>& step,
    const std::string& words) {
  const Dense dense(1);
  Sgd optimizer;
  ExpectError(
      [&] { step(dense, optimizer); }, Code::kInvalidArgument,
      "[ApplyGradients] No gradients provided for any variable, got " + words);
}

TEST(MistakesTest, NoGradientsAreGiven) {
  ExpectNoGradients(
      [](const Dense& dense, Optimizer& optimizer) {
        GradientTape tape;
        const auto variables = dense.trainable_variables();
        const Tensor loss = ops::ReduceSum(dense(OneTo(2)));
        optimizer.ApplyGradients(
            Zip(tape.Gradient(loss, variables), variables));
      },
      "0 pairs (a layer makes its variables at its first call");
  ExpectNoGradients(
      [](const Dense& dense, Optimizer& optimizer) {
        const Tensor loss = ops::ReduceSum(dense(OneTo(2)));
        GradientTape tape;
        const auto variables = dense.trainable_variables();
        optimizer.ApplyGradients(
            Zip(tape.Gradient(loss, variables), variables));
      },
      "2 pairs (none was recorded: make the GradientTape before");
}

TEST(MistakesTest, AMetricOfAScopeIsUpdatedOutsideRun) {
  const auto strategy = MakeStrategy(1);
  const Tensor label = Tensor::FromVector<int64_t>({0}, Shape{1});
  const Tensor scores = Tensor::FromVector<float>({1, 0}, Shape{1, 2});
  std::unique_ptr<SparseCategoricalAccuracy> accuracy;
  const auto update = [&] { accuracy->UpdateState(label, scores); };
  {
    const auto scope = strategy->Scope();
    accuracy = std::make_unique<SparseCategoricalAccuracy>("accuracy");
    ExpectError(update, Code::kInvalidArgument,
                "[UpdateState] metric 'accuracy' was made in the scope");
    strategy->Run(update);
    EXPECT_EQ(accuracy->Result(), 1);
  }
  ExpectError(update, Code::kInvalidArgument, "call it inside Run");
  accuracy = std::make_unique<SparseCategoricalAccuracy>("accuracy");
  update();
  EXPECT_EQ(accuracy->Result(), 1);
}

TEST(MistakesTest, InputsHaveAnotherWidth) {
  const Dense dense(1, {.name = "head"});
  dense(Tensor::Zeros(Shape{8, 4}));
  ExpectError(
      [&] {
        dense(Tensor::Zeros(Shape{8, 5}));
      },
      Code::kInvalidArgument,
      "[Dense] 'head' wants inputs of shape (..., 4), got (8, 5)");
}

Dataset Batches() {
  return Dataset::FromTensorSlices({OneTo(4), Tensor::Zeros({4, 1})}).Batch(2);
}

TEST(MistakesTest, ADatasetIsNotBatched) {
  const auto strategy = MakeStrategy(2);
  const auto scope = strategy->Scope();
  const Sequential model({Dense(1)});
  model.Compile(MeanSquares());
  const LogCapture quiet;
  ExpectError(
      [&] {
        model.Fit(Dataset::FromTensorSlices({OneTo(4), OneTo(4)}), Quietly());
      },
      Code::kInvalidArgument, "is the dataset batched? Batch(n) does it");
}

TEST(MistakesTest, ADatasetHasItsOwnBatchSize) {
  const Sequential model({Dense(1, Slope(1))});
  model.Compile(MeanSquares());
  for (const int64_t size : {0, 16}) {
    ExpectError([&] { model.Fit(Batches(), Quietly({.batch_size = size})); },
                Code::kInvalidArgument, "[Fit] batch_size is for arrays, got ");
  }
  ExpectError([&] { model.Evaluate(Batches(), {.batch_size = 2}); },
              Code::kInvalidArgument,
              "[Evaluate] batch_size is for arrays, got 2");
  ExpectError([&] { model.Predict(Batches(), {.batch_size = 2}); },
              Code::kInvalidArgument,
              "[Predict] batch_size is for arrays, got 2");
  // It also says how to batch arrays for validation.
  model.Fit({OneTo(4), OneTo(4)},
            Quietly({.batch_size = 2, .validation_data = Batches()}));
}

TEST(MistakesTest, AModelHasNoLoss) {
  const Sequential model({Dense(1)});
  model.Compile({.optimizer = "sgd"});
  ExpectError([&] { model.Fit(Batches(), Quietly()); }, Code::kInvalidArgument,
              "[Fit] the model has no loss: give Compile one");
}

TEST(MistakesTest, NamesAreUnknownBeforeTheFirstEpoch) {
  const Sequential model({Dense(1)});
  ExpectError([&] { model.Compile({.loss = "mes"}); }, Code::kInvalidArgument,
              "[Loss] there is no 'mes', only binary_crossentropy");
  ExpectError(
      [&] {
        model.Compile({.output_losses = {{"out", "mes"}}});
      },
      Code::kInvalidArgument, "[Loss] there is no 'mes'");
  model.Compile({.loss = "mse", .metrics = {"accuracy", "acuracy"}});
  testing::internal::CaptureStdout();
  ExpectError([&] { model.Fit(Batches()); }, Code::kInvalidArgument,
              "[Metric] there is no 'acuracy', only binary_accuracy");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(MistakesTest, AnOptimizerIsNull) {
  const Sequential model({Dense(1)});
  ExpectError([&] { model.Compile({.optimizer = std::shared_ptr<Sgd>()}); },
              Code::kInvalidArgument, "[Compile] the optimizer must be");
}

TEST(MistakesTest, NoEpochWasTrained) {
  const Sequential model({Dense(1)});
  model.Compile(MeanSquares());
  const History history = model.Fit(Batches(), Quietly({.epochs = 0}));
  ExpectError([&] { history["loss"]; }, Code::kNotFound,
              "[History] there is no 'loss': no epoch was trained");
}

TEST(MistakesTest, AModelFileDoesNotExist) {
  ExpectError([] { LoadModel("no_folder/no.keras"); }, Code::kNotFound,
              "[LoadModel] there is no file 'no_folder/no.keras'");
}

TEST(MistakesTest, AModelIsSavedBeforeItHasWeights) {
  ExpectError([] { Sequential({Dense(1)}).Save("unbuilt.keras"); },
              Code::kFailedPrecondition, "[Save] 'sequential");
}

}  // namespace
}  // namespace lockstep
