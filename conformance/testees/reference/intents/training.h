// The result of train.create: a compiled model, and the progress of its
// training.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_TRAINING_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_TRAINING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/testees/reference/intents/learned_model.h"
#include "conformance/testees/reference/intents/loader.h"
#include "reference/optimizers/optimizer.h"
#include "reference/training/events/logs.h"
#include "reference/training/state/training_state.h"

namespace lockstep::conformance {

class Training {
 public:
  // REQUIRES: created in the scope of the strategy of the model.
  Training(std::shared_ptr<LearnedModel> learned,
           std::shared_ptr<Optimizer> optimizer, int accumulate);

  const LearnedModel& learned() const { return *learned_; }
  Optimizer& optimizer() const { return learned_->model().optimizer(); }

  // Trains on the next batches of the loader, across passes.
  void TrainBatches(const Loader& loader, int64_t batches);
  // Trains until the total number of passes, or of batches, is reached.
  void TrainPasses(const Loader& loader, int64_t epochs,
                   std::optional<int64_t> stop_after);
  int64_t epochs() const { return progress_.epochs; }
  // The gradients in the form of LearnedModel::Parameters.
  Json Gradients() const;
  int64_t skipped_steps() const { return learned_->model().skipped_steps(); }
  // The loss of each complete pass.
  const std::vector<double>& losses() const { return losses_; }

  Logs Evaluate(const Loader& loader,
                const std::vector<std::string>& metrics) const;
  Structure Predict(const Loader& loader) const;

  // Saves with the position of a loader, if any.
  void Save(const std::string& folder, const Loader* loader);
  void Resume(const std::string& folder, const Loader* loader);

 private:
  // The progress, as a checkpoint stores it.
  class Progress : public Trackable {
   public:
    std::vector<Value> values() override;

    int64_t epochs = 0;   // complete passes
    int64_t batches = 0;  // all batches
  };

  TrainingState State(const Loader* loader);
  // If training was resumed without a loader, makes a new loader continue with
  // the next pass.
  void ResumeWith(const Loader& loader);

  std::shared_ptr<LearnedModel> learned_;
  Progress progress_;
  bool resumed_without_loader_ = false;
  std::vector<double> losses_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_TRAINING_H_
