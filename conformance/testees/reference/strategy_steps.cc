// strategy.* and collective.*: replicas, and collective operations.
#include <map>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/distribute/simulated_pod/simulated_tpu_strategy.h"
#include "reference/distribute/strategy.h"

namespace lockstep::conformance {
namespace {

constexpr int kThreadsPerReplica = 1;

Value Create(const StepCall& call, const TestedDevices& devices) {
  const MirroredStrategyOptions options{.threads_per_replica =
                                            kThreadsPerReplica};
  std::shared_ptr<Strategy> created;
  if (call.Has("devices")) {
    std::vector<std::string> names = call.Argument("devices");
    for (std::string& name : names) name = devices.Translate(name);
    created = std::make_shared<MirroredStrategy>(names, options);
  } else {
    created = std::make_shared<MirroredStrategy>(options);
  }
  return created;
}

Value SimulatedPod(const StepCall& call) {
  const std::shared_ptr<Strategy> created =
      std::make_shared<SimulatedTpuStrategy>(SimulatedTpuStrategyOptions{
          .hosts = static_cast<int>(call.Integer("hosts")),
          .cores_per_host = static_cast<int>(call.Integer("cores_per_host")),
          .threads_per_replica = kThreadsPerReplica});
  return created;
}

// The strategy that `of` names, else the current one.
Strategy& StrategyOf(const StepCall& call,
                     std::shared_ptr<Strategy>& keeps_alive) {
  if (!call.Has("of")) return GetStrategy();
  keeps_alive = call.Get<std::shared_ptr<Strategy>>("of");
  return *keeps_alive;
}

Value Scope(const StepCall& call) {
  StrategyScope scope = call.Get<std::shared_ptr<Strategy>>("of")->Scope();
  call.RunBlockHere();
  return Nothing();
}

// Programs compute with float32 tensors.
Tensor NumberTensor(int number) {
  return Tensor::Scalar(static_cast<float>(number));
}

Value NumReplicasInSync(const StepCall& call) {
  std::shared_ptr<Strategy> keeps_alive;
  return Structure(
      NumberTensor(StrategyOf(call, keeps_alive).num_replicas_in_sync()));
}

Value Context(const StepCall&) {
  const DistributionContext& context = DistributionContext::Current();
  const bool cross_replica = context.in_cross_replica_context();
  const Tensor id =
      cross_replica ? Tensor()
                    : NumberTensor(context.replica_id_in_sync_group().value());
  return Structure::Dict(
      {{"has_strategy", Tensor::Scalar(context.has_strategy())},
       {"in_cross_replica_context", Tensor::Scalar(cross_replica)},
       {"num_replicas_in_sync", NumberTensor(context.num_replicas_in_sync())},
       {"replica_id_in_sync_group", id}});
}

Value DistributeDatasetStep(const StepCall& call) {
  return GetStrategy().DistributeDataset(call.Get<Dataset>("of"));
}

const std::map<std::string, InputReplicationMode> kReplicationModes = {
    {"per_worker", InputReplicationMode::kPerWorker},
    {"per_replica", InputReplicationMode::kPerReplica}};

Value DistributeDatasetsFromFunctionStep(const StepCall& call) {
  std::vector<Json> calls;
  const auto make = [&](const InputContext& context) {
    Environment& inner = call.environment().AddPersistent();
    inner.Bind(call.Text("as"), context);
    call.RunBlock(inner);
    calls.push_back(inner.observations());
    return StepCall::Held<Dataset>(inner.Find(call.Text("return")), "return");
  };
  DistributedDataset inputs = GetStrategy().DistributeDatasetsFromFunction(
      make,
      {.replication_mode = call.Choose(kReplicationModes, "replication",
                                       InputReplicationMode::kPerWorker)});
  call.ObserveRounds(calls);
  return inputs;
}

Value DistributeIds() {
  return GetStrategy().DistributeValuesFromFunction(
      [](const ValueContext& context) {
        return Structure::Tuple(
            {Tensor::Scalar<int32_t>(context.replica_id_in_sync_group.value()),
             Tensor::Scalar<int32_t>(context.num_replicas_in_sync)});
      });
}

Value DistributeValues(const StepCall& call) {
  if (!call.Has("values")) return DistributeIds();
  const Json& values = call.Argument("values");
  if (static_cast<int>(values.size()) != GetStrategy().num_replicas_in_sync()) {
    throw ProgramError("'values' are not as many as the replicas");
  }
  return GetStrategy().DistributeValuesFromFunction(
      [&](const ValueContext& context) {
        return Structure(ToTensor(
            values[context.replica_id_in_sync_group.value()], call.GetDType()));
      });
}

using Arguments = std::vector<std::pair<std::string, Value>>;

Arguments GetArguments(const StepCall& call) {
  Arguments arguments;
  if (!call.Has("args")) return arguments;
  for (const auto& [name, argument] : call.Object("args").items()) {
    arguments.emplace_back(name, call.Resolve(argument, DType::kFloat32));
  }
  return arguments;
}

void BindComponents(const Arguments& arguments, int replica,
                    Environment& inner) {
  for (const auto& [name, value] : arguments) {
    if (const auto* values = std::get_if<PerReplica<Structure>>(&value)) {
      inner.Bind(name, (*values)[replica]);
    } else {
      inner.Bind(name, value);
    }
  }
}

Value Run(const StepCall& call) {
  std::shared_ptr<Strategy> keeps_alive;
  Strategy& strategy = StrategyOf(call, keeps_alive);
  const Arguments arguments = GetArguments(call);
  std::vector<Json> observations(strategy.devices().size());
  const PerReplica<Structure> results = strategy.Run([&] {
    const LocalIndex replica = GetReplicaContext().local_index();
    Environment inner(&call.environment());
    BindComponents(arguments, replica, inner);
    call.RunBlock(inner);
    observations[replica] = inner.observations();
    return call.Result(inner);
  });
  call.ObserveRounds(observations);
  return results;
}

// The values of `args`, in order, as one structure for MergeCall.
Structure MergeArguments(const Arguments& arguments) {
  std::vector<Structure> values;
  for (const auto& [name, value] : arguments) {
    values.push_back(StepCall::Held<Structure>(value, name));
  }
  return Structure::Tuple(std::move(values));
}

Value MergeCall(const StepCall& call) {
  const Arguments arguments = GetArguments(call);
  return GetReplicaContext().MergeCall(
      [&](Strategy&, const PerReplica<Structure>& merged) {
        Environment inner(&call.environment());
        for (size_t i = 0; i < arguments.size(); ++i) {
          inner.Bind(arguments[i].first,
                     merged.Map([&](const Structure& all) { return all[i]; }));
        }
        call.RunBlock(inner);
        return call.Result(inner);
      },
      MergeArguments(arguments));
}

// No axis, one, or a list of axes.
ReduceAxes GetAxes(const StepCall& call) {
  if (!call.Has("axis")) return std::nullopt;
  const Json& axis = call.Argument("axis");
  std::vector<int> axes;
  for (const Json& one : axis.is_array() ? axis : Json::array({axis})) {
    if (!one.is_number_integer())
      throw ProgramError("an axis is not an integer");
    axes.push_back(one.get<int>());
  }
  return axes;
}

Value Reduce(const StepCall& call) {
  const ReduceOp op = ParseReduceOp(call.Text("op"));
  const ReduceAxes axes = GetAxes(call);
  const Value value = call.GetValue("of");
  if (const auto* values = std::get_if<PerReplica<Structure>>(&value)) {
    return GetStrategy().Reduce(op, *values, axes);
  }
  return GetStrategy().Reduce(op, StepCall::Held<Structure>(value, "of"), axes);
}

Value Gather(const StepCall& call) {
  const int axis = static_cast<int>(call.Integer("axis"));
  const Value value = call.Find("of");
  if (const auto* values = std::get_if<PerReplica<Structure>>(&value)) {
    return GetStrategy().Gather(*values, axis);
  }
  return Structure(GetStrategy().Gather(call.GetTensor("of"), axis));
}

Value LocalResultsOf(const StepCall& call) {
  const Value value = call.Find("of");
  if (const auto* values = std::get_if<PerReplica<Structure>>(&value)) {
    return LocalResults{GetStrategy().LocalResults(*values)};
  }
  return LocalResults{
      GetStrategy().LocalResults(StepCall::Held<Structure>(value, "of"))};
}

Value AllReduce(const StepCall& call) {
  return Structure(GetReplicaContext().AllReduce(ParseReduceOp(call.Text("op")),
                                                 call.GetTensor("of")));
}

Value AllGather(const StepCall& call) {
  return Structure(GetReplicaContext().AllGather(
      call.GetTensor("of"), static_cast<int>(call.Integer("axis"))));
}

}  // namespace

void AddStrategySteps(StepTable& table, const TestedDevices& devices) {
  table.Add("strategy.create",
            [devices](const StepCall& call) { return Create(call, devices); });
  table.Add("strategy.tpu_pod", SimulatedPod);
  table.Add("strategy.logical_devices",
            [devices](const StepCall&) { return Json(devices.Names()); });
  table.Add("strategy.scope", Scope);
  table.Add("strategy.num_replicas_in_sync", NumReplicasInSync);
  table.Add("strategy.context", Context);
  table.Add("strategy.distribute_dataset", DistributeDatasetStep);
  table.Add("strategy.distribute_datasets_from_function",
            DistributeDatasetsFromFunctionStep);
  table.Add("strategy.distribute_values", DistributeValues);
  table.Add("strategy.run", Run);
  table.Add("strategy.merge_call", MergeCall);
  table.Add("strategy.reduce", Reduce);
  table.Add("strategy.gather", Gather);
  table.Add("strategy.local_results", LocalResultsOf);
  table.Add("collective.all_reduce", AllReduce);
  table.Add("collective.all_gather", AllGather);
}

}  // namespace lockstep::conformance
