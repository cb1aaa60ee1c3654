// loader.*: examples in batches, as training reads them. gather.*: examples of
// all replicas.
#include <algorithm>
#include <random>
#include <vector>

#include "conformance/testees/reference/intents/loader.h"
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/distribute/strategy.h"

namespace lockstep::conformance {
namespace {

bool AreIntegers(const Json& literal) {
  if (literal.is_array()) return std::ranges::all_of(literal, AreIntegers);
  return literal.is_number_integer();
}

// Class indices if all are integers, else target values.
Tensor ToLabels(const Json& literal) {
  return ToTensor(literal,
                  AreIntegers(literal) ? DType::kInt64 : DType::kFloat32);
}

// A loader that draws without a seed has a random one.
uint64_t SeedOf(const StepCall& call) {
  if (call.Boolean("draws") && !call.Has("seed")) return std::random_device()();
  return static_cast<uint64_t>(call.Integer("seed", 0));
}

Value CreateLoader(const StepCall& call) {
  std::vector<Structure> examples = {
      ToTensor(call.Argument("inputs"), call.GetDType())};
  if (call.Has("labels")) {
    examples.emplace_back(ToLabels(call.Argument("labels")));
  }
  if (call.Has("weights")) {
    examples.emplace_back(ToTensor(call.Argument("weights"), DType::kFloat32));
  }
  const bool of_replica =
      call.Has("batch_of") && call.Text("batch_of") == "replica";
  const int replicas = GetStrategy().num_replicas_in_sync();
  const std::string uneven =
      call.Has("uneven") ? call.Text("uneven") : "default";
  return std::make_shared<Loader>(LoaderOptions{
      .examples = Structure::Tuple(std::move(examples)),
      .batch_size = call.Integer("batch") * (of_replica ? replicas : 1),
      .shuffle = call.Boolean("shuffle"),
      .shuffle_buffer = call.Integer("shuffle_buffer", 0),
      .seed = SeedOf(call),
      .drop_last = call.Boolean("drop_last"),
      .draws = call.Boolean("draws"),
      .workers = call.Integer("workers", 0),
      .padded = uneven == "pad",
      .dropped = uneven == "drop"});
}

const Loader& LoaderIn(const StepCall& call, const char* argument = "of") {
  return *call.Get<std::shared_ptr<Loader>>(argument);
}

Value SetEpoch(const StepCall& call) {
  LoaderIn(call).SetEpoch(call.Integer("epoch"));
  return Nothing();
}

Value Length(const StepCall& call) {
  return LoaderIn(call).inputs().cardinality();
}

Value Skip(const StepCall& call) {
  return LoaderIn(call).Skip(call.Integer("batches"));
}

// The inputs of a replica; null if it has no example.
Json InputsOf(const Structure& part) {
  const Tensor inputs = part[0];
  return inputs.dim(0) == 0 ? Json() : ToObservation(inputs);
}

Value Elements(const StepCall& call) {
  const std::shared_ptr<InputPlace> pass = LoaderIn(call).PassToRead();
  ObservedList steps;
  PerReplica<Structure> step;
  while (pass->NextBatch(&step)) {
    Json of_replicas = Json::array();
    for (const Structure& part : step) of_replicas.push_back(InputsOf(part));
    steps.Add(std::move(of_replicas));
  }
  pass->EndPass();
  return std::move(steps).ToJson();
}

Value Gather(const StepCall& call) {
  const Strategy& strategy = GetStrategy();
  const std::shared_ptr<InputPlace> pass =
      LoaderIn(call, "loader").PassOfExamples();
  Json examples = Json::array();
  PerReplica<Structure> step;
  while (pass->NextBatch(&step)) {
    const PerReplica<Tensor> inputs = step.Map(
        [](const Structure& part) -> Tensor { return part[0].leaf(); });
    for (const Json& example : ToObservation(strategy.Gather(inputs, 0))) {
      examples.push_back(example);
    }
  }
  pass->EndPass();
  return examples;
}

}  // namespace

void AddLoaderSteps(StepTable& table) {
  table.Add("loader.create", CreateLoader);
  table.Add("loader.set_epoch", SetEpoch);
  table.Add("loader.length", Length);
  table.Add("loader.skip", Skip);
  table.Add("loader.elements", Elements);
  table.Add("train.gather", Gather);
}

}  // namespace lockstep::conformance
