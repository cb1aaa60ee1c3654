// Callbacks that observe and change training. Expected numbers are computed by hand
// for y = k x, with k = 1 at first and labels of 0.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/log.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/callbacks/early_stopping.h"
#include "reference/training/callbacks/learning_rate.h"
#include "reference/training/events/epoch_lines.h"
#include "reference/training/model/fit_progress.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

using Doubles = std::vector<double>;
using Texts = std::vector<std::string>;

Sequential SlopeModel(LearningRate rate = 0.0, int steps_per_execution = 1) {
  const Sequential model(
      {Dense(1, {.use_bias = false,
                 .kernel_initializer = initializers::Constant(1)})});
  model.Compile(
      {.optimizer = std::make_shared<Sgd>(SgdOptions{.learning_rate = rate}),
       .loss = losses::MeanSquaredError(),
       .steps_per_execution = steps_per_execution});
  return model;
}

// Inputs 1, 2, ... with labels of 0.
TrainingData Examples(int64_t count) {
  std::vector<float> x(count);
  for (int64_t i = 0; i < count; ++i) x[i] = static_cast<float>(i + 1);
  return {Tensor::FromVector(x, Shape{count, 1}), Tensor::Zeros({count, 1})};
}

FitOptions With(CallbackPtr callback, int epochs = 1) {
  return {.batch_size = 1,
          .epochs = epochs,
          .shuffle = false,
          .callbacks = {std::move(callback)},
          .verbose = Verbose::kSilent};
}

// Records each call.
class Notes : public Callback {
 public:
  Texts calls;

  void OnTrainBegin() override { calls.push_back("train begin"); }
  void OnTrainEnd(const Logs&) override { calls.push_back("train end"); }
  void OnEpochBegin(int epoch) override { Note("epoch begin", epoch); }
  void OnEpochEnd(int epoch, Logs&) override { Note("epoch end", epoch); }
  void OnTrainBatchBegin(int64_t b) override { Note("train batch begin", b); }
  void OnTrainBatchEnd(int64_t b, const LazyLogs&) override {
    Note("train batch end", b);
  }
  void OnTestBegin() override { calls.push_back("test begin"); }
  void OnTestEnd(const Logs&) override { calls.push_back("test end"); }
  void OnTestBatchBegin(int64_t b) override { Note("test batch begin", b); }
  void OnTestBatchEnd(int64_t b, const LazyLogs&) override {
    Note("test batch end", b);
  }
  void OnPredictBegin() override { calls.push_back("predict begin"); }
  void OnPredictEnd() override { calls.push_back("predict end"); }
  void OnPredictBatchBegin(int64_t b) override {
    Note("predict batch begin", b);
  }
  void OnPredictBatchEnd(int64_t b) override { Note("predict batch end", b); }
  void OnClose() override { calls.push_back("close"); }

 private:
  void Note(const std::string& call, int64_t number) {
    calls.push_back(call + " " + std::to_string(number));
  }
};

TEST(CallbackTest, CallsAreInTheDocumentedOrder) {
  const Sequential model = SlopeModel();
  const auto notes = std::make_shared<Notes>();
  FitOptions options = With(notes);
  options.validation_data = Examples(1);
  model.Fit(Examples(2), options);
  EXPECT_EQ(
      notes->calls,
      (Texts{"train begin", "epoch begin 0", "train batch begin 0",
             "train batch end 0", "train batch begin 1", "train batch end 1",
             "test begin", "test batch begin 0", "test batch end 0", "test end",
             "epoch end 0", "train end", "close"}));
  notes->calls.clear();
  model.Evaluate(Examples(1), {.callbacks = {notes}});
  EXPECT_EQ(notes->calls, (Texts{"test begin", "test batch begin 0",
                                 "test batch end 0", "test end", "close"}));
  notes->calls.clear();
  model.Predict(Examples(1), {.callbacks = {notes}});
  EXPECT_EQ(notes->calls,
            (Texts{"predict begin", "predict batch begin 0",
                   "predict batch end 0", "predict end", "close"}));
}

// 50 batches, 20 per execution.
TEST(CallbackTest, OneCallPerExecution) {
  const auto notes = std::make_shared<Notes>();
  SlopeModel(0.0, 20).Fit(Examples(50), With(notes));
  EXPECT_EQ(notes->calls,
            (Texts{"train begin", "epoch begin 0", "train batch begin 0",
                   "train batch end 19", "train batch begin 20",
                   "train batch end 39", "train batch begin 40",
                   "train batch end 49", "epoch end 0", "train end", "close"}));
}

TEST(CallbackTest, ExceptionEndsTrainingAndClosesAll) {
  const auto notes = std::make_shared<Notes>();
  LambdaCallback::Functions failing{
      .on_epoch_begin = [](int) { throw Unavailable("[Mine] no"); }};
  const Sequential model = SlopeModel();
  FitOptions options = With(notes);
  options.callbacks.push_back(MakeCallback<LambdaCallback>(failing));
  ExpectError([&] { model.Fit(Examples(1), options); }, Code::kUnavailable,
              "[Mine] no");
  EXPECT_EQ(notes->calls, (Texts{"train begin", "epoch begin 0", "close"}));
  options.callbacks.pop_back();
  model.Fit(Examples(1), options);  // and the model can be trained on
}

TEST(CallbackTest, AddedLogsAreInTheHistory) {
  Doubles seen;
  LambdaCallback::Functions first{.on_epoch_end = [](int epoch, Logs& logs) {
    logs.Set("twice", 2 * epoch);
  }};
  LambdaCallback::Functions second{.on_epoch_end = [&](int, Logs& logs) {
    seen.push_back(logs.at("twice"));
  }};
  FitOptions options = With(MakeCallback<LambdaCallback>(first), 3);
  options.callbacks.push_back(MakeCallback<LambdaCallback>(second));
  const History history = SlopeModel().Fit(Examples(1), options);
  EXPECT_EQ(history["twice"], (Doubles{0, 2, 4}));
  EXPECT_EQ(seen, history["twice"]);
  ExpectError([&] { history["thrice"]; }, Code::kNotFound, "only: loss, twice");
}

TEST(LearningRateTest, IsSetAtTheStartOfEpochs) {
  const auto rates = [](const CallbackPtr& scheduler) {
    const Sequential model = SlopeModel(0.08);
    Doubles used;
    LambdaCallback::Functions functions{.on_train_batch_begin = [&](int64_t) {
      used.push_back(model.optimizer().learning_rate());
    }};
    FitOptions options = With(scheduler, 3);
    options.callbacks.push_back(MakeCallback<LambdaCallback>(functions));
    EXPECT_EQ(model.Fit(Examples(1), options)["lr"], used);
    return used;
  };
  const auto by_epoch = MakeCallback<LearningRateScheduler>(
      [](int epoch) { return 0.5 / (1 << epoch); });
  EXPECT_EQ(rates(by_epoch), (Doubles{0.5, 0.25, 0.125}));
  const auto by_rate = MakeCallback<LearningRateScheduler>(
      [](int, double rate) { return rate / 2; });
  const Doubles halves = rates(by_rate);
  EXPECT_FLOAT_EQ(halves[0], 0.04f);
  EXPECT_FLOAT_EQ(halves[2], 0.01f);
  const auto nan = MakeCallback<LearningRateScheduler>(
      [](int) { return std::numeric_limits<double>::quiet_NaN(); });
  ExpectError([&] { SlopeModel().Fit(Examples(1), With(nan)); },
              Code::kInvalidArgument, "the rate of epoch 1 is nan");
  const LearningRate schedule = std::make_shared<ExponentialDecay>(1.0, 1, 0.5);
  ExpectError([&] { SlopeModel(schedule).Fit(Examples(1), With(by_epoch)); },
              Code::kFailedPrecondition, "schedule");
}

// The learning rates of epochs without improvement. Keras' sequence for patience 2
// and cooldown 1: two epochs without improvement, a reduction, one epoch that does
// not count, then two again.
TEST(LearningRateTest, IsReducedWithoutImprovement) {
  LogCapture log;
  ReduceLROnPlateauOptions options{
      .monitor = "loss", .factor = 0.5, .patience = 2, .cooldown = 1};
  // Undoes the optimizer's steps, so that the loss stays the same.
  const auto train = [&] {
    const Sequential model = SlopeModel(0.5);
    LambdaCallback::Functions undo{
        .on_train_batch_end = [&](int64_t, const LazyLogs&) {
          model.variables()[0]->Assign(Tensor::Full(Shape{1, 1}, 1.0f));
        }};
    FitOptions fit = With(MakeCallback<ReduceLROnPlateau>(options), 8);
    fit.callbacks.push_back(MakeCallback<LambdaCallback>(undo));
    return model.Fit(Examples(1), fit)["lr"];
  };
  EXPECT_EQ(train(),
            (Doubles{0.5, 0.5, 0.5, 0.25, 0.25, 0.125, 0.125, 0.0625}));
  options.min_lr = 0.2;
  EXPECT_FLOAT_EQ(train().back(), 0.2f);
  options.monitor = "val_loss";
  EXPECT_EQ(train().back(), 0.5);
  EXPECT_NE(log.lines().back().find("there is no 'val_loss' in the logs"),
            std::string::npos);
  ExpectError([] { ReduceLROnPlateau({.factor = 1}); }, Code::kInvalidArgument,
              "got 1");
}

// Trains epochs with the given numbers "value". Returns how many it trained.
size_t EpochsOf(const Doubles& values, const std::shared_ptr<EarlyStopping>& by,
                const Sequential& model) {
  LogCapture quiet;
  LambdaCallback::Functions give{.on_epoch_end = [&](int epoch, Logs& logs) {
    logs.Set("value", values[epoch]);
  }};
  FitOptions options =
      With(MakeCallback<LambdaCallback>(give), static_cast<int>(values.size()));
  options.callbacks.push_back(by);
  return model.Fit(Examples(1), options).epochs().size();
}

TEST(EarlyStoppingTest, WaitsForItsPatience) {
  const auto stops = [](const Doubles& values,
                        const EarlyStoppingOptions& options) {
    return EpochsOf(values, std::make_shared<EarlyStopping>(options),
                    SlopeModel());
  };
  EarlyStoppingOptions options{.monitor = "value", .patience = 2};
  EXPECT_EQ(stops({1, 1, 1, 1}, options), 3u);
  EXPECT_EQ(stops({3, 2, 1, 2, 0.5, 1, 1, 1}, options), 7u);
  EXPECT_EQ(stops({5, 4, 3, 2}, options), 4u);
  EXPECT_EQ(stops({NAN, NAN, NAN, NAN}, options), 2u);
  options.patience = 0;  // the second, as Keras does: never the first
  EXPECT_EQ(stops({1, 1, 1}, options), 2u);
  options.mode = WatchMode::kMax;
  EXPECT_EQ(stops({1, 2, 3, 3}, options), 4u);
  options.min_delta = 1.5;
  EXPECT_EQ(stops({1, 2, 3, 3}, options), 2u);
  options.start_from_epoch = 2;
  EXPECT_EQ(stops({1, 1, 1, 1, 1}, options), 4u);
  options = {.monitor = "value", .patience = 1, .baseline = 2};
  EXPECT_EQ(stops({3, 3, 1}, options), 2u);
  options = {.monitor = "elsewhere"};
  EXPECT_EQ(stops({1, 1, 1}, options), 3u);
}

TEST(EarlyStoppingTest, RestoresTheBestWeights) {
  const Sequential model = SlopeModel(0.125);  // k is 0.75 of itself each epoch
  const auto stopping = std::make_shared<EarlyStopping>(EarlyStoppingOptions{
      .monitor = "value", .patience = 2, .restore_best_weights = true});
  EXPECT_EQ(EpochsOf({3, 1, 2, 2, 2}, stopping, model), 4u);
  EXPECT_EQ(stopping->stopped_epoch(), 3);
  EXPECT_EQ(model.variables()[0]->Read().item<float>(), 0.75f * 0.75f);
}

TEST(TerminateOnNaNTest, EndsAtTheBatchWithoutALoss) {
  LogCapture log;
  const auto notes = std::make_shared<Notes>();
  FitOptions options = With(MakeCallback<TerminateOnNaN>(), 5);
  options.callbacks.push_back(notes);
  const Tensor x = Tensor::FromVector<float>({1, INFINITY, 3}, Shape{3, 1});
  const History history = SlopeModel().Fit({x, Tensor::Zeros({3, 1})}, options);
  EXPECT_EQ(history.epochs().size(), 1u);
  EXPECT_EQ(notes->calls[notes->calls.size() - 4], "train batch end 1");
  EXPECT_NE(log.lines().back().find("inf at batch 1"), std::string::npos);
}

TEST(CSVLoggerTest, WritesOneLinePerEpoch) {
  const TestFolder folder;
  const std::string file = folder / "log.csv";
  LambdaCallback::Functions more{.on_epoch_end = [](int epoch, Logs& logs) {
    if (epoch != 1) logs.Set("a", epoch + 0.5);
  }};
  const auto train = [&](bool append, const std::string& separator) {
    FitOptions options = With(MakeCallback<LambdaCallback>(more), 2);
    options.callbacks.push_back(
        MakeCallback<CSVLogger>(file, separator, append));
    SlopeModel().Fit(Examples(2), options);
    return ReadWholeFile(file);
  };
  EXPECT_EQ(train(false, ";"), "epoch;a;loss\n0;0.5;2.5\n1;NA;2.5\n");
  EXPECT_EQ(train(true, ";"),
            "epoch;a;loss\n0;0.5;2.5\n1;NA;2.5\n0;0.5;2.5\n1;NA;2.5\n");
  EXPECT_EQ(train(false, ","), "epoch,a,loss\n0,0.5,2.5\n1,NA,2.5\n");
  WriteWholeFile(folder / "log.csv", "");
  EXPECT_EQ(train(true, ","), "epoch,a,loss\n0,0.5,2.5\n1,NA,2.5\n");
  ExpectError([&] { train(true, ";"); }, Code::kInvalidArgument,
              "whose first column is 'epoch'");
  ExpectError(
      [&] {
        SlopeModel().Fit(Examples(1),
                         With(MakeCallback<CSVLogger>(folder / "no/log.csv")));
      },
      Code::kNotFound, "no");
}

// keras#21025, tensorflow#40216
TEST(CSVLoggerTest, KeepsLaterColumns) {
  const TestFolder folder;
  const std::string file = folder / "log.csv";
  FitOptions options = With(MakeCallback<CSVLogger>(file), 4);
  options.validation_data = Examples(1);
  options.validation_freq = 2;
  SlopeModel().Fit(Examples(2), options);
  EXPECT_EQ(ReadWholeFile(file),
            "epoch,loss,val_loss\n0,2.5,NA\n1,2.5,1\n2,2.5,NA\n3,2.5,1\n");
  // Of a table that had fewer.
  WriteWholeFile(file, "epoch,loss\n7,0.5\n");
  options.epochs = 2;
  options.callbacks = {MakeCallback<CSVLogger>(file, ",", /*append=*/true)};
  SlopeModel().Fit(Examples(2), options);
  EXPECT_EQ(ReadWholeFile(file),
            "epoch,loss,val_loss\n7,0.5,NA\n0,2.5,NA\n1,2.5,1\n");
}

TEST(CSVLoggerTest, NanHasNoSign) {
  const TestFolder folder;
  const std::string file = folder / "log.csv";
  LambdaCallback::Functions more{.on_epoch_end = [](int, Logs& logs) {
    logs.Set("a", -std::numeric_limits<double>::quiet_NaN());
    logs.Set("b", -std::numeric_limits<double>::infinity());
  }};
  FitOptions options = With(MakeCallback<LambdaCallback>(more), 1);
  options.callbacks.push_back(MakeCallback<CSVLogger>(file));
  SlopeModel().Fit(Examples(2), options);
  EXPECT_EQ(ReadWholeFile(file), "epoch,a,b,loss\n0,nan,-inf,2.5\n");
}

// keras#4426
TEST(CSVLoggerTest, ResumedRunKeepsEarlierEpochs) {
  const TestFolder folder;
  const std::string file = folder / "log.csv";
  WriteWholeFile(file, "epoch,loss\n0,9\n1,8\n2,7\n");
  FitOptions options = With(MakeCallback<CSVLogger>(file), 4);
  options.initial_epoch = 2;
  SlopeModel().Fit(Examples(2), options);
  EXPECT_EQ(ReadWholeFile(file), "epoch,loss\n0,9\n1,8\n2,2.5\n3,2.5\n");
  WriteWholeFile(file, "something else\n");
  SlopeModel().Fit(Examples(2), options);
  EXPECT_EQ(ReadWholeFile(file), "epoch,loss\n2,2.5\n3,2.5\n");
}

TEST(EpochLinesTest, AreTheSameAsKeras) {
  const TestFolder folder;
  const std::string file = folder / "lines";
  std::FILE* out = std::fopen(file.c_str(), "w");
  FitOptions options = With(std::make_shared<EpochLines>(out), 2);
  options.validation_data = Examples(1);
  SlopeModel().Fit(Examples(2), options);
  std::fclose(out);
  std::string text = ReadWholeFile(file);
  text = std::regex_replace(text, std::regex("- \\d+s - \\d+(u|m)?s/step"),
                            "- 0s - T");
  EXPECT_EQ(text,
            "Epoch 1/2\n2/2 - 0s - T - loss: 2.5000 - val_loss: 1.0000\n"
            "Epoch 2/2\n2/2 - 0s - T - loss: 2.5000 - val_loss: 1.0000\n");
  EXPECT_EQ(ToString(Logs({{"a", 1.5}, {"b", 0.00001234}, {"c", 0}})),
            "a: 1.5000 - b: 1.2340e-05 - c: 0.0000");
}

}  // namespace
}  // namespace lockstep
