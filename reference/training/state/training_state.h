// Saves everything that training needs to resume exactly, in one checkpoint.
//
//   TrainingState state(model, {{"place", place.get()}});
//   state.Save("run/state");
//   ...
//   state.Restore("run/state");   // in another process, with any number of replicas
//
// It has the weights, the optimizer's state and loss scale, the metrics of the pass,
// the gradients of an incomplete window, and the other given objects. With Fit, use
// the callback BackupAndRestore.
#ifndef LOCKSTEP_REFERENCE_TRAINING_STATE_TRAINING_STATE_H_
#define LOCKSTEP_REFERENCE_TRAINING_STATE_TRAINING_STATE_H_

#include <map>
#include <string>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/training/model/model.h"

namespace lockstep {

// The names and shapes of a model's weights. A checkpoint stores them, so that
// another model is refused even if some of its weights fit.
class ModelForm : public Trackable {
 public:
  explicit ModelForm(const Model& model) : model_(model) {}

  // One string. Errors of restoring it: InvalidArgument if the forms differ.
  std::vector<Value> values() override;

 private:
  std::string Describe() const;

  const Model model_;
};

class TrainingState {
 public:
  // REQUIRES: the model is compiled and has its weights; the other objects outlive
  // this one. Errors: those of Checkpoint.
  TrainingState(const Model& model,
                const std::map<std::string, Trackable*>& others);

  // Writes the checkpoint `path`. Errors: those of Checkpoint::Write.
  void Save(const std::string& path);
  // Errors: NotFound if there is no such checkpoint; DataLoss if it is damaged;
  // InvalidArgument if the model has another form. Then nothing has changed.
  void Restore(const std::string& path);

 private:
  const Model model_;
  ModelForm form_;
  // A Sequential that is not built does not track the weights of its layers.
  TrackableList weights_;
  Checkpoint checkpoint_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_STATE_TRAINING_STATE_H_
