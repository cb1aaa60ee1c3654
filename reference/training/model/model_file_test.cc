// Saves whole models, loads them, and trains them further.

#include "reference/training/model/model_file.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/export/keras/training_objects.h"
#include "reference/layers/image_layers.h"
#include "reference/losses/cross_entropy.h"
#include "reference/optimizers/decay_schedules.h"
#include "reference/optimizers/named_optimizer.h"

namespace lockstep {
namespace {

// Ten examples of two numbers in three classes.
TrainingData Points() {
  std::vector<float> x(20);
  std::vector<int64_t> y(10);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i * 7 % 11) / 8 - 0.5f;
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<int64_t>(i * i % 3);
  return {Tensor::FromVector(x, Shape{10, 2}), Tensor::FromVector(y)};
}

Sequential Classifier(std::shared_ptr<Optimizer> optimizer) {
  SetRandomSeed(4);
  const Sequential model(
      {Input({2}), Dense(4, {.activation = Activation::kRelu}), Dense(3)});
  model.Compile(
      {.optimizer = std::move(optimizer),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"}});
  return model;
}

std::vector<double> LossesOf(const Model& model, int epochs, int from = 0) {
  return model.Fit(Points(), Quietly({.batch_size = 4,
                                      .epochs = epochs,
                                      .initial_epoch = from}))["loss"];
}

// Trains three epochs, or one and, after loading, two on other replicas.
TEST(ModelFileTest, ResumesTraining) {
  const TestFolder folder;
  const std::string file = folder / "new/model.keras";
  const auto make = [] {
    return std::make_shared<Adam>(AdamOptions{.learning_rate = 0.0625});
  };
  const std::vector<double> whole = LossesOf(Classifier(make()), 3);
  const Sequential first = Classifier(make());
  EXPECT_EQ(LossesOf(first, 1)[0], whole[0]);
  first.Save(file);
  const Logs before = first.Evaluate(Points());
  for (const int replicas : {1, 2}) {
    const auto strategy = MakeStrategy(replicas);
    const auto scope = strategy->Scope();
    const Model second = LoadModel(file);
    EXPECT_EQ(second.optimizer().iterations(), 3);
    EXPECT_EQ(second.optimizer().learning_rate(), 0.0625);
    const Logs logs = second.Evaluate(Points());
    EXPECT_FLOAT_EQ(logs.at("loss"), before.at("loss"));
    EXPECT_EQ(logs.at("accuracy"), before.at("accuracy"));
    const std::vector<double> rest = LossesOf(second, 3, 1);
    // One replica: the same bits. Two: some roundings of 6e-8.
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(rest[i], whole[i + 1], replicas == 1 ? 0 : 1e-6);
    }
  }
  const Model bare = LoadModel(file, {.compile = false});
  EXPECT_FALSE(bare.compiled());
  EXPECT_EQ(bare.variables().size(), 4u);
}

TEST(ModelFileTest, KeepsOptimizerSettings) {
  const auto again = [](const std::shared_ptr<Optimizer>& optimizer) {
    const Json object = OptimizerObject(*optimizer);
    const std::shared_ptr<Optimizer> other = MakeOptimizer(object);
    EXPECT_EQ(OptimizerObject(*other), object);
    return object["config"];
  };
  for (const char* name : {"adam", "adamw", "rmsprop", "adagrad"}) {
    EXPECT_EQ(again(NamedOptimizer(name))["name"], name);
  }
  const Json limited = again(std::make_shared<Sgd>(
      SgdOptions{.learning_rate = 0.5,
                 .momentum = 0.75,
                 .nesterov = true,
                 .options = {.name = "mine", .clipnorm = 2}}));
  EXPECT_EQ(limited["momentum"], 0.75);
  EXPECT_EQ(limited["nesterov"], true);
  EXPECT_EQ(limited["clipnorm"], 2);
  EXPECT_TRUE(limited["clipvalue"].is_null());
  const Json averaged = again(std::make_shared<Sgd>(
      SgdOptions{.options = {.name = "averaged",
                             .use_ema = true,
                             .ema_momentum = 0.5,
                             .ema_overwrite_frequency = 3}}));
  EXPECT_EQ(averaged["ema_overwrite_frequency"], 3);
  const std::vector<LearningRate> rates = {
      std::make_shared<ExponentialDecay>(1.0, 3, 0.5, true),
      std::make_shared<PiecewiseConstantDecay>(std::vector<int64_t>{1},
                                               std::vector<double>{1, 0.5}),
      std::make_shared<CosineDecay>(
          1.0, 5,
          CosineDecayOptions{
              .alpha = 0.25, .warmup_target = 2, .warmup_steps = 3}),
      std::make_shared<CosineDecayRestarts>(1.0, 5),
      std::make_shared<PolynomialDecay>(1.0, 5),
      std::make_shared<InverseTimeDecay>(1.0, 5, 0.5)};
  for (const LearningRate& rate : rates) {
    EXPECT_TRUE(again(std::make_shared<Adam>(
        AdamOptions{.learning_rate = rate}))["learning_rate"]
                    .is_object());
  }
  again(std::make_shared<LossScaleOptimizer>(std::make_shared<Adam>()));
}

TEST(ModelFileTest, SavesBeforeTheFirstStep) {
  const TestFolder folder;
  const Sequential model = Classifier(std::make_shared<Adam>());
  model.Save(folder / "new.keras");
  const Model again = LoadModel(folder / "new.keras");
  EXPECT_EQ(again.optimizer().iterations(), 0);
  EXPECT_EQ(LossesOf(again, 2), LossesOf(model, 2));
}

TEST(ModelFileTest, KeepsLossesOfSeveralOutputs) {
  const TestFolder folder;
  const Model model = TwoOutputs();
  model.Compile({.optimizer = SgdOf(0.5),
                 .output_losses = {{"first", losses::MeanSquaredError()},
                                   {"second", "mae"}},
                 .metrics = {"mae"}});
  const Tensor x = OneTo(3), y = Tensor::Zeros({3, 1});
  const TrainingData data(x, Structure::Tuple({y, y}));
  model.Save(folder / "two.keras");
  const Model again = LoadModel(folder / "two.keras");
  EXPECT_EQ(again.Evaluate(data).items(), model.Evaluate(data).items());
}

TEST(ModelFileTest, UnsupportedModels) {
  const TestFolder folder;
  const Model own(std::make_shared<SumOfTwo>());
  own.Build(Shape{1, 1});
  ExpectError([&] { own.Save(folder / "own.keras"); }, Code::kUnimplemented,
              "sum_of_two");
  const Sequential model({Input({1}), Dense(1)});
  ExpectError([&] { model.Save(folder / "model"); }, Code::kInvalidArgument,
              "'....keras'");
  model.Save(folder / "model.keras");  // not compiled
  EXPECT_FALSE(LoadModel(folder / "model.keras").compiled());
  class OwnLoss : public losses::Loss {
   public:
    OwnLoss() : Loss("own_loss", losses::Reduction::kSum) {}

   protected:
    Tensor Call(const Tensor&, const Tensor& y) const override { return y; }
  };
  model.Compile({.optimizer = "sgd", .loss = OwnLoss()});
  ExpectError([&] { model.Save(folder / "model.keras"); }, Code::kUnimplemented,
              "[own_loss]");
  EXPECT_FALSE(LoadModel(folder / "model.keras").compiled());  // as it was
  ExpectError([&] { LoadModel(folder / "none.keras"); }, Code::kNotFound,
              "none.keras");
  ExpectError(
      [] {
        MakeOptimizer(Json{{"class_name", "Lion"}, {"config", Json::object()}});
      },
      Code::kUnimplemented, "optimizer Lion is not supported");
  ExpectError([] { MakeLoss(Json(3)); }, Code::kInvalidArgument, "got 3");
}

TEST(ModelFileTest, WeightsAsInKeras) {
  const TestFolder folder;
  const Sequential model = Classifier(SgdOf(0.5)), other = Classifier(SgdOf(1));
  LossesOf(model, 1);
  model.SaveWeights(folder / "w.weights.h5");
  other.LoadWeights(folder / "w.weights.h5");
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(other.variables()[i]->Read().ToVector<float>(),
              model.variables()[i]->Read().ToVector<float>());
  }
}

}  // namespace
}  // namespace lockstep
