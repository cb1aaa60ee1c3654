// Fit, Evaluate and Predict have the same results on any number of replicas as on one.
// Expected numbers are computed by hand for y = k x, with k = 1 at first and labels of
// 0, or, where noted, from tf_keras 2.21 on one device.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/log.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"
#include "reference/regularizers/regularizer.h"
#include "reference/training/model/fit_testing.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

// The value of k after one epoch of batches of 4, and the reported loss.
struct Trained {
  double k;
  Logs logs;
};

Trained TrainSlope(int replicas, int64_t examples,
                   const RegularizerPtr& penalty,
                   const std::function<CompileOptions()>& options,
                   bool without_input = false) {
  const auto strategy = MakeStrategy(replicas);
  const auto scope = strategy->Scope();
  const Sequential model({Dense(1, Slope(1, penalty))});
  model.Compile(options());
  const Tensor x =
      without_input ? Tensor::Full(Shape{examples, 1}, 0.0f) : OneTo(examples);
  const History history =
      model.Fit({x, Tensor::Zeros(x.shape())}, Quietly({.batch_size = 4}));
  Logs logs;
  for (const std::string& name : history.names()) {
    logs.Set(name, history[name].at(0));
  }
  return {.k = model.variables()[0]->Read().item<float>(), .logs = logs};
}

// The gradient is the mean of 2 k x^2: 15 for 1 to 4.
TEST(FitTest, TrainsOnTheGlobalBatch) {
  for (const int replicas : {1, 2, 3, 4, 5}) {
    const Trained full =
        TrainSlope(replicas, 4, nullptr, [] { return MeanSquares(); });
    EXPECT_FLOAT_EQ(full.k, 0.85f) << replicas;
    EXPECT_FLOAT_EQ(full.logs.at("loss"), 7.5f);
  }
}

// The second batch has the example 5, of which only one replica has any: loss
// 25 * 0.85^2, gradient 2 * 0.85 * 25; the history weighs it as one of five.
TEST(FitTest, ShortLastBatch) {
  for (const int replicas : {1, 2, 3, 4}) {
    const Trained uneven =
        TrainSlope(replicas, 5, nullptr, [] { return MeanSquares(); });
    EXPECT_FLOAT_EQ(uneven.k, 0.425f) << replicas;
    EXPECT_FLOAT_EQ(uneven.logs.at("loss"), 9.6125f);
    // 5 and 6: loss 0.85^2 * 30.5, gradient 2 * 0.85 * 30.5.
    const Trained even =
        TrainSlope(replicas, 6, nullptr, [] { return MeanSquares(); });
    EXPECT_FLOAT_EQ(even.k, 0.3315f);
    EXPECT_FLOAT_EQ(even.logs.at("loss"), (7.5f * 4 + 22.03625f * 2) / 6);
    // tf_keras 2.21 on one device; on two it has 0.800921.
    const Trained adam = TrainSlope(replicas, 5, nullptr, [] {
      return CompileOptions{.optimizer = std::make_shared<Adam>(
                                AdamOptions{.learning_rate = 0.1}),
                            .loss = losses::MeanSquaredError()};
    });
    EXPECT_NEAR(adam.k, 0.808223, 1e-6);
  }
}

// One step goes half of the way to 4 each time: 2 and 3, whose average is 2.5; Keras
// 3.15.1 has the same on two replicas.
TEST(FitTest, EndsWithAverageWeights) {
  for (const int replicas : {1, 2}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    const Sequential model({Dense(1, Slope(0))});
    model.Compile(
        {.optimizer = std::make_shared<Sgd>(SgdOptions{
             .learning_rate = 0.25,
             .options = {.name = "SGD", .use_ema = true, .ema_momentum = 0.5}}),
         .loss = losses::MeanSquaredError()});
    model.Fit({Column({1, 1, 1, 1}), Column({4, 4, 4, 4})},
              Quietly({.batch_size = 2}));
    EXPECT_EQ(model.variables()[0]->Read().item<float>(), 2.5f) << replicas;
  }
}

TEST(FitTest, EachReductionIsOverTheGlobalBatch) {
  for (const int replicas : {1, 2, 4}) {
    const auto train = [&](losses::Reduction reduction) {
      return TrainSlope(replicas, 4, nullptr, [&] {
        return CompileOptions{
            .optimizer = SgdOf(0.01),
            .loss = losses::MeanSquaredError({.reduction = reduction})};
      });
    };
    const Trained sum = train(losses::Reduction::kSum);
    EXPECT_FLOAT_EQ(sum.k, 0.4f) << replicas;
    EXPECT_FLOAT_EQ(sum.logs.at("loss"), 30);
    const Trained none = train(losses::Reduction::kNone);
    EXPECT_FLOAT_EQ(none.k, 0.4f) << replicas;
    EXPECT_FLOAT_EQ(none.logs.at("loss"), 7.5);
  }
}

// The data's loss is 0 (x = 0), so the loss is 0.1 k^2 and the gradient 0.2 k.
TEST(FitTest, PenaltyCountsOnce) {
  for (const int replicas : {1, 2, 4}) {
    const Trained trained = TrainSlope(
        replicas, 4, std::make_shared<L2>(0.1), [] { return MeanSquares(0.5); },
        true);
    EXPECT_FLOAT_EQ(trained.k, 0.9f) << replicas;
    EXPECT_FLOAT_EQ(trained.logs.at("loss"), 0.1f);
  }
}

TEST(FitTest, MetricsAreThoseOfAllExamples) {
  for (const int replicas : {1, 2, 3}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    const Sequential model({Dense(1, Slope(1))});
    model.Compile({.optimizer = SgdOf(0.01),
                   .loss = losses::MeanSquaredError(),
                   .metrics = {"mae"},
                   .weighted_metrics = {"mse"}});
    const Tensor x = OneTo(5), y = Tensor::Zeros({5, 1});
    const Logs plain = model.Evaluate({x, y}, {.batch_size = 4});
    EXPECT_FLOAT_EQ(plain.at("loss"), 11) << replicas;
    EXPECT_FLOAT_EQ(plain.at("mae"), 3);
    EXPECT_FLOAT_EQ(plain.at("mse"), 11);
    // Weights count in the loss, whose mean is over examples, and in weighted
    // metrics, whose mean is over weights.
    const Tensor some = Column({2, 3, 4, 5});
    const Logs weighted =
        model.Evaluate({some, Tensor::Zeros({4, 1}),
                        Tensor::FromVector<float>({0.25f, 0.5f, 0.75f, 1})},
                       {.batch_size = 2});
    EXPECT_FLOAT_EQ(weighted.at("loss"), 10.625);
    EXPECT_FLOAT_EQ(weighted.at("mae"), 3.5);
    EXPECT_FLOAT_EQ(weighted.at("mse"), 42.5 / 2.5);
  }
}

TEST(FitTest, PredictsInOrder) {
  for (const int replicas : {1, 2, 3}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    const Sequential model({Dense(1, Slope(2))});
    const Tensor y = model.Predict(OneTo(7), {.batch_size = 4});
    EXPECT_EQ(y.shape(), (Shape{7, 1}));
    EXPECT_EQ(y.ToVector<float>(),
              (std::vector<float>{2, 4, 6, 8, 10, 12, 14}));
    // Labels are left alone; two batches of two at most.
    const Dataset pairs =
        Dataset::FromTensorSlices(
            Structure::Tuple({OneTo(7), Tensor::Zeros({7, 1})}))
            .Batch(2);
    const Tensor first = model.Predict(pairs, {.steps = 2});
    EXPECT_EQ(first.ToVector<float>(), (std::vector<float>{2, 4, 6, 8}));
  }
}

TEST(FitTest, ValidatesOnTheLastPartOfArrays) {
  const Sequential model({Dense(1, Slope(1))});
  model.Compile(MeanSquares(0));
  const Tensor x = OneTo(5), y = Tensor::Zeros({5, 1});
  const History history = model.Fit({x, y}, Quietly({.validation_split = 0.4}));
  EXPECT_FLOAT_EQ(history["loss"].at(0), 14.0f / 3);  // 1, 2, 3
  EXPECT_FLOAT_EQ(history["val_loss"].at(0), 20.5);   // 4, 5
  const History twice =
      model.Fit({x, y}, Quietly({.epochs = 4,
                                 .validation_data = TrainingData(x, y),
                                 .validation_freq = 2}));
  EXPECT_EQ(twice["loss"].size(), 4u);
  EXPECT_EQ(twice["val_loss"].size(), 2u);
  const History chosen =
      model.Fit({x, y}, Quietly({.epochs = 4,
                                 .initial_epoch = 1,
                                 .validation_data = TrainingData(x, y),
                                 .validation_steps = 1,
                                 .validation_freq = {1, 2}}));
  EXPECT_EQ(chosen.epochs(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(chosen["val_loss"].size(), 1u);
}

// Class 1 has weight 4: the loss is (1 * 1 + 4 * 4 + 1 * 9) / 3.
TEST(FitTest, ClassesHaveWeights) {
  for (const int replicas : {1, 2}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    const Sequential model({Dense(1, Slope(1))});
    model.Compile(MeanSquares(0));
    const Tensor x = Column({1, 3, 3}), y = Column({0, 1, 0});
    FitOptions options = Quietly({.class_weight = {{1, 4}}});
    EXPECT_FLOAT_EQ(model.Fit({x, y}, options)["loss"].at(0), 26.0f / 3);
    const Tensor weights = Tensor::FromVector<float>({2, 0.5f, 0});
    EXPECT_FLOAT_EQ(model.Fit({x, y, weights}, options)["loss"].at(0),
                    (2 * 1 + 0.5f * 4 * 4) / 3);
  }
}

// x to two outputs, k x and k x + k' x.
Model TwoOutputs() {
  const SymbolicTensor x = Input({1});
  DenseOptions first = Slope(1), second = Slope(2);
  first.name = "first";
  second.name = "second";
  return Model(x, {Dense(1, first)(x), Dense(1, second)(x)});
}

TEST(FitTest, EachOutputHasALossAndMetrics) {
  for (const int replicas : {1, 2}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    const Model model = TwoOutputs();
    model.Compile({.optimizer = SgdOf(0.5),
                   .loss = "mse",
                   .output_losses = {{"second", "mae"}},
                   .loss_weights = {{"second", 0.25}},
                   .output_metrics = {{"first", {"mae"}}}});
    const Tensor x = OneTo(3), y = Tensor::Zeros({3, 1});
    const Logs logs = model.TrainOnBatch({x, Structure::Tuple({y, y})});
    EXPECT_FLOAT_EQ(logs.at("first_loss"), 14.0f / 3) << replicas;
    EXPECT_FLOAT_EQ(logs.at("second_loss"), 4);
    EXPECT_FLOAT_EQ(logs.at("loss"), 14.0f / 3 + 1);
    EXPECT_FLOAT_EQ(logs.at("first_mae"), 2);
    // The rate times 0.25 times the mean of x.
    EXPECT_FLOAT_EQ(model.variables()[1]->Read().item<float>(), 2 - 0.25f);
    EXPECT_FLOAT_EQ(model.variables()[0]->Read().item<float>(),
                    1 - 0.5f * 28 / 3);
  }
}

// A custom model, of which only Call is known.
class SumOfTwo : public CompositeLayerImpl {
 public:
  SumOfTwo() : CompositeLayerImpl(UniqueName("sum_of_two")) {
    layers_ = {Dense(1, Slope(1)), Dense(1, Slope(3))};
    for (const Layer& layer : layers_) TrackChild(layer.name(), layer.impl());
  }
  ShapeStructure ComputeOutputShape(const ShapeStructure& x) const override {
    return layers_[0].ComputeOutputShape(x);
  }

 protected:
  Structure Call(const Structure& inputs, bool) override {
    const Tensor x = inputs;
    return ops::Add(layers_[0](x), layers_[1](x));
  }
};

TEST(FitTest, TrainsACustomClass) {
  for (const int replicas : {1, 2}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    const Model model(std::make_shared<SumOfTwo>());
    model.Compile(MeanSquares());
    const History history =
        model.Fit({OneTo(4), Tensor::Zeros({4, 1})}, Quietly());
    EXPECT_FLOAT_EQ(history["loss"].at(0), 16 * 7.5f);  // k + k' = 4
    EXPECT_FLOAT_EQ(model.variables()[0]->Read().item<float>(), 1 - 0.6f);
    EXPECT_FLOAT_EQ(model.variables()[1]->Read().item<float>(), 3 - 0.6f);
  }
}

TEST(FitTest, StepsContinueInTheNextEpoch) {
  const Sequential model({Dense(1, Slope(1))});
  model.Compile(MeanSquares(0));
  const Dataset batches =
      Dataset::FromTensorSlices(
          Structure::Tuple({OneTo(5), Tensor::Zeros({5, 1})}))
          .Batch(1);
  LogCapture log;
  const History history =
      model.Fit(batches, Quietly({.epochs = 9, .steps_per_epoch = 2}));
  EXPECT_EQ(history["loss"], (Doubles{2.5, 12.5, 25}));
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find("after 1 of 2 batches of epoch 3"),
            std::string::npos);
  const History endless =
      model.Fit(batches.Repeat(), Quietly({.epochs = 2, .steps_per_epoch = 3}));
  EXPECT_FLOAT_EQ(endless["loss"].at(1), (16 + 25 + 1) / 3.0f);
}

TEST(FitTest, ShufflesArraysInEachEpoch) {
  const auto order = [](bool shuffle) {
    SetRandomSeed(3);
    const Sequential model({Dense(1, Slope(1))});
    model.Compile(MeanSquares(0));
    Doubles losses;
    LambdaCallback::Functions functions{
        .on_train_batch_end = [&](int64_t, const LazyLogs& logs) {
          losses.push_back(logs.Get().at("loss"));
        }};
    FitOptions options =
        Quietly({.batch_size = 1,
                 .epochs = 2,
                 .callbacks = {MakeCallback<LambdaCallback>(functions)}});
    options.shuffle = shuffle;
    model.Fit({OneTo(60), Tensor::Zeros({60, 1})}, options);
    return losses;
  };
  const Doubles plain = order(false), shuffled = order(true);
  EXPECT_EQ(Doubles(plain.begin(), plain.begin() + 60),
            Doubles(plain.begin() + 60, plain.end()));
  EXPECT_EQ(shuffled, order(true));
  EXPECT_NE(Doubles(shuffled.begin(), shuffled.begin() + 60),
            Doubles(shuffled.begin() + 60, shuffled.end()));
  EXPECT_FLOAT_EQ(shuffled[59], 61 * 121 / 6.0f);
}

// Two batches of two are one of four: k = 1 - 0.01 * 15; the third and a fifth
// example are a window that is not full, and is that of the next epoch.
TEST(FitTest, AccumulatesGradients) {
  for (const int replicas : {1, 2, 3}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    const Sequential model({Dense(1, Slope(1))});
    CompileOptions options = MeanSquares();
    options.gradient_accumulation_steps = 2;
    model.Compile(options);
    const auto k = [&] { return model.variables()[0]->Read().item<float>(); };
    const Tensor y = Tensor::Zeros({4, 1});
    model.Fit({OneTo(4), y}, Quietly({.batch_size = 2}));
    EXPECT_FLOAT_EQ(k(), 0.85f) << replicas;
    EXPECT_EQ(model.optimizer().iterations(), 1);
    model.TrainOnBatch({Column({5}), Column({0})});
    EXPECT_FLOAT_EQ(k(), 0.85f);
    // (2 * 0.85 * 25 + 2 * 0.85 * 1) / 2
    model.TrainOnBatch({Column({1}), Column({0})});
    EXPECT_FLOAT_EQ(k(), 0.85f - 0.01f * 22.1f);
    EXPECT_EQ(model.optimizer().iterations(), 2);
  }
  ExpectError(
      [] {
        Sequential({Dense(1)}).Compile({.gradient_accumulation_steps = 0});
      },
      Code::kInvalidArgument, "got 0");
}

TEST(FitTest, HalfPrecisionModelHasALossScale) {
  const DTypePolicyScope policy("mixed_float16");
  const Sequential model({Dense(1, Slope(1))});
  model.Compile(MeanSquares());
  // 15 times the first scale, 32768, is more than float16 holds.
  model.Fit({OneTo(4), Tensor::Zeros({4, 1})}, Quietly());
  EXPECT_EQ(model.variables()[0]->Read().item<float>(), 1);
  EXPECT_EQ(model.optimizer().loss_scale(), 16384);
}

TEST(FitTest, RefusesContradictoryOptions) {
  const auto strategy = MakeStrategy(2);
  const Sequential outside({Input({1}), Dense(1, Slope(1))});
  const auto scope = strategy->Scope();
  ExpectError([&] { outside.Compile(MeanSquares()); },
              Code::kFailedPrecondition, "outside the scope");
  const Sequential model({Dense(1, Slope(1))});
  const Tensor x = OneTo(4), y = Tensor::Zeros({4, 1});
  ExpectError(
      [&] {
        model.Fit({x, y});
      },
      Code::kFailedPrecondition, "is not compiled");
  model.Compile(MeanSquares());
  const auto invalid = [&](const char* what, const TrainingData& data,
                           const FitOptions& options) {
    ExpectError([&] { model.Fit(data, Quietly(options)); },
                Code::kInvalidArgument, what);
  };
  invalid("no labels", TrainingData(x), {});
  invalid("a scalar has no rows", {Tensor::Scalar(1.0f), y}, {});
  invalid("same number of rows", {x, Tensor::Zeros({3, 1})}, {});
  invalid("exclude each other", {x, y},
          {.validation_data = TrainingData(x, y), .validation_split = 0.5});
  invalid("leaves none for training", {x, y}, {.validation_split = 0.9});
  invalid("must be in (0, 1)", {x, y}, {.validation_split = 1});
  invalid("give validation_data", Dataset::Range(3).Batch(1),
          {.validation_split = 0.5});
  invalid("must be positive, got 0", {x, y}, {.batch_size = 0});
  invalid("got 0 per epoch", {x, y}, {.steps_per_epoch = 0});
  invalid("validation_freq must be positive", {x, y},
          {.validation_data = TrainingData(x, y), .validation_freq = 0});
  invalid("has no batches",
          Dataset::FromTensorSlices(Structure::Tuple({x, y})).Batch(2).Take(0),
          {});
  invalid("tuple of 4",
          Dataset::FromTensorSlices(Structure::Tuple({x, y, y, y})).Batch(2),
          {});
  invalid("nullptr", {x, y}, {.callbacks = {nullptr}});
  // The model is unchanged.
  EXPECT_EQ(model.Fit({x, y}, Quietly())["loss"].at(0), 7.5);
}

TEST(FitTest, RefusesUnknownNames) {
  const Model two = TwoOutputs();
  const Tensor x = OneTo(4), y = Tensor::Zeros({4, 1});
  ExpectError([&] { two.Compile({.steps_per_execution = 0}); },
              Code::kInvalidArgument, "steps_per_execution");
  ExpectError([&] { two.Compile({.optimizer = "adamant"}); },
              Code::kInvalidArgument, "adamant");
  two.Compile({.loss = "mse", .output_losses = {{"third", "mae"}}});
  ExpectError(
      [&] {
        two.TrainOnBatch({x, Structure::Tuple({y, y})});
      },
      Code::kInvalidArgument, "'third', there are: first, second");
  two.Compile({.loss = "mse", .metrics = {"mae", "mae"}});
  ExpectError(
      [&] {
        two.TrainOnBatch({x, Structure::Tuple({y, y})});
      },
      Code::kInvalidArgument, "two metrics are named 'first_mae'");
  two.Compile({.loss = "mse"});
  ExpectError(
      [&] {
        two.TestOnBatch({x, y});
      },
      Code::kInvalidArgument, "2 outputs, got 1 of labels");
  const Tensor w = Tensor::FromVector<float>({1, 0, 1, 0});
  for (const char* loss : {"mse", ""}) {
    two.Compile({.loss = loss, .weighted_metrics = {"mae"}});
    const auto test = [&](const Structure& weights) {
      two.TestOnBatch({x, Structure::Tuple({y, y}), weights});
    };
    test(w);  // of both
    ExpectError(
        [&] {
          test(Structure::Tuple({w, w, w}));
        },
        Code::kInvalidArgument, "2 outputs, got 3 of sample weights");
  }
  ExpectError([&] { two.GetLayer("fourth"); }, Code::kNotFound,
              "only: input_layer");
}

}  // namespace
}  // namespace lockstep
