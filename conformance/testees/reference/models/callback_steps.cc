// callback.*: callbacks of training.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/base/error.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/callbacks/early_stopping.h"
#include "reference/training/callbacks/learning_rate.h"
#include "reference/training/callbacks/model_checkpoint.h"
#include "reference/training/callbacks/tensor_board.h"
#include "reference/training/model/model.h"
#include "reference/training/summary/event.pb.h"

namespace lockstep::conformance {
namespace {

Value MakeScheduler(const StepCall& call) {
  if (call.Has("factor")) {
    const double factor = call.Number("factor", 1);
    return MakeCallback<LearningRateScheduler>(
        [factor](int /*epoch*/, double rate) { return factor * rate; });
  }
  const auto rates = call.Argument("rates").get<std::vector<double>>();
  return MakeCallback<LearningRateScheduler>([rates](int epoch) {
    if (epoch >= std::ssize(rates)) throw ProgramError("too few rates");
    return rates[epoch];
  });
}

Value MakeModelCheckpoint(const StepCall& call) {
  ModelCheckpointOptions options{
      .save_weights_only = call.Boolean("save_weights_only"),
      .save_freq = call.Integer("save_freq", kEveryEpoch),
      .save_best_only = call.Boolean("save_best_only")};
  if (call.Has("monitor")) options.monitor = call.Text("monitor");
  return MakeCallback<ModelCheckpoint>(call.Path("path"), options);
}

Value MakeEarlyStopping(const StepCall& call) {
  return MakeCallback<EarlyStopping>(EarlyStoppingOptions{
      .monitor = call.Text("monitor"),
      .patience = static_cast<int>(call.Integer("patience", 0)),
      .restore_best_weights = call.Boolean("restore_best_weights")});
}

Value MakeReduceOnPlateau(const StepCall& call) {
  return MakeCallback<ReduceLROnPlateau>(ReduceLROnPlateauOptions{
      .monitor = call.Text("monitor"),
      .factor = call.Number("factor", 1),
      .patience = static_cast<int>(call.Integer("patience"))});
}

Value MakeTerminateOnNaN(const StepCall&) {
  return MakeCallback<TerminateOnNaN>();
}

Value MakeCsvLogger(const StepCall& call) {
  return MakeCallback<CSVLogger>(call.Path("file"), ",",
                                 call.Boolean("append"));
}

Value MakeTensorBoard(const StepCall& call) {
  return MakeCallback<TensorBoard>(call.Path("folder"));
}

Value MakeBackupAndRestore(const StepCall& call) {
  return MakeCallback<BackupAndRestore>(
      call.Path("folder"),
      BackupAndRestoreOptions{.save_freq =
                                  call.Integer("save_freq", kEveryEpoch)});
}

}  // namespace

namespace {

// Records every call, and the learning rate at the end of each epoch.
class Recording : public Callback {
 public:
  const std::vector<std::string>& calls() const { return calls_; }
  const std::vector<double>& learning_rates() const { return rates_; }

  void OnTrainBegin() override { calls_.push_back("train_begin"); }
  void OnTrainEnd(const Logs&) override { calls_.push_back("train_end"); }
  void OnEpochBegin(int epoch) override { Note("epoch_begin", epoch); }
  void OnEpochEnd(int epoch, Logs&) override {
    Note("epoch_end", epoch);
    rates_.push_back(model().optimizer().learning_rate());
  }
  void OnTrainBatchBegin(int64_t b) override { Note("train_batch_begin", b); }
  void OnTrainBatchEnd(int64_t b, const LazyLogs&) override {
    Note("train_batch_end", b);
  }
  void OnTestBegin() override { calls_.push_back("test_begin"); }
  void OnTestEnd(const Logs&) override { calls_.push_back("test_end"); }
  void OnTestBatchBegin(int64_t b) override { Note("test_batch_begin", b); }
  void OnTestBatchEnd(int64_t b, const LazyLogs&) override {
    Note("test_batch_end", b);
  }

 private:
  void Note(const char* call, int64_t number) {
    calls_.push_back(fmt::format("{} {}", call, number));
  }

  std::vector<std::string> calls_;
  std::vector<double> rates_;
};

Value MakeRecording(const StepCall&) { return MakeCallback<Recording>(); }

std::shared_ptr<Recording> GetRecording(const StepCall& call) {
  auto found =
      std::dynamic_pointer_cast<Recording>(call.Get<CallbackPtr>("of"));
  if (!found) throw ProgramError("the callback records nothing");
  return found;
}

Value Calls(const StepCall& call) { return Json(GetRecording(call)->calls()); }

Value LearningRates(const StepCall& call) {
  return Json(GetRecording(call)->learning_rates());
}

// Fails at the beginning of an epoch, or of a batch of it.
class Failing : public Callback {
 public:
  Failing(int64_t epoch, std::optional<int64_t> batch)
      : epoch_(epoch), batch_(batch) {}

  void OnEpochBegin(int epoch) override {
    is_in_epoch_ = epoch == epoch_;
    if (is_in_epoch_ && !batch_) {
      throw InvalidArgument("[FailAt] epoch {}", epoch);
    }
  }
  void OnTrainBatchBegin(int64_t batch) override {
    if (is_in_epoch_ && batch == batch_) {
      throw InvalidArgument("[FailAt] epoch {}, batch {}", epoch_, batch);
    }
  }

 private:
  const int64_t epoch_;
  const std::optional<int64_t> batch_;
  bool is_in_epoch_ = false;
};

Value MakeFailing(const StepCall& call) {
  return MakeCallback<Failing>(
      call.Integer("epoch"),
      call.Has("batch") ? std::optional(call.Integer("batch")) : std::nullopt);
}

// Adds the numbers of one event file to `numbers`.
void AddScalars(const std::string& file, const std::string& name,
                Json& numbers) {
  for (const Structure& record : Dataset::FromTFRecords({file})) {
    summary::Event event;
    if (!event.ParseFromString(record.leaf().item<std::string>())) {
      throw DataLoss("[Scalars] a record of {} is not an event", file);
    }
    for (const summary::Summary::Value& value : event.summary().value()) {
      if (value.tag() == name) numbers.push_back(value.tensor().float_val(0));
    }
  }
}

Value Scalars(const StepCall& call) {
  const std::string folder = call.Path("folder");
  if (!std::filesystem::is_directory(folder)) {
    throw NotFound("[Scalars] there is no folder {}", folder);
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  Json numbers = Json::array();
  for (const std::string& file : files) {
    AddScalars(file, call.Text("name"), numbers);
  }
  return numbers;
}

}  // namespace

void AddCallbackSteps(StepTable& table) {
  table.Add("callback.learning_rate_scheduler", MakeScheduler);
  table.Add("callback.model_checkpoint", MakeModelCheckpoint);
  table.Add("callback.early_stopping", MakeEarlyStopping);
  table.Add("callback.reduce_on_plateau", MakeReduceOnPlateau);
  table.Add("callback.terminate_on_nan", MakeTerminateOnNaN);
  table.Add("callback.csv_logger", MakeCsvLogger);
  table.Add("callback.tensorboard", MakeTensorBoard);
  table.Add("callback.tensorboard_scalars", Scalars);
  table.Add("callback.backup_and_restore", MakeBackupAndRestore);
  table.Add("callback.record", MakeRecording);
  table.Add("callback.calls", Calls);
  table.Add("callback.learning_rates", LearningRates);
  table.Add("callback.fail_at", MakeFailing);
}

}  // namespace lockstep::conformance
