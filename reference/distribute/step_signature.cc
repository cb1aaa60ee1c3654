#include "reference/distribute/step_signature.h"

namespace lockstep::distribute_internal {
namespace {

// REQUIRES: same form.
bool SameSpecs(const SpecStructure& specs, const Structure& element) {
  if (specs.is_leaf()) return specs.leaf() == SpecOf(element.leaf());
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!SameSpecs(specs.items()[i], element.items()[i])) return false;
  }
  return true;
}

}  // namespace

StepSignature::StepSignature(const PerReplica<Structure>& batch) {
  for (const Structure& element : batch) {
    specs_.push_back(element.Map<TensorSpec>(&SpecOf));
  }
}

bool StepSignature::Matches(const PerReplica<Structure>& batch) const {
  if (batch.size() != static_cast<int>(specs_.size())) return false;
  for (int replica = 0; replica < batch.size(); ++replica) {
    const Structure& element = batch[replica];
    const SpecStructure& specs = specs_[replica];
    if (!specs.SameFormAs(element) || !SameSpecs(specs, element)) return false;
  }
  return true;
}

}  // namespace lockstep::distribute_internal
