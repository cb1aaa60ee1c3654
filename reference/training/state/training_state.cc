#include "reference/training/state/training_state.h"

#include "reference/base/error.h"

namespace lockstep {

// "kernel (2, 3), bias (3,)". Without the layers' names, which depend on how many
// layers the process created before.
std::string ModelForm::Describe() const {
  std::string form;
  for (const VariablePtr& variable : model_.variables()) {
    const std::string& name = variable->name();
    if (!form.empty()) form += ", ";
    form +=
        name.substr(name.rfind('/') + 1) + " " + ToString(variable->shape());
  }
  return form;
}

std::vector<Trackable::Value> ModelForm::values() {
  return {{.attribute = "FORM",
           .full_name = "form",
           .spec = {.shape = Shape{}, .dtype = DType::kString},
           .save = [this] { return Tensor::Scalar(Describe()); },
           .restore =
               [this](const Tensor& saved) {
                 const std::string expected = Describe();
                 const auto got = saved.item<std::string>();
                 if (got == expected) return;
                 throw InvalidArgument(
                     "[Restore] the model has the weights {}, saved were {}",
                     expected, got);
               }}};
}

namespace {

using Objects = std::map<std::string, Trackable*>;

Objects WithPartsOf(const Model& model, Objects objects) {
  objects["model"] = model.trackable();
  objects["optimizer"] = &model.optimizer();
  objects["metrics"] = &model.metrics();
  return objects;
}

}  // namespace

TrainingState::TrainingState(const Model& model, const Objects& others)
    : model_(model), form_(model), checkpoint_(WithPartsOf(model, others)) {
  for (const VariablePtr& variable : model.variables()) {
    weights_.Append(*variable);
  }
  checkpoint_.TrackChild("weights", weights_);
  checkpoint_.TrackChild("form", form_);
  checkpoint_.KeepEachReplica();
}

void TrainingState::Save(const std::string& path) { checkpoint_.Write(path); }

void TrainingState::Restore(const std::string& path) {
  // First, so that another model is unchanged.
  Checkpoint({{"form", &form_}}).Read(path).ExpectPartial();
  checkpoint_.Read(path).ExpectPartial();
  // Creates the optimizer's state, in case of a save before the next step.
  const StrategyScope scope = model_.strategy().Scope();
  model_.optimizer().Build(model_.trainable_variables());
}

}  // namespace lockstep
