// What train.create makes: a model that is compiled, and how far its training
// is.
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
  // REQUIRES: made in the scope of the strategy that the model is made in.
  Training(std::shared_ptr<LearnedModel> learned,
           std::shared_ptr<Optimizer> optimizer, int accumulate);

  const LearnedModel& learned() const { return *learned_; }
  Optimizer& optimizer() const { return learned_->model().optimizer(); }

  // The next so many batches of the loader, pass after pass.
  void TrainBatches(const Loader& loader, int64_t batches);
  // Until so many passes were trained in all, or so many batches in all.
  void TrainPasses(const Loader& loader, int64_t epochs,
                   std::optional<int64_t> stop_after);
  int64_t epochs() const { return progress_.epochs; }
  // As LearnedModel::Parameters has parameters.
  Json Gradients() const;
  int64_t skipped_steps() const { return learned_->model().skipped_steps(); }
  // Of each pass that is over.
  const std::vector<double>& losses() const { return losses_; }

  Logs Evaluate(const Loader& loader,
                const std::vector<std::string>& metrics) const;
  Structure Predict(const Loader& loader) const;

  // With the place of a loader, if any.
  void Save(const std::string& folder, const Loader* loader);
  void Resume(const std::string& folder, const Loader* loader);

 private:
  // How far it is, as a checkpoint keeps it.
  class Progress : public Trackable {
   public:
    std::vector<Value> values() override;

    int64_t epochs = 0;   // passes that were trained
    int64_t batches = 0;  // batches that were
  };

  TrainingState State(const Loader* loader);
  // A new loader of a training that was resumed without one goes on with the pass
  // that is next.
  void GoOnWith(const Loader& loader);

  std::shared_ptr<LearnedModel> learned_;
  Progress progress_;
  bool resumed_without_loader_ = false;
  std::vector<double> losses_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_TRAINING_H_
