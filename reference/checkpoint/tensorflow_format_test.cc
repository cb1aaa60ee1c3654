#include <gtest/gtest.h>

#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/checkpoint/checkpoint_testing.h"
#include "reference/checkpoint/object_graph.h"

namespace lockstep::checkpoint_internal {
namespace {

std::vector<std::string> Keys(const ObjectGraph& graph) {
  std::vector<std::string> keys;
  for (const auto& keyed : graph.values) keys.push_back(keyed.key);
  return keys;
}

VariablePtr One() { return MakeTestVariable(Tensor::Scalar(1.0f)); }

// TensorFlow 2.21 saved a module's attribute "a.b/c" under m/a..b.Sc.
TEST(ObjectGraphTest, EscapesNames) {
  EXPECT_EQ(EscapeName("a.b/c"), "a..b.Sc");
  EXPECT_EQ(EscapeName("kernel"), "kernel");
  const VariablePtr v = One();
  Trackable module, root;
  module.TrackChild("a.b/c", *v);
  root.TrackChild("m", module);
  EXPECT_EQ(Keys(WalkObjectGraph(root)),
            std::vector<std::string>{"m/a..b.Sc/.ATTRIBUTES/VARIABLE_VALUE"});
}

TEST(ObjectGraphTest, FirstShortestPathIsTheName) {
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

TEST(ObjectGraphTest, Cycle) {
  Trackable root, part;
  root.TrackChild("part", part);
  part.TrackChild("parent", root);
  const ObjectGraph graph = WalkObjectGraph(root);
  EXPECT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(ToProto(graph).nodes(1).children(0).node_id(), 0);
}

TEST(ObjectGraphTest, MarksAncestorsOfValues) {
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

TEST(ObjectGraphTest, SlotVariablesComeLast) {
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

namespace lockstep {

// Checkpoints of TensorFlow 2.21 and Keras 3.15 (testdata/README.md). Saving the
// same objects gives the same bytes, and restoring gives the same values.

namespace {

using namespace checkpoint_internal;  // NOLINT: a test of this folder

VariablePtr NamedFloat(float value, const std::string& name = "Variable") {
  return MakeTestVariable(Tensor::Scalar(value), name);
}

void ExpectSameFiles(const std::string& ours, const std::string& theirs) {
  for (const char* end : {".index", ".data-00000-of-00001"}) {
    EXPECT_TRUE(ReadWholeFile(ours + end) == ReadWholeFile(theirs + end))
        << theirs << end;
  }
}

TEST(TensorFlowFormatTest, PlainVariables) {
  const VariablePtr b = MakeTestVariable(Tensor::Scalar(true));
  const VariablePtr i = MakeTestVariable(Tensor::Scalar<int64_t>(7), "i");
  const VariablePtr s =
      MakeTestVariable(Tensor::FromVector<std::string>({"a", "bc"}));
  const VariablePtr v =
      MakeTestVariable(Tensor::FromVector<float>({1, 2, 3}), "v");
  Checkpoint checkpoint(
      {{"v", v.get()}, {"i", i.get()}, {"b", b.get()}, {"s", s.get()}});
  const TestFolder folder;
  const std::string path = checkpoint.Save(folder / "ckpt");
  ExpectSameFiles(path, TensorFlowFile("plain_variables/ckpt-1"));
  EXPECT_EQ(ReadWholeFile(folder / "checkpoint"),
            ReadWholeFile(TensorFlowFile("plain_variables/checkpoint")));

  s->Assign(Tensor::FromVector<std::string>({"", ""}));
  checkpoint.Restore(LatestCheckpoint(TensorFlowFile("plain_variables")))
      .AssertConsumed();
  EXPECT_EQ(s->Read().ToVector<std::string>(),
            (std::vector<std::string>{"a", "bc"}));
}

// tf.Module with a variable, a module, a list and a dictionary. The root tracks
// the variable as well.
TEST(TensorFlowFormatTest, AModule) {
  const VariablePtr w =
      MakeTestVariable(Tensor::FromVector<float>({1, 2}, Shape{1, 2}));
  const VariablePtr b = NamedFloat(3), first = NamedFloat(4),
                    second = NamedFloat(5), x = NamedFloat(6);
  PartTree tree;
  tree.Add("w", w.get());
  tree.Add("inner/b", b.get());
  tree.Add("parts/0", first.get());
  tree.Add("parts/1", second.get());
  tree.Add("named/x", x.get());
  Checkpoint checkpoint({{"module", &tree.root()}, {"same", w.get()}});
  const TestFolder folder;
  const std::string path = checkpoint.Save(folder / "ckpt");
  ExpectSameFiles(path, TensorFlowFile("module/ckpt-1"));

  for (const VariablePtr& variable : {b, first, second, x}) {
    variable->Assign(Tensor::Scalar(0.0f));
  }
  checkpoint.Restore(TensorFlowFile("module/ckpt-1")).AssertConsumed();
  EXPECT_EQ(b->Read().item<float>(), 3);
  EXPECT_EQ(first->Read().item<float>(), 4);
  EXPECT_EQ(second->Read().item<float>(), 5);
  EXPECT_EQ(x->Read().item<float>(), 6);
}

// Sequential([Input((2,)), Dense(1)]) with SGD(momentum), as Keras tracks them.
TEST(TensorFlowFormatTest, ADenseModelWithMomentum) {
  const std::string theirs = TensorFlowFile("dense_sgd_momentum/ckpt-1");
  const VariablePtr iterations =
      MakeTestVariable(Tensor::Scalar<int64_t>(5), "sgd/iteration");
  const VariablePtr rate = NamedFloat(0, "sgd/learning_rate");
  const VariablePtr kernel = MakeTestVariable(Tensor::Zeros(Shape{2, 1}),
                                              "sequential_4/dense_6/kernel");
  const VariablePtr bias =
      MakeTestVariable(Tensor::Zeros(Shape{1}), "sequential_4/dense_6/bias");
  const VariablePtr kernel_momentum = MakeTestVariable(
      Tensor::Zeros(Shape{2, 1}), "sgd/sequential_4_dense_6_kernel_momentum");
  const VariablePtr bias_momentum = MakeTestVariable(
      Tensor::Zeros(Shape{1}), "sgd/sequential_4_dense_6_bias_momentum");

  PartTree optimizer;
  optimizer.Add("_variables/0", iterations.get());
  optimizer.Add("_variables/1", rate.get());
  optimizer.Add("_variables/2", kernel_momentum.get());
  optimizer.Add("_variables/3", bias_momentum.get());
  optimizer.Add("_trainable_variables/0", kernel.get());
  optimizer.Add("_trainable_variables/1", bias.get());
  optimizer.Add("_trainable_variables_indices");
  optimizer.Add("_iterations", iterations.get());
  optimizer.Add("_learning_rate", rate.get());
  optimizer.Add("momentums/0", kernel_momentum.get());
  optimizer.Add("momentums/1", bias_momentum.get());
  PartTree model;
  for (const char* empty :
       {"_tracked", "_inbound_nodes", "_outbound_nodes", "_losses",
        "_losses_override", "call_signature_parameters",
        "_call_has_context_arg", "_operations/0"}) {
    model.Add(std::string("_functional/") + empty);
  }
  model.Add("_functional/_operations/1/_kernel", kernel.get());
  model.Add("_functional/_operations/1/bias", bias.get());
  Checkpoint checkpoint(
      {{"optimizer", &optimizer.root()}, {"model", &model.root()}});

  checkpoint.Restore(theirs).AssertConsumed();
  EXPECT_EQ(kernel->Read().ToVector<float>(),
            (std::vector<float>{-0.6374438f, -0.4983052f}));
  EXPECT_EQ(rate->Read().item<float>(), 0.1f);
  EXPECT_EQ(iterations->Read().item<int64_t>(), 0);

  const TestFolder folder;
  checkpoint.save_counter().Assign(Tensor::Scalar<int64_t>(0));
  ExpectSameFiles(checkpoint.Save(folder / "ckpt"), theirs);
}

// Saved under 2 replicas: ON_READ SUM as 2 + 3, ON_READ MEAN as 3.5, a
// mirrored variable once. Without a strategy they are plain values.
TEST(TensorFlowFormatTest, VariablesOfTwoReplicas) {
  const VariablePtr s = NamedFloat(0, "onread_sum"),
                    m = NamedFloat(0, "onread_mean"),
                    mirrored = NamedFloat(0, "mirrored");
  Checkpoint checkpoint(
      {{"s", s.get()}, {"m", m.get()}, {"mirrored", mirrored.get()}});
  const std::string theirs = TensorFlowFile("distributed_variables/ckpt-1");
  checkpoint.Restore(theirs).AssertConsumed();
  EXPECT_EQ(s->Read().item<float>(), 5);
  EXPECT_EQ(m->Read().item<float>(), 3.5);
  EXPECT_EQ(mirrored->Read().item<float>(), 3);
  const TestFolder folder;
  checkpoint.save_counter().Assign(Tensor::Scalar<int64_t>(0));
  ExpectSameFiles(checkpoint.Save(folder / "ckpt"), theirs);
}

}  // namespace
}  // namespace lockstep
