// Checkpoints of variables on parameter servers have one value a variable, with
// the whole shape, whatever its shards.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/parameter_server/variables/parameter_servers_testing.h"
#include "reference/parameter_server/variables/partitioners.h"
#include "reference/parameter_server/variables/remote_variable.h"
#include "reference/parameter_server/variables/remote_variable_maker.h"

namespace lockstep {
namespace {

Tensor TenRows() {
  std::vector<float> values(30);
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::FromVector(values, Shape{10, 3});
}

VariableOptions NamedW(const Tensor& value) {
  return {.initial_value = [value] { return value; }, .name = "w"};
}

class RemoteCheckpointTest : public testing::Test {
 protected:
  // w in this many shards.
  VariablePtr MakeW(int64_t shards, const Tensor& value) {
    RemoteVariableMaker maker(
        servers_.Connect(ParameterServerRole::kCoordinator),
        FixedShardsPartitioner(shards));
    return maker.Make(NamedW(value));
  }

  ServersOfTest servers_{2};
  const TestFolder folder_;
};

TEST_F(RemoteCheckpointTest, IsRestoredWithoutServers) {
  const VariablePtr w = MakeW(2, TenRows());
  const std::string saved = Checkpoint({{"w", w.get()}}).Save(folder_ / "ckpt");
  LocalVariable here(NamedW(Tensor::Zeros(Shape{10, 3})));
  Checkpoint({{"w", &here}}).Restore(saved).AssertConsumed();
  EXPECT_TRUE(BitwiseEqual(here.Read(), TenRows()));
}

TEST_F(RemoteCheckpointTest, IsRestoredIntoShards) {
  LocalVariable here(NamedW(TenRows()));
  const std::string saved = Checkpoint({{"w", &here}}).Save(folder_ / "ckpt");
  const VariablePtr w = MakeW(3, Tensor::Zeros(Shape{10, 3}));
  Checkpoint({{"w", w.get()}}).Restore(saved).AssertConsumed();
  EXPECT_TRUE(BitwiseEqual(w->Read(), TenRows()));
}

TEST_F(RemoteCheckpointTest, RestoresTensorFlowsShards) {
  const VariablePtr w = MakeW(3, Tensor::Zeros(Shape{10, 3}));
  Checkpoint({{"w", w.get()}})
      .Read("reference/checkpoint/testdata/sharded_variables/ckpt-1")
      .ExpectPartial();
  EXPECT_TRUE(BitwiseEqual(w->Read(), TenRows()));
}

}  // namespace
}  // namespace lockstep
