// All that a model's training needs to go on as if nothing had happened, in one
// checkpoint.
//
//   TrainingState state(model, {{"place", place.get()}});
//   state.Save("run/state");
//   ...
//   state.Restore("run/state");   // another process, as many replicas or others
//
// These are the weights, the optimizer with its state and its loss scale, what
// was measured of the pass, gradients of a window that is not full, and what else
// is named. Callbacks for Fit's own loop do the same: BackupAndRestore.
#ifndef LOCKSTEP_REFERENCE_TRAINING_STATE_TRAINING_STATE_H_
#define LOCKSTEP_REFERENCE_TRAINING_STATE_TRAINING_STATE_H_

#include <map>
#include <string>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/training/model/model.h"

namespace lockstep {

// Which weights a model has: what is kept with them, so that another model does
// not take some of them for its own.
class ModelForm : public Trackable {
 public:
  explicit ModelForm(const Model& model) : model_(model) {}

  // One string. Errors of restoring another form's: InvalidArgument.
  std::vector<Value> values() override;

 private:
  std::string Describe() const;

  const Model model_;
};

class TrainingState {
 public:
  // REQUIRES: a compiled model whose weights are there, and objects that live as
  // long as this does. Errors: those of Checkpoint.
  TrainingState(const Model& model,
                const std::map<std::string, Trackable*>& others);

  // To "<path>.index" and beside it. Errors: those of Checkpoint::Write.
  void Save(const std::string& path);
  // Errors: NotFound where nothing was saved; DataLoss for damaged files;
  // InvalidArgument for a model of another form. Then nothing has changed.
  void Restore(const std::string& path);

 private:
  const Model model_;
  ModelForm form_;
  // A Sequential that is not built shows nobody the weights of its layers.
  TrackableList weights_;
  Checkpoint checkpoint_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_STATE_TRAINING_STATE_H_
