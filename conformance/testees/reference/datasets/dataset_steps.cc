// dataset.*: pipelines before distribution.
#include <map>
#include <stdexcept>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/data/dataset.h"

namespace lockstep::conformance {
namespace {

Value Range(const StepCall& call) {
  return Dataset::Range(call.Integer("start", 0), call.Integer("stop"));
}

Value FromTensors(const StepCall& call) {
  return Dataset::FromTensors(
      ToStructure(call.Argument("value"), call.GetDType()));
}

Value FromTensorSlices(const StepCall& call) {
  return Dataset::FromTensorSlices(
      ToStructure(call.Argument("value"), call.GetDType()));
}

Value FromGenerator(const StepCall& call) {
  std::vector<Tensor> elements;
  for (const Json& element : call.Argument("elements")) {
    elements.push_back(ToTensor(element, call.GetDType()));
  }
  if (elements.empty()) throw ProgramError("a generator needs elements");
  const std::vector<int64_t> unknown(elements[0].rank(), kUnknownDim);
  constexpr int64_t kNowhere = -1;
  const int64_t fails_at = call.Integer("fails_at", kNowhere);
  const auto start = [elements, fails_at] {
    return [elements, fails_at,
            next = size_t{0}]() mutable -> std::optional<Structure> {
      if (next == elements.size()) return std::nullopt;
      const size_t place = next++;
      if (static_cast<int64_t>(place) == fails_at) {
        throw std::runtime_error("failing here, as requested");
      }
      return Structure(elements[place]);
    };
  };
  return Dataset::FromGenerator(start,
                                TensorSpec{Shape(unknown), call.GetDType()});
}

Value Random(const StepCall& call) {
  return Dataset::Random(call.Integer("seed"));
}

std::vector<Dataset> DatasetsOf(const StepCall& call) {
  std::vector<Dataset> datasets;
  for (const Json& name : call.Argument("of")) {
    datasets.push_back(StepCall::Held<Dataset>(
        call.environment().Find(name.get<std::string>()), name));
  }
  return datasets;
}

Value Zip(const StepCall& call) { return Dataset::Zip(DatasetsOf(call)); }

Value ChooseFromDatasets(const StepCall& call) {
  return Dataset::ChooseFromDatasets(DatasetsOf(call),
                                     call.Get<Dataset>("choice"),
                                     call.Boolean("stop_on_empty", true));
}

Value SampleFromDatasets(const StepCall& call) {
  return Dataset::SampleFromDatasets(
      DatasetsOf(call),
      {.weights = call.Argument("weights").get<std::vector<float>>(),
       .seed = call.Integer("seed")});
}

Value Batch(const StepCall& call) {
  return call.Get<Dataset>("of").Batch(call.Integer("size"),
                                       call.Boolean("drop_remainder"));
}

Value PaddedBatch(const StepCall& call) {
  return call.Get<Dataset>("of").PaddedBatch(call.Integer("size"),
                                             call.Number("padding", 0));
}

Value Unbatch(const StepCall& call) {
  return call.Get<Dataset>("of").Unbatch();
}

Value Concatenate(const StepCall& call) {
  return call.Get<Dataset>("of").Concatenate(call.Get<Dataset>("other"));
}

Value Repeat(const StepCall& call) {
  constexpr int64_t kForever = -1;
  return call.Get<Dataset>("of").Repeat(call.Integer("count", kForever));
}

Value Take(const StepCall& call) {
  return call.Get<Dataset>("of").Take(call.Integer("count"));
}

Value Skip(const StepCall& call) {
  return call.Get<Dataset>("of").Skip(call.Integer("count"));
}

Value Shard(const StepCall& call) {
  if (!call.Has("num_shards") && !call.Has("index")) {
    return call.Get<Dataset>("of").Shard(kShardHint, 0);
  }
  return call.Get<Dataset>("of").Shard(call.Integer("num_shards"),
                                       call.Integer("index"));
}

Value Shuffle(const StepCall& call) {
  return call.Get<Dataset>("of").Shuffle(
      call.Integer("buffer_size"), static_cast<uint64_t>(call.Integer("seed")),
      call.Boolean("reshuffle_each_iteration", true));
}

// The step's block as a function of an element. It outlives the call, because
// elements are computed when they are read.
MapFunction FunctionOf(const StepCall& call) {
  return [call](const Structure& element) {
    Environment inner(&call.environment());
    inner.Bind(call.Text("as"), element);
    call.RunBlock(inner);
    return call.Result(inner);
  };
}

Value Map(const StepCall& call) {
  const Dataset& input = call.Get<Dataset>("of");
  if (!call.Has("parallel_calls")) return input.Map(FunctionOf(call));
  return input.Map(FunctionOf(call),
                   {.num_parallel_calls = call.Integer("parallel_calls")});
}

FilterFunction PredicateOf(const StepCall& call) {
  return [function = FunctionOf(call)](const Structure& element) {
    return function(element).leaf().item<bool>();
  };
}

Value Filter(const StepCall& call) {
  return call.Get<Dataset>("of").Filter(PredicateOf(call));
}

Value TakeWhile(const StepCall& call) {
  return call.Get<Dataset>("of").TakeWhile(PredicateOf(call));
}

Value Scan(const StepCall& call) {
  const auto next = [call](const Structure& state, const Structure& element) {
    Environment inner(&call.environment());
    inner.Bind(call.Text("state"), state);
    inner.Bind(call.Text("as"), element);
    call.RunBlock(inner);
    const Structure result = call.Result(inner);
    return ScanStep{.state = result, .output = result};
  };
  return call.Get<Dataset>("of").Scan(call.GetTensor("initial"), next);
}

Value Unique(const StepCall& call) { return call.Get<Dataset>("of").Unique(); }

Value IgnoreErrors(const StepCall& call) {
  return call.Get<Dataset>("of").IgnoreErrors();
}

Value AssertCardinality(const StepCall& call) {
  return call.Get<Dataset>("of").AssertCardinality(call.Integer("count"));
}

Value Enumerate(const StepCall& call) {
  return call.Get<Dataset>("of").Enumerate();
}

Value Cache(const StepCall& call) {
  const Dataset& input = call.Get<Dataset>("of");
  return call.Has("file") ? input.Cache(call.Path("file")) : input.Cache();
}

Value Prefetch(const StepCall& call) {
  return call.Get<Dataset>("of").Prefetch(call.Integer("buffer_size"));
}

// Runs the block in an environment that outlives the call, because reading the
// dataset uses it.
Value Interleave(const StepCall& call) {
  const auto open = [call](const Structure& element) {
    Environment& inner = call.environment().AddPersistent();
    inner.Bind(call.Text("as"), element);
    call.RunBlock(inner);
    return StepCall::Held<Dataset>(inner.Find(call.Text("return")), "return");
  };
  return call.Get<Dataset>("of").Interleave(
      open, {.cycle_length = call.Integer("cycle_length"),
             .block_length = call.Integer("block_length", 1)});
}

const std::map<std::string, AutoShardPolicy> kAutoShardPolicies = {
    {"auto", AutoShardPolicy::kAuto},
    {"file", AutoShardPolicy::kFile},
    {"data", AutoShardPolicy::kData},
    {"hint", AutoShardPolicy::kHint},
    {"off", AutoShardPolicy::kOff}};

Value WithOptions(const StepCall& call) {
  DatasetOptions options;
  options.auto_shard_policy =
      call.Choose(kAutoShardPolicies, "auto_shard_policy");
  return call.Get<Dataset>("of").WithOptions(options);
}

Value Elements(const StepCall& call) {
  ObservedList elements;
  for (const Structure& element : call.Get<Dataset>("of")) {
    elements.Add(ToObservation(element));
  }
  return std::move(elements).ToJson();
}

}  // namespace

void AddDatasetSteps(StepTable& table) {
  table.Add("dataset.range", Range);
  table.Add("dataset.from_tensors", FromTensors);
  table.Add("dataset.from_tensor_slices", FromTensorSlices);
  table.Add("dataset.from_generator", FromGenerator);
  table.Add("dataset.random", Random);
  table.Add("dataset.zip", Zip);
  table.Add("dataset.choose_from_datasets", ChooseFromDatasets);
  table.Add("dataset.sample_from_datasets", SampleFromDatasets);
  table.Add("dataset.batch", Batch);
  table.Add("dataset.padded_batch", PaddedBatch);
  table.Add("dataset.unbatch", Unbatch);
  table.Add("dataset.concatenate", Concatenate);
  table.Add("dataset.repeat", Repeat);
  table.Add("dataset.take", Take);
  table.Add("dataset.skip", Skip);
  table.Add("dataset.shard", Shard);
  table.Add("dataset.shuffle", Shuffle);
  table.Add("dataset.map", Map);
  table.Add("dataset.filter", Filter);
  table.Add("dataset.take_while", TakeWhile);
  table.Add("dataset.scan", Scan);
  table.Add("dataset.unique", Unique);
  table.Add("dataset.ignore_errors", IgnoreErrors);
  table.Add("dataset.assert_cardinality", AssertCardinality);
  table.Add("dataset.enumerate", Enumerate);
  table.Add("dataset.cache", Cache);
  table.Add("dataset.prefetch", Prefetch);
  table.Add("dataset.interleave", Interleave);
  table.Add("dataset.with_options", WithOptions);
  table.Add("dataset.elements", Elements);
}

}  // namespace lockstep::conformance
