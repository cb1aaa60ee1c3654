// input.*: reading distributed datasets.
#include <type_traits>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::conformance {
namespace {

using Step = PerReplica<Structure>;

Value Elements(const StepCall& call) {
  ObservedList steps;
  for (const Step& step : call.Get<DistributedDataset>("of")) {
    steps.Add(ToObservation(step));
  }
  return std::move(steps).ToJson();
}

Value BatchSizes(const StepCall& call) {
  ObservedList steps;
  for (const Step& step : call.Get<DistributedDataset>("of")) {
    steps.Add(step.Map(RowsOf).values());
  }
  return std::move(steps).ToJson();
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

Value IsDataset(const StepCall& call) {
  const Value of = call.Find("of");
  if (std::holds_alternative<Dataset>(of)) return true;
  StepCall::Held<DistributedDataset>(of, "of");
  return std::is_convertible_v<DistributedDataset, Dataset>;
}

Json DescribeSpec(const TensorSpec& spec) {
  Json shape = Json::array();
  for (const int64_t dim : spec.shape.dims()) {
    shape.push_back(dim == kUnknownDim ? Json() : Json(dim));
  }
  return {{"shape", shape}, {"dtype", DTypeName(spec.dtype)}};
}

Json DescribeSpec(const SpecStructure& spec) {
  if (spec.is_leaf()) return DescribeSpec(spec.leaf());
  const bool is_dict = spec.kind() == NestKind::kDict;
  Json parts = is_dict ? Json::object() : Json::array();
  for (size_t i = 0; i < spec.size(); ++i) {
    Json part = DescribeSpec(spec.items()[i]);
    if (is_dict) {
      parts[spec.keys()[i]] = std::move(part);
    } else {
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

Json DescribeSpec(const PerReplica<SpecStructure>& specs) {
  Json replicas = Json::array();
  for (const SpecStructure& own : specs) replicas.push_back(DescribeSpec(own));
  return replicas;
}

Value ElementSpec(const StepCall& call) {
  const Value of = call.Find("of");
  if (const auto* dataset = std::get_if<Dataset>(&of)) {
    return DescribeSpec(dataset->element_spec());
  }
  if (const auto* inputs = std::get_if<DistributedDataset>(&of)) {
    return DescribeSpec(inputs->element_spec());
  }
  return DescribeSpec(
      StepCall::Held<std::shared_ptr<DistributedIterator>>(of, "of")
          ->element_spec());
}

Value PerReplicaBatchSize(const StepCall& call) {
  return call.Get<InputContext>("of").GetPerReplicaBatchSize(
      call.Integer("global_batch_size"));
}

Value ForEach(const StepCall& call) {
  Rounds rounds(call);
  bool leave = false;
  const auto look = [&](const Environment& inner) {
    leave = call.Has("until") && IsTrue(inner.Find(call.Text("until")));
  };
  for (const Step& step : call.Get<DistributedDataset>("of")) {
    rounds.Run([&](Environment& inner) { inner.Bind(call.Text("as"), step); },
               look);
    if (leave) break;
  }
  rounds.Observe();
  return Nothing();
}

Value Iterator(const StepCall& call) {
  return std::make_shared<DistributedIterator>(
      call.Get<DistributedDataset>("of").MakeIterator());
}

Value GetNext(const StepCall& call) {
  return call.Get<std::shared_ptr<DistributedIterator>>("of")->GetNext();
}

// Next as in a loop; here the end is an error too.
Value Next(const StepCall& call) {
  Step step;
  if (!call.Get<std::shared_ptr<DistributedIterator>>("of")->Next(&step)) {
    throw OutOfRange("[input.next] the pass has ended");
  }
  return step;
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
  table.Add("input.is_dataset", IsDataset);
  table.Add("input.element_spec", ElementSpec);
  table.Add("input.per_replica_batch_size", PerReplicaBatchSize);
  table.Add("input.for_each", ForEach);
  table.Add("input.iterator", Iterator);
  table.Add("input.next", Next);
  table.Add("input.get_next", GetNext);
  table.Add("input.next_as_optional", NextAsOptional);
  table.Add("input.has_value", HasValue);
  table.Add("input.get_value", GetValue);
}

}  // namespace lockstep::conformance
