// manager.*: the newest checkpoints of a folder.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/checkpoint/checkpoint_manager.h"

namespace lockstep::conformance {
namespace {

std::optional<int64_t> FindInteger(const StepCall& call, const char* argument) {
  if (!call.Has(argument)) return std::nullopt;
  return call.Integer(argument);
}

Value Create(const StepCall& call) {
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
    // Runs where this step stands, which is there as long as the manager.
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

Value Save(const StepCall& call) {
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
  table.Add("manager.create", Create);
  table.Add("manager.save", Save);
  table.Add("manager.restore_or_initialize", RestoreOrInitialize);
  table.Add("manager.latest_checkpoint", LatestCheckpoint);
  table.Add("manager.checkpoints", Checkpoints);
}

}  // namespace lockstep::conformance
