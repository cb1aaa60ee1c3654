#include "reference/checkpoint/object_graph.h"

#include <gtest/gtest.h>

#include "reference/checkpoint/checkpoint_testing.h"

namespace lockstep::checkpoint_internal {
namespace {

std::vector<std::string> Keys(const ObjectGraph& graph) {
  std::vector<std::string> keys;
  for (const auto& keyed : graph.values) keys.push_back(keyed.key);
  return keys;
}

VariablePtr One() { return MakeTestVariable(Tensor::Scalar(1.0f)); }

// TensorFlow 2.21 saved a module's attribute "a.b/c" under m/a..b.Sc.
TEST(ObjectGraphTest, NamesAreEscapedAsTensorFlowDoes) {
  EXPECT_EQ(EscapeName("a.b/c"), "a..b.Sc");
  EXPECT_EQ(EscapeName("kernel"), "kernel");
  const VariablePtr v = One();
  Trackable module, root;
  module.TrackChild("a.b/c", *v);
  root.TrackChild("m", module);
  EXPECT_EQ(Keys(WalkObjectGraph(root)),
            std::vector<std::string>{"m/a..b.Sc/.ATTRIBUTES/VARIABLE_VALUE"});
}

TEST(ObjectGraphTest, AnObjectIsNamedByTheShortestPathThatComesFirst) {
  const VariablePtr v = One();
  PartTree tree;
  tree.Add("model/layers/0/kernel", v.get());
  tree.Add("optimizer/variables/0", v.get());
  tree.Add("z/variables/0", v.get());
  const ObjectGraph graph = WalkObjectGraph(tree.root());
  EXPECT_EQ(Keys(graph),
            std::vector<std::string>{
                "optimizer/variables/0/.ATTRIBUTES/VARIABLE_VALUE"});
  EXPECT_EQ(graph.nodes.size(), 9u);  // 8 parts on the three paths, and v
}

TEST(ObjectGraphTest, CyclesEnd) {
  Trackable root, part;
  root.TrackChild("part", part);
  part.TrackChild("parent", root);
  const ObjectGraph graph = WalkObjectGraph(root);
  EXPECT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(ToProto(graph).nodes(1).children(0).node_id(), 0);
}

TEST(ObjectGraphTest, NodesWithValuesBelowThemAreMarked) {
  const VariablePtr v = One();
  PartTree tree;
  tree.Add("full/deep/v", v.get());
  tree.Add("empty/deep");
  const auto proto = ToProto(WalkObjectGraph(tree.root()));
  const std::vector<std::string> paths = NodePaths(proto);
  for (int i = 0; i < proto.nodes_size(); ++i) {
    ASSERT_TRUE(proto.nodes(i).has_has_checkpoint_values());
    EXPECT_EQ(proto.nodes(i).has_checkpoint_values().value(),
              !paths[i].starts_with("empty"))
        << paths[i];
  }
}

class SlotOptimizer : public Trackable {
 public:
  std::vector<Slot> slots() override { return slots_; }
  std::vector<Slot> slots_;
};

TEST(ObjectGraphTest, SlotVariablesComeLastUnderTheirVariable) {
  const VariablePtr v = One(), slot = One(), other = One(), unknown = One();
  SlotOptimizer optimizer;
  optimizer.slots_ = {{v.get(), "m/x", slot.get()},
                      {unknown.get(), "m", other.get()}};
  Trackable root;
  root.TrackChild("optimizer", optimizer);
  root.TrackChild("v", *v);
  const ObjectGraph graph = WalkObjectGraph(root);
  EXPECT_EQ(
      Keys(graph),
      (std::vector<std::string>{
          "v/.ATTRIBUTES/VARIABLE_VALUE",
          "v/.OPTIMIZER_SLOT/optimizer/m.Sx/.ATTRIBUTES/VARIABLE_VALUE"}));
  const auto proto = ToProto(graph);
  ASSERT_EQ(proto.nodes(1).slot_variables_size(), 1);
  const auto& reference = proto.nodes(1).slot_variables(0);
  EXPECT_EQ(reference.original_variable_node_id(), 2);
  EXPECT_EQ(reference.slot_name(), "m/x");
  EXPECT_EQ(reference.slot_variable_node_id(), 3);
}

}  // namespace
}  // namespace lockstep::checkpoint_internal
