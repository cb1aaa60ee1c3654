// checkpoint.*: saving and restoring, in the program's own folder; manager.*:
// the newest checkpoints of a folder.

#include <filesystem>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/write_directory.h"
#include "reference/distribute/input/iterator_state.h"
#include "reference/distribute/strategy.h"

namespace lockstep::conformance {
namespace {

std::shared_ptr<Trackable> ToTrackable(const Value& value,
                                       const std::string& name) {
  if (const auto* variable = std::get_if<VariablePtr>(&value)) {
    return *variable;
  }
  if (const auto* optimizer = std::get_if<std::shared_ptr<Optimizer>>(&value)) {
    return *optimizer;
  }
  if (const auto* model = std::get_if<Model>(&value)) {
    return {model->shared_impl(), model->trackable()};
  }
  if (const auto* iterator =
          std::get_if<std::shared_ptr<DistributedIterator>>(&value)) {
    return std::make_shared<IteratorState>(*iterator);
  }
  return StepCall::Held<std::shared_ptr<Metric>>(value, name);
}

Value Create(const StepCall& call) {
  CheckpointHandle handle;
  std::map<std::string, Trackable*> objects;
  for (const auto& [key, name] : call.Object("objects").items()) {
    handle.objects.push_back(
        ToTrackable(call.environment().Find(name.get<std::string>()), name));
    objects[key] = handle.objects.back().get();
  }
  handle.checkpoint = std::make_shared<Checkpoint>(objects);
  return handle;
}

// Returns when all workers have called it.
void WaitForWorkers(Strategy& strategy) {
  strategy.Reduce(ReduceOp::kSum,
                  strategy.Run([] { return Tensor::Scalar<float>(1); }));
}

// Each of several workers saves in a folder of its own. The chief's files
// count, and no worker continues before they are there.
Value Save(const StepCall& call) {
  Strategy& strategy = GetStrategy();
  const std::filesystem::path prefix = call.Path("prefix");
  std::filesystem::path saved;
  {
    const WriteDirectory folder(strategy.topology(), prefix.parent_path());
    saved = call.Get<CheckpointHandle>("of").checkpoint->Save(
        folder.path() / prefix.filename());
  }
  if (strategy.topology().num_workers() > 1) WaitForWorkers(strategy);
  return call.Relative(prefix.parent_path() / saved.filename());
}

Value Write(const StepCall& call) {
  return call.Relative(
      call.Get<CheckpointHandle>("of").checkpoint->Write(call.Path("prefix")));
}

std::optional<std::string> PathToRestore(const StepCall& call) {
  if (!call.Has("found")) return call.Path("path");
  const Value found = call.Find("found");
  if (std::holds_alternative<Nothing>(found)) return std::nullopt;
  return call.folder() + "/" + StepCall::Held<std::string>(found, "found");
}

Value Restore(const StepCall& call) {
  const CheckpointHandle handle = call.Get<CheckpointHandle>("of");
  return RestoreStatus{handle, handle.checkpoint->Restore(PathToRestore(call))};
}

Value AssertConsumed(const StepCall& call) {
  call.Get<RestoreStatus>("of").status.AssertConsumed();
  return Nothing();
}

Value AssertExistingObjectsMatched(const StepCall& call) {
  call.Get<RestoreStatus>("of").status.AssertExistingObjectsMatched();
  return Nothing();
}

Value Latest(const StepCall& call) {
  const std::optional<std::string> path = LatestCheckpoint(call.Path("folder"));
  if (!path) return Nothing();
  return call.Relative(*path);
}

Value State(const StepCall& call) {
  const std::optional<CheckpointState> state =
      ReadCheckpointState(call.Path("folder"));
  if (!state) return Nothing();
  Json all = Json::array();
  for (const std::string& path : state->all_model_checkpoint_paths) {
    all.push_back(call.Relative(path));
  }
  return Json{
      {"model_checkpoint_path", call.Relative(state->model_checkpoint_path)},
      {"all_model_checkpoint_paths", all}};
}

}  // namespace

void AddCheckpointSteps(StepTable& table) {
  table.Add("checkpoint.create", Create);
  table.Add("checkpoint.save", Save);
  table.Add("checkpoint.write", Write);
  table.Add("checkpoint.restore", Restore);
  table.Add("checkpoint.assert_consumed", AssertConsumed);
  table.Add("checkpoint.assert_existing_objects_matched",
            AssertExistingObjectsMatched);
  table.Add("checkpoint.latest", Latest);
  table.Add("checkpoint.state", State);
}

namespace {

std::optional<int64_t> FindInteger(const StepCall& call, const char* argument) {
  if (!call.Has(argument)) return std::nullopt;
  return call.Integer(argument);
}

Value CreateManager(const StepCall& call) {
  ManagerHandle handle;
  handle.checkpoint = call.Get<CheckpointHandle>("of");
  CheckpointManagerOptions options;
  if (call.Has("max_to_keep")) {
    options.max_to_keep = static_cast<int>(call.Integer("max_to_keep"));
  }
  options.checkpoint_interval = FindInteger(call, "checkpoint_interval");
  if (call.Has("checkpoint_name")) {
    options.checkpoint_name = call.Text("checkpoint_name");
  }
  if (call.Has("step_counter")) {
    handle.step_counter = call.Get<VariablePtr>("step_counter");
    options.step_counter = handle.step_counter.get();
  }
  if (call.Has("program")) {
    // The environment of this step outlives the manager.
    options.init_fn = [call] {
      Environment inner(&call.environment());
      call.RunBlock(inner);
    };
  }
  handle.manager = std::make_shared<CheckpointManager>(
      *handle.checkpoint.checkpoint, call.Path("folder"), std::move(options));
  return handle;
}

Value RelativePath(const StepCall& call,
                   const std::optional<std::string>& path) {
  if (!path) return Nothing();
  return call.Relative(*path);
}

Value SaveByManager(const StepCall& call) {
  const CheckpointManagerSaveOptions options{
      .checkpoint_number = FindInteger(call, "checkpoint_number")};
  return RelativePath(call,
                      call.Get<ManagerHandle>("of").manager->Save(options));
}

Value RestoreOrInitialize(const StepCall& call) {
  return RelativePath(
      call, call.Get<ManagerHandle>("of").manager->RestoreOrInitialize());
}

Value LatestCheckpoint(const StepCall& call) {
  return RelativePath(
      call, call.Get<ManagerHandle>("of").manager->latest_checkpoint());
}

Value Checkpoints(const StepCall& call) {
  Json paths = Json::array();
  for (const std::string& path :
       call.Get<ManagerHandle>("of").manager->checkpoints()) {
    paths.push_back(call.Relative(path));
  }
  return paths;
}

}  // namespace

void AddManagerSteps(StepTable& table) {
  table.Add("manager.create", CreateManager);
  table.Add("manager.save", SaveByManager);
  table.Add("manager.restore_or_initialize", RestoreOrInitialize);
  table.Add("manager.latest_checkpoint", LatestCheckpoint);
  table.Add("manager.checkpoints", Checkpoints);
}

}  // namespace lockstep::conformance
