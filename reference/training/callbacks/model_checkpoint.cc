#include "reference/training/callbacks/model_checkpoint.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <utility>

#include "reference/base/error.h"
#include "reference/training/model/fit_progress.h"
#include "reference/training/model/model.h"

namespace lockstep {

ModelCheckpoint::ModelCheckpoint(std::string path,
                                 const ModelCheckpointOptions& options)
    : path_(std::move(path)),
      options_(options),
      watch_(options.monitor, options.mode, 0, options.initial_value_threshold),
      frequency_(options.save_freq) {
  frequency_.Check("ModelCheckpoint");
  if (path_.empty())
    throw InvalidArgument("[ModelCheckpoint] the path is empty");
  if (!options.save_weights_only && !path_.ends_with(".keras")) {
    throw InvalidArgument(
        "[ModelCheckpoint] a whole model's file must be named '....keras', got "
        "'{}'; save_weights_only allows other names",
        path_);
  }
}

void ModelCheckpoint::OnEpochBegin(int /*epoch*/) {
  frequency_.BeginEpoch(progress().step());
}

void ModelCheckpoint::OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) {
  if (frequency_.IsDue(batch)) Save(progress().epoch(), batch, logs.Get());
}

void ModelCheckpoint::OnEpochEnd(int epoch, Logs& logs) {
  if (frequency_.every_epoch()) Save(epoch, 0, logs);
}

void ModelCheckpoint::Save(int epoch, int64_t batch, const Logs& logs) {
  if (options_.save_best_only &&
      !watch_.Improves(logs, "ModelCheckpoint").value_or(false)) {
    return;
  }
  const std::string file = FileName(epoch, batch, logs);
  if (options_.save_weights_only) {
    model().SaveWeights(file);
  } else {
    model().Save(file);
  }
}

std::string ModelCheckpoint::FileName(int epoch, int64_t batch,
                                      const Logs& logs) const {
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  values.push_back(fmt::arg("epoch", epoch + 1));
  values.push_back(fmt::arg("batch", batch + 1));
  std::string names = "epoch, batch";
  for (const auto& [name, value] : logs.items()) {
    values.push_back(fmt::arg(name.c_str(), value));
    names += ", " + name;
  }
  try {
    return fmt::vformat(path_, values);
  } catch (const fmt::format_error& error) {
    throw InvalidArgument("[ModelCheckpoint] the name '{}': {}; there are: {}",
                          path_, error.what(), names);
  }
}

}  // namespace lockstep
