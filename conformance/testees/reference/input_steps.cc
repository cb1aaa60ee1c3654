// input.*: reading distributed datasets.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::conformance {
namespace {

using Step = PerReplica<Structure>;

int64_t BatchSize(const Structure& element) {
  return element.Flatten().front().dim(0);
}

Value Elements(const StepCall& call) {
  Json steps = Json::array();
  for (const Step& step : call.Get<DistributedDataset>("of")) {
    steps.push_back(ToObservation(step));
  }
  return steps;
}

Value BatchSizes(const StepCall& call) {
  Json steps = Json::array();
  for (const Step& step : call.Get<DistributedDataset>("of")) {
    steps.push_back(step.Map(BatchSize).values());
  }
  return steps;
}

Value CountBatches(const StepCall& call) {
  int64_t batches = 0;
  for (const Step& step : call.Get<DistributedDataset>("of")) {
    batches += step.size();
  }
  return batches;
}

Value Cardinality(const StepCall& call) {
  return call.Get<DistributedDataset>("of").cardinality();
}

Value ForEach(const StepCall& call) {
  std::vector<Json> rounds;
  for (const Step& step : call.Get<DistributedDataset>("of")) {
    call.RunRound(
        rounds, [&](Environment& inner) { inner.Bind(call.Text("as"), step); });
  }
  call.ObserveRounds(rounds);
  return Nothing();
}

Value Iterator(const StepCall& call) {
  return std::make_shared<DistributedIterator>(
      call.Get<DistributedDataset>("of").MakeIterator());
}

Value Next(const StepCall& call) {
  return call.Get<std::shared_ptr<DistributedIterator>>("of")->GetNext();
}

Value NextAsOptional(const StepCall& call) {
  return call.Get<std::shared_ptr<DistributedIterator>>("of")
      ->GetNextAsOptional();
}

Value HasValue(const StepCall& call) {
  return call.Get<Optional<Step>>("of").has_value();
}

Value GetValue(const StepCall& call) {
  return call.Get<Optional<Step>>("of").GetValue();
}

}  // namespace

void AddInputSteps(StepTable& table) {
  table.Add("input.elements", Elements);
  table.Add("input.batch_sizes", BatchSizes);
  table.Add("input.count_batches", CountBatches);
  table.Add("input.cardinality", Cardinality);
  table.Add("input.for_each", ForEach);
  table.Add("input.iterator", Iterator);
  table.Add("input.next", Next);
  table.Add("input.next_as_optional", NextAsOptional);
  table.Add("input.has_value", HasValue);
  table.Add("input.get_value", GetValue);
}

}  // namespace lockstep::conformance
