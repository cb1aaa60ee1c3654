// coordinator.*, remote.*, cluster.*: functions that workers run, and the
// processes of the cluster.
#include "conformance/testees/reference/parameter_server/coordinator_steps.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/cases/program.h"
#include "conformance/testees/reference/parameter_server/given_cluster.h"
#include "conformance/testees/reference/parameter_server/server_object.h"
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/parameter_server/coordinator/cluster_coordinator.h"
#include "reference/parameter_server/variables/closure_scope.h"
#include "reference/training/batches/dataset_creator.h"

namespace lockstep::conformance {
namespace {

using CoordinatorPtr = std::shared_ptr<ClusterCoordinator>;
using ClusterPtr = std::shared_ptr<GivenCluster>;

// An iterator in a scheduled function.
struct IteratorArgument {
  const WorkerArguments* arguments;
  std::string name;
};

// The arguments of a scheduled function, as `in` of `in.step`.
class ArgumentsObject : public ServerObject {
 public:
  explicit ArgumentsObject(const WorkerArguments& arguments)
      : arguments_(arguments) {}

  Value PartOf(std::string_view key) const override {
    const auto found = arguments_.named().find(std::string(key));
    if (found == arguments_.named().end()) return ServerObject::PartOf(key);
    if (const auto* value = std::get_if<Structure>(&found->second)) {
      return *value;
    }
    return MakeServerObject(IteratorArgument{&arguments_, std::string(key)});
  }

 private:
  const WorkerArguments& arguments_;
};

GivenCluster& ClusterOf(const StepCall& call) {
  const Value value = call.environment().Find(kClusterName);
  return **FindObject<ClusterPtr>(value);
}

ClusterCoordinator& CoordinatorOf(const StepCall& call) {
  return *HeldObject<CoordinatorPtr>(call, "of");
}

Value Function(const StepCall& call) {
  GivenCluster& cluster = ClusterOf(call);
  return MakeServerObject(cluster.strategy().Function(
      cluster.NextName(), [call](const WorkerArguments& in) {
        Environment inner(&call.environment());
        if (call.Has("as")) {
          inner.Bind(call.Text("as"),
                     std::shared_ptr<ServerObject>(
                         std::make_shared<ArgumentsObject>(in)));
        }
        call.RunBlock(inner);
        return call.Result(inner);
      }));
}

Dataset DatasetOf(const StepCall& call, const InputContext& context) {
  Environment& inner = call.environment().AddPersistent();
  inner.Bind(call.Text("as"), context);
  call.RunBlock(inner);
  return StepCall::Held<Dataset>(inner.Find(call.Text("return")), "return");
}

Value MakeDatasetFunction(const StepCall& call) {
  GivenCluster& cluster = ClusterOf(call);
  return MakeServerObject(cluster.strategy().DatasetFunction(
      cluster.NextName(), [call](const InputContext& context) {
        return DatasetOf(call, context);
      }));
}

Value MakeCreator(const StepCall& call) {
  return MakeServerObject(DatasetCreator(ClusterOf(call).NextName(),
                                         [call](const InputContext& context) {
                                           return DatasetOf(call, context);
                                         }));
}

// Ends a worker's program: the coordinator runs what comes after.
Value Create(const StepCall& call) {
  ParameterServerStrategy& strategy = ClusterOf(call).strategy();
  if (strategy.is_worker()) {
    strategy.Serve();
    throw WorkerEnded();
  }
  return MakeServerObject(std::make_shared<ClusterCoordinator>(strategy));
}

Value CreatePerWorkerDataset(const StepCall& call) {
  return MakeServerObject(CoordinatorOf(call).CreatePerWorkerDataset(
      HeldObject<WorkerDataset>(call, "function")));
}

// input.iterator and input.next, also of per-worker datasets.
Value Iterator(const StepFunction& original, const StepCall& call) {
  const Value of = call.Find("of");
  const auto* dataset = FindObject<PerWorkerDataset>(of);
  return dataset ? MakeServerObject(dataset->MakeIterator()) : original(call);
}

Value Next(const StepFunction& original, const StepCall& call) {
  const Value of = call.Find("of");
  const auto* iterator = FindObject<IteratorArgument>(of);
  return iterator ? iterator->arguments->Next(iterator->name) : original(call);
}

// A run in a scheduled function gives the value of its only replica.
Value RunInFunction(const StepFunction& original, const StepCall& call) {
  Value result = original(call);
  const auto* values = std::get_if<PerReplica<Structure>>(&result);
  if (!values || ClosureScope::Current() == nullptr) return result;
  return (*values)[LocalIndex(0)];
}

// On a worker fit and evaluate serve, until the coordinator has ended.
Value ServeInFit(const StepFunction& original, const StepCall& call) {
  Value result = original(call);
  const auto* strategy = dynamic_cast<ParameterServerStrategy*>(&GetStrategy());
  if (strategy && strategy->is_worker()) throw WorkerEnded();
  return result;
}

ScheduledArgument ArgumentOf(const Value& value, const std::string& name) {
  if (const auto* own = FindObject<PerWorkerValue>(value)) return *own;
  if (const auto* remote = FindObject<RemoteValue>(value)) return *remote;
  if (const auto* variable = std::get_if<VariablePtr>(&value)) return *variable;
  return StepCall::Held<Structure>(value, name);
}

Value Schedule(const StepCall& call) {
  NamedArguments arguments;
  if (call.Has("args")) {
    for (const auto& [name, argument] : call.Object("args").items()) {
      arguments.emplace(
          name, ArgumentOf(call.Resolve(argument, DType::kFloat32), name));
    }
  }
  return MakeServerObject(CoordinatorOf(call).Schedule(
      HeldObject<WorkerFunction>(call, "function"), arguments));
}

Value Join(const StepCall& call) {
  CoordinatorOf(call).Join();
  return Nothing();
}

Value Done(const StepCall& call) { return CoordinatorOf(call).Done(); }

// A function without a result gives an empty tuple.
Value ResultOf(const Structure& fetched) {
  if (!fetched.is_leaf() && fetched.size() == 0) return Nothing();
  return fetched;
}

Value FetchRemote(const StepCall& call) {
  return ResultOf(HeldObject<RemoteValue>(call, "of").Fetch());
}

Nest<FetchedLeaf> FetchedOf(const Value& value, const std::string& name) {
  if (const auto* remote = FindObject<RemoteValue>(value)) {
    return FetchedLeaf(*remote);
  }
  return StepCall::Held<Structure>(value, name)
      .Map<FetchedLeaf>([](const Tensor& leaf) { return FetchedLeaf(leaf); });
}

Value Fetch(const StepCall& call) {
  std::vector<std::pair<std::string, Nest<FetchedLeaf>>> items;
  for (const auto& [name, value] : call.Object("values").items()) {
    items.emplace_back(name,
                       FetchedOf(call.Resolve(value, DType::kFloat32), name));
  }
  return CoordinatorOf(call).Fetch(Nest<FetchedLeaf>::Dict(std::move(items)));
}

const std::map<std::string, ParameterServerRole> kTasks = {
    {"worker", ParameterServerRole::kWorker},
    {"server", ParameterServerRole::kServer}};

Value Kill(const StepCall& call) {
  ClusterOf(call).processes().Kill(call.Choose(kTasks, "task"),
                                   static_cast<int>(call.Integer("index")));
  return Nothing();
}

Value Start(const StepCall& call) {
  ClusterOf(call).processes().Start(call.Choose(kTasks, "task"),
                                    static_cast<int>(call.Integer("index")));
  return Nothing();
}

}  // namespace

bool HasCoordinator(const Json& program) {
  return std::ranges::any_of(StepNamesOf(program), [](const std::string& step) {
    return step == "coordinator.create" || step == "dataset.creator";
  });
}

void AddCoordinatorSteps(StepTable& table) {
  table.Add("coordinator.function", Function);
  table.Add("coordinator.dataset_function", MakeDatasetFunction);
  table.Add("dataset.creator", MakeCreator);
  table.Add("coordinator.create", Create);
  table.Add("coordinator.per_worker_dataset", CreatePerWorkerDataset);
  table.Add("coordinator.schedule", Schedule);
  table.Add("coordinator.join", Join);
  table.Add("coordinator.done", Done);
  table.Add("coordinator.fetch", Fetch);
  table.Add("remote.fetch", FetchRemote);
  table.Add("cluster.kill", Kill);
  table.Add("cluster.start", Start);
  table.Wrap("input.iterator", Iterator);
  table.Wrap("input.next", Next);
  table.Wrap("strategy.run", RunInFunction);
  table.Wrap("model.fit", ServeInFit);
  table.Wrap("model.evaluate", ServeInFit);
}

}  // namespace lockstep::conformance
