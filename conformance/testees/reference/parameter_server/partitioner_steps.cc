// partitioner.*, and variable.* of variables on parameter servers.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/testees/reference/parameter_server/given_cluster.h"
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/parameter_server/variables/remote_variable.h"

namespace lockstep::conformance {
namespace {

// The arguments of the step that are a partitioner's.
Json NumbersOf(const StepCall& call) {
  Json numbers = {{"kind", call.Text("kind")}};
  for (const char* name :
       {"num_shards", "min_shard_bytes", "max_shard_bytes", "max_shards"}) {
    if (call.Has(name)) numbers[name] = call.Integer(name);
  }
  return numbers;
}

// Only the first dimension is divided.
Value Partitions(const StepCall& call) {
  const std::vector<int64_t> dims = call.Argument("shape");
  const Partitioner partitioner = PartitionerOf(NumbersOf(call));
  Json counts(dims.size(), 1);
  counts[0] = partitioner({.shape = Shape(dims), .dtype = call.GetDType()});
  return counts;
}

Value Shards(const StepCall& call) {
  const VariablePtr variable = call.Get<VariablePtr>("of");
  Json shapes = Json::array();
  for (const VariableShard& shard : ShardsOf(*variable)) {
    shapes.push_back(shard.shape.dims());
  }
  return shapes;
}

Value Servers(const StepCall& call) {
  const VariablePtr variable = call.Get<VariablePtr>("of");
  Json servers = Json::array();
  for (const VariableShard& shard : ShardsOf(*variable)) {
    servers.push_back(shard.place.server);
  }
  return servers;
}

Value Lookup(const StepCall& call) {
  return Structure(call.Get<VariablePtr>("of")->ReadRows(
      call.GetTensor("ids", DType::kInt64)));
}

}  // namespace

void AddPartitionerSteps(StepTable& table) {
  table.Add("partitioner.partitions", Partitions);
  table.Add("variable.shards", Shards);
  table.Add("variable.servers", Servers);
  table.Add("variable.lookup", Lookup);
}

}  // namespace lockstep::conformance
