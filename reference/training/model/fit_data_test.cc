// What Fit, Evaluate and Predict read of a dataset, and where they continue.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/data/dataset.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/training/model/fit_testing.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

// tensorflow#39277
TEST(FitDataTest, InfiniteDataNeedsSteps) {
  const auto strategy = MakeStrategy(2);
  const auto scope = strategy->Scope();
  const Sequential model({Dense(1, Slope(1))});
  model.Compile(MeanSquares());
  const Tensor x = OneTo(4), y = Tensor::Zeros({4, 1});
  const Dataset batches =
      Dataset::FromTensorSlices(Structure::Tuple({x, y})).Batch(2);
  const Dataset endless = batches.Repeat();
  const auto refused = [](const char* what, const std::function<void()>& call) {
    ExpectError(call, Code::kInvalidArgument, what);
  };
  refused("give steps_per_epoch", [&] { model.Fit(endless, Quietly()); });
  refused("give validation_steps", [&] {
    model.Fit(batches, Quietly({.validation_data = TrainingData(endless)}));
  });
  refused("[Evaluate] the data is infinite", [&] { model.Evaluate(endless); });
  refused("[Predict] the data is infinite", [&] { model.Predict(endless); });
  EXPECT_EQ(model.Evaluate(endless, {.steps = 2}).at("loss"), 7.5);
  model.Fit(endless, Quietly({.steps_per_epoch = 2,
                              .validation_data = TrainingData(endless),
                              .validation_steps = 1}));
}

// The losses of batches of two of eight shuffled rows, as `fit` trains on them.
Doubles LossesOfShuffled(
    const std::function<void(const Sequential&, const Dataset&, FitOptions)>&
        fit) {
  const auto strategy = MakeStrategy(2);
  const auto scope = strategy->Scope();
  const Sequential model({Dense(1, Slope(1))});
  model.Compile(MeanSquares(/*rate=*/0));
  Doubles losses;
  const LambdaCallback::Functions functions{
      .on_train_batch_end = [&](int64_t, const LazyLogs& logs) {
        losses.push_back(logs.Get().at("loss"));
      }};
  fit(model,
      Dataset::FromTensorSlices(
          Structure::Tuple({OneTo(8), Tensor::Zeros({8, 1})}))
          .Shuffle(8, /*seed=*/1)
          .Batch(2),
      Quietly({.callbacks = {MakeCallback<LambdaCallback>(functions)}}));
  return losses;
}

// tensorflow#29558, #31343
TEST(FitDataTest, DatasetContinuesInTheNextFit) {
  const Doubles one_fit = LossesOfShuffled(
      [](const Sequential& model, const Dataset& batches, FitOptions options) {
        options.epochs = 2;
        model.Fit(batches, options);
      });
  const Doubles two_fits =
      LossesOfShuffled([](const Sequential& model, const Dataset& batches,
                          const FitOptions& options) {
        model.Fit(batches, options);
        model.Fit(batches, options);
      });
  EXPECT_EQ(two_fits, one_fit);
  EXPECT_NE(Doubles(one_fit.begin(), one_fit.begin() + 4),
            Doubles(one_fit.begin() + 4, one_fit.end()));
  const Doubles first_steps = LossesOfShuffled(
      [](const Sequential& model, const Dataset& batches, FitOptions options) {
        options.steps_per_epoch = 1;
        for (int fit = 0; fit < 8; ++fit) model.Fit(batches, options);
      });
  EXPECT_GT(std::set<double>(first_steps.begin(), first_steps.end()).size(),
            3u);
}

}  // namespace
}  // namespace lockstep
