#include "reference/metrics/metric.h"

namespace lockstep {

VariablePtr Metric::AddState(const std::string& name) {
  VariablePtr state =
      MakeVariable({.initial_value = [] { return Tensor::Scalar(0.0f); },
                    .name = name_ + "/" + name,
                    .trainable = false,
                    .synchronization = VariableSynchronization::kOnRead,
                    .aggregation = VariableAggregation::kSum});
  TrackChild(name, *state);
  variables_.push_back(state);
  return state;
}

double Metric::Read(const VariablePtr& state) {
  return state->Read().item<float>();
}

void Metric::ResetState() {
  for (const VariablePtr& variable : variables_) {
    variable->Assign(Tensor::Scalar(0.0f));
  }
}

}  // namespace lockstep
