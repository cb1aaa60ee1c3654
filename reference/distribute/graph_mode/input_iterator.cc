#include "reference/distribute/graph_mode/input_iterator.h"

#include <optional>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {

struct InputIterator::State {
  DistributedDataset inputs;
  std::optional<DistributedIterator> pass;
};

InputIterator::InputIterator(DistributedDataset inputs)
    : state_(std::make_shared<State>(
          State{.inputs = std::move(inputs), .pass = std::nullopt})) {}

void InputIterator::Initialize() const {
  state_->pass.emplace(state_->inputs.MakeIterator());
}

PerReplica<Structure> InputIterator::GetNext() const {
  if (!state_->pass) {
    throw FailedPrecondition(
        "[GetNext] the iterator was not initialised: call Initialize before "
        "the first GetNext");
  }
  return state_->pass->GetNext();
}

PerReplica<SpecStructure> InputIterator::element_spec() const {
  return state_->inputs.element_spec();
}

InputIterator MakeDatasetIterator(const Strategy& strategy,
                                  const Dataset& dataset) {
  return InputIterator(strategy.DistributeDataset(dataset));
}

InputIterator MakeInputFnIterator(const Strategy& strategy,
                                  const DatasetFunction& input_fn) {
  return InputIterator(strategy.DistributeDatasetsFromFunction(input_fn));
}

}  // namespace lockstep
