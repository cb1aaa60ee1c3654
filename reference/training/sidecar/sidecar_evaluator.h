// Evaluates a model's checkpoints while another job trains it: the task "evaluator"
// of a cluster, which is no part of the job.
//
//   Sequential model = MakeModel();       // compiled, without the job's strategy
//   SidecarEvaluator evaluator(model, test.Batch(64),
//                              {.folder = "checkpoints", .max_evaluations = 3});
//   evaluator.Run([](const std::string& checkpoint, const Logs& logs) {
//     fmt::print("{}: {}\n", checkpoint, logs.at("loss"));
//   });
//
// The folder is one of Checkpoint::Save or a CheckpointManager, whose checkpoints
// have the model as "model": BackupAndRestore's, for instance.
#ifndef LOCKSTEP_REFERENCE_TRAINING_SIDECAR_SIDECAR_EVALUATOR_H_
#define LOCKSTEP_REFERENCE_TRAINING_SIDECAR_SIDECAR_EVALUATOR_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "reference/training/batches/training_data.h"
#include "reference/training/events/logs.h"
#include "reference/training/model/fit_options.h"
#include "reference/training/model/model.h"

namespace lockstep {

struct SidecarOptions {
  std::string folder;
  // Ends after this many checkpoints, and when no other one comes for so long.
  std::optional<int> max_evaluations = std::nullopt;
  std::chrono::milliseconds patience = std::chrono::hours(1);
  // How often it looks for a new checkpoint.
  std::chrono::milliseconds interval = std::chrono::seconds(1);
  EvaluateOptions evaluate = {};
};

class SidecarEvaluator {
 public:
  using Report =
      std::function<void(const std::string& checkpoint, const Logs& logs)>;

  // Errors: InvalidArgument for an empty folder, or numbers below 1.
  SidecarEvaluator(const Model& model, TrainingData data,
                   SidecarOptions options);

  // Evaluates each new latest checkpoint, and calls `report`. One that is deleted
  // before it is read is left out. Returns the number of evaluations. Errors: those
  // of Restore and Evaluate; FailedPrecondition if a checkpoint has no weights of
  // the model.
  int Run(const Report& report);

 private:
  // Nothing if none came in time.
  std::optional<std::string> AwaitNew(const std::string& last) const;
  bool Evaluate(const std::string& checkpoint, const Report& report) const;

  const Model model_;
  const TrainingData data_;
  const SidecarOptions options_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_SIDECAR_SIDECAR_EVALUATOR_H_
