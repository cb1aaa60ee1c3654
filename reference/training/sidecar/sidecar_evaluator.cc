#include "reference/training/sidecar/sidecar_evaluator.h"

#include <thread>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"

namespace lockstep {

SidecarEvaluator::SidecarEvaluator(const Model& model, TrainingData data,
                                   SidecarOptions options)
    : model_(model), data_(std::move(data)), options_(std::move(options)) {
  if (options_.folder.empty()) {
    throw InvalidArgument("[SidecarEvaluator] {}", "the folder is empty");
  }
  if (options_.max_evaluations.value_or(1) < 1 ||
      options_.interval.count() < 1) {
    throw InvalidArgument(
        "[SidecarEvaluator] numbers must be positive, got {} evaluations and "
        "an "
        "interval of {} ms",
        options_.max_evaluations.value_or(1), options_.interval.count());
  }
}

int SidecarEvaluator::Run(const Report& report) {
  std::string last;
  int done = 0;
  while (!options_.max_evaluations || done < *options_.max_evaluations) {
    const std::optional<std::string> checkpoint = AwaitNew(last);
    if (!checkpoint) break;
    if (Evaluate(*checkpoint, report)) ++done;
    last = *checkpoint;
  }
  return done;
}

std::optional<std::string> SidecarEvaluator::AwaitNew(
    const std::string& last) const {
  const auto end = std::chrono::steady_clock::now() + options_.patience;
  for (;;) {
    std::optional<std::string> latest = LatestCheckpoint(options_.folder);
    if (latest && *latest != last) return latest;
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(options_.interval);
  }
}

bool SidecarEvaluator::Evaluate(const std::string& checkpoint,
                                const Report& report) const {
  try {
    Checkpoint restored({{"model", model_.trackable()}});
    const CheckpointLoadStatus status = restored.Restore(checkpoint);
    status.ExpectPartial();
    const Logs logs = model_.Evaluate(data_, options_.evaluate);
    status.AssertExistingObjectsMatched();
    report(checkpoint, logs);
    return true;
  } catch (const Error& error) {
    // The job keeps only its last checkpoints.
    if (error.code() != Code::kNotFound) throw;
    LogWarning("[SidecarEvaluator] {} is not evaluated: {}", checkpoint,
               error.what());
    return false;
  }
}

}  // namespace lockstep
