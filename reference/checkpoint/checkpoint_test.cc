#include "reference/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "reference/base/log.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/checkpoint/checkpoint_testing.h"
#include "reference/checkpoint/trackable_object_graph.pb.h"
#include "reference/tensor_bundle/tensor_bundle.h"

namespace lockstep {
namespace {

using namespace checkpoint_internal;  // NOLINT: a test of this folder

VariablePtr Floats(const std::vector<float>& values) {
  return MakeTestVariable(Tensor::FromVector(values));
}

VariablePtr Float(float value) {
  return MakeTestVariable(Tensor::Scalar(value));
}

TEST(CheckpointTest, SaveNumbersFilesAndRecordsTheLatest) {
  const TestFolder folder;
  const VariablePtr v = Float(1);
  Checkpoint checkpoint({{"v", v.get()}});
  EXPECT_EQ(checkpoint.Save(folder / "ckpt"), folder / "ckpt-1");
  EXPECT_EQ(checkpoint.Save(folder / "ckpt"), folder / "ckpt-2");
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{
                "checkpoint", "ckpt-1.data-00000-of-00001", "ckpt-1.index",
                "ckpt-2.data-00000-of-00001", "ckpt-2.index"}));
  EXPECT_EQ(ReadWholeFile(folder / "checkpoint"),
            "model_checkpoint_path: \"ckpt-2\"\n"
            "all_model_checkpoint_paths: \"ckpt-2\"\n");
  EXPECT_EQ(LatestCheckpoint(folder.path()), folder / "ckpt-2");
}

TEST(CheckpointTest, WriteUsesThePrefixAsItIs) {
  const TestFolder folder;
  const VariablePtr v = Float(1);
  Checkpoint checkpoint({{"v", v.get()}});
  EXPECT_EQ(checkpoint.Write(folder / "made/model"), folder / "made/model");
  const TestFolder& made = folder;
  EXPECT_EQ(made.names(), std::vector<std::string>{"made"});
  EXPECT_FALSE(std::filesystem::exists(folder / "made/checkpoint"));
  EXPECT_EQ(TensorBundleReader(folder / "made/model").keys(),
            (std::vector<std::string>{"_CHECKPOINTABLE_OBJECT_GRAPH",
                                      "v/.ATTRIBUTES/VARIABLE_VALUE"}));
  v->Assign(Tensor::Scalar(5.0f));
  checkpoint.Read(folder / "made/model").AssertConsumed();
  EXPECT_EQ(v->Read().item<float>(), 1);
}

// 24 MiB, which several threads write.
TEST(CheckpointTest, LargeValuesRoundTrip) {
  const TestFolder folder;
  const Shape shape{3 << 20};
  const VariablePtr a = MakeTestVariable(Tensor::Full(shape, 1.5f));
  const VariablePtr b = MakeTestVariable(Tensor::Full(shape, 2.5f));
  Checkpoint checkpoint({{"a", a.get()}, {"b", b.get()}});
  for (const bool durable : {true, false}) {
    const std::string path =
        checkpoint.Save(folder / "ckpt", {.durable = durable});
    EXPECT_EQ(LatestCheckpoint(folder.path()), path);
    const Tensor saved = a->Read();
    a->Assign(Tensor::Zeros(shape));
    b->Assign(Tensor::Zeros(shape));
    checkpoint.Restore(path).AssertConsumed();
    EXPECT_TRUE(BitwiseEqual(a->Read(), saved));
    EXPECT_EQ(b->Read().at<float>((3 << 20) - 1), 2.5f);
  }
}

TEST(CheckpointTest, PrefixCollidesWithTheStateFile) {
  const TestFolder folder;
  const VariablePtr v = Float(1);
  Checkpoint checkpoint({{"v", v.get()}});
  ExpectError([&] { checkpoint.Write(folder / "checkpoint"); },
              Code::kInvalidArgument, "collides with the state file");
  EXPECT_EQ(checkpoint.Save(folder / "checkpoint"), folder / "checkpoint-1");
}

TEST(CheckpointTest, RefusesNullAndTheReservedName) {
  const VariablePtr v = Float(1);
  ExpectError(
      [] {
        Checkpoint({{"v", nullptr}});
      },
      Code::kInvalidArgument, "'v' is nullptr");
  ExpectError(
      [&] {
        Checkpoint({{"save_counter", v.get()}});
      },
      Code::kInvalidArgument, "'save_counter'");
}

TEST(CheckpointTest, RestoresValuesAndTheCount) {
  const TestFolder folder;
  const VariablePtr v = Floats({1, 2});
  Checkpoint checkpoint({{"v", v.get()}});
  checkpoint.Save(folder / "ckpt");
  v->Assign(Tensor::FromVector<float>({3, 4}));
  const std::string path = checkpoint.Save(folder / "ckpt");

  const VariablePtr w = Floats({0, 0});
  Checkpoint other({{"v", w.get()}});
  other.Restore(path).AssertConsumed().AssertExistingObjectsMatched();
  EXPECT_EQ(w->Read().ToVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(other.save_counter().Read().item<int64_t>(), 2);
  EXPECT_EQ(other.Save(folder / "ckpt"), folder / "ckpt-3");
}

TEST(CheckpointTest, RestoreOfNulloptDoesNothing) {
  const TestFolder folder;
  const VariablePtr v = Float(1);
  Checkpoint checkpoint({{"v", v.get()}});
  const CheckpointLoadStatus status =
      checkpoint.Restore(LatestCheckpoint(folder.path()));
  status.ExpectPartial();
  EXPECT_EQ(v->Read().item<float>(), 1);
  for (const auto assertion :
       {&CheckpointLoadStatus::AssertConsumed,
        &CheckpointLoadStatus::AssertExistingObjectsMatched,
        &CheckpointLoadStatus::AssertNontrivialMatch}) {
    ExpectError([&] { (status.*assertion)(); }, Code::kFailedPrecondition,
                "no checkpoint was given");
  }
}

TEST(CheckpointTest, MissingCheckpointIsNotFound) {
  const TestFolder folder;
  const VariablePtr v = Float(1);
  Checkpoint checkpoint({{"v", v.get()}});
  ExpectError([&] { checkpoint.Restore(folder / "ckpt-7"); }, Code::kNotFound,
              "ckpt-7.index");
  ExpectError([&] { checkpoint.Restore(""); }, Code::kNotFound, "''");
}

TEST(CheckpointTest, AnotherShapeOrTypeChangesNothing) {
  const TestFolder folder;
  const VariablePtr a = Float(1), b = Floats({1, 2});
  const std::string path =
      Checkpoint({{"a", a.get()}, {"b", b.get()}}).Save(folder / "ckpt");

  const VariablePtr first = Float(9), longer = Floats({0, 0, 0});
  Checkpoint other({{"a", first.get()}, {"b", longer.get()}});
  ExpectError([&] { other.Restore(path); }, Code::kInvalidArgument,
              "'b/.ATTRIBUTES/VARIABLE_VALUE' is float32 (2,), but variable "
              "'Variable' is float32 (3,)");
  EXPECT_EQ(first->Read().item<float>(), 9);

  const VariablePtr whole = MakeTestVariable(Tensor::Scalar<int64_t>(1), "n");
  ExpectError(
      [&] {
        Checkpoint({{"a", whole.get()}}).Restore(path);
      },
      Code::kInvalidArgument, "is float32 (), but variable 'n' is int64 ()");
}

TEST(CheckpointTest, DamagedValueChangesNothing) {
  const TestFolder folder;
  const VariablePtr a = Float(1), b = Float(2);
  Checkpoint checkpoint({{"a", a.get()}, {"b", b.get()}});
  const std::string path = checkpoint.Write(folder / "c");
  std::string data = ReadWholeFile(path + ".data-00000-of-00001");
  data[5] ^= 1;  // in b, which is stored after a
  WriteWholeFile(path + ".data-00000-of-00001", data);
  a->Assign(Tensor::Scalar(8.0f));
  ExpectError([&] { checkpoint.Read(path); }, Code::kDataLoss,
              "'b/.ATTRIBUTES/VARIABLE_VALUE'");
  EXPECT_EQ(a->Read().item<float>(), 8);
}

TEST(CheckpointTest, AssertionsNameMissingValues) {
  const TestFolder folder;
  const VariablePtr a = Float(1), b = Float(2);
  const std::string path =
      Checkpoint({{"a", a.get()}, {"b", b.get()}}).Save(folder / "ckpt");

  Checkpoint less({{"a", a.get()}});
  const auto status = less.Restore(path);
  status.AssertExistingObjectsMatched().AssertNontrivialMatch().ExpectPartial();
  ExpectError([&] { status.AssertConsumed(); }, Code::kFailedPrecondition,
              "1 values of the checkpoint have no object, wanted none (a layer "
              "makes its variables at its first call and an optimizer at its "
              "first step; assert after that):\n"
              "  b/.ATTRIBUTES/VARIABLE_VALUE (Variable)");

  const VariablePtr c = Float(3);
  Checkpoint more({{"a", a.get()}, {"b", b.get()}, {"c", c.get()}});
  const auto other = more.Restore(path);
  ExpectError([&] { other.AssertExistingObjectsMatched(); },
              Code::kFailedPrecondition, "c/.ATTRIBUTES/VARIABLE_VALUE");
  ExpectError([&] { other.AssertConsumed(); }, Code::kFailedPrecondition,
              "[AssertConsumed] 1 objects got no value from the checkpoint, "
              "wanted none:\n  c/.ATTRIBUTES/VARIABLE_VALUE");

  Checkpoint nothing({{"c", c.get()}});
  const auto trivial = nothing.Read(path);
  trivial.ExpectPartial();
  ExpectError([&] { trivial.AssertNontrivialMatch(); },
              Code::kFailedPrecondition, "nothing but the root");
}

TEST(CheckpointTest, WarnsOnceAboutValuesNotRestored) {
  const TestFolder folder;
  const VariablePtr a = Float(1), b = Float(2);
  const std::string path =
      Checkpoint({{"a", a.get()}, {"b", b.get()}}).Save(folder / "ckpt");
  LogCapture log;
  { Checkpoint({{"a", a.get()}}).Restore(path).ExpectPartial(); }
  EXPECT_TRUE(log.lines().empty());
  { Checkpoint({{"a", a.get()}}).Restore(path); }
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find("b/.ATTRIBUTES/VARIABLE_VALUE"),
            std::string::npos);
}

TEST(CheckpointTest, VariableOnTwoPathsIsOneValue) {
  const TestFolder folder;
  const VariablePtr v = Float(1);
  Checkpoint checkpoint({{"a", v.get()}, {"b", v.get()}});
  const std::string path = checkpoint.Save(folder / "ckpt");
  EXPECT_EQ(TensorBundleReader(path).keys().size(), 3u);  // a, count, graph

  LogCapture log;
  const VariablePtr x = Float(5), y = Float(6);
  Checkpoint apart({{"a", x.get()}, {"b", y.get()}});
  const auto status = apart.Restore(path);
  EXPECT_EQ(x->Read().item<float>(), 1);
  EXPECT_EQ(y->Read().item<float>(), 6);
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find("one object in the checkpoint but two"),
            std::string::npos);
  ExpectError([&] { status.AssertExistingObjectsMatched(); },
              Code::kFailedPrecondition, "b/.ATTRIBUTES");
}

// Writes a bundle by hand whose object graph is `graph`.
void WriteGraph(const std::string& prefix,
                const checkpoint::TrackableObjectGraph& graph) {
  TensorBundleWriter writer(prefix);
  writer.Add("v", Tensor::Scalar(1.0f));
  writer.Add("_CHECKPOINTABLE_OBJECT_GRAPH",
             Tensor::Scalar(graph.SerializeAsString()));
  writer.Finish();
}

TEST(CheckpointTest, GraphWithInvalidNodesIsDataLoss) {
  const TestFolder folder;
  const VariablePtr v = Float(1);
  Checkpoint checkpoint({{"v", v.get()}});
  const auto expect = [&](const checkpoint::TrackableObjectGraph& graph,
                          const std::string& words) {
    WriteGraph(folder / "c", graph);
    ExpectError([&] { checkpoint.Read(folder / "c"); }, Code::kDataLoss, words);
  };
  checkpoint::TrackableObjectGraph graph;
  expect(graph, "names object 0 of 0");
  graph.add_nodes()->add_children()->set_node_id(7);
  expect(graph, "names object 7 of 1");
  graph.mutable_nodes(0)->clear_children();
  graph.mutable_nodes(0)->add_slot_variables()->set_slot_variable_node_id(-1);
  expect(graph, "names object -1 of 1");
  graph.mutable_nodes(0)->clear_slot_variables();
  graph.mutable_nodes(0)->add_attributes()->set_checkpoint_key("gone");
  expect(graph, "no value for 'gone'");
}

TEST(CheckpointTest, RefusesBundlesWithoutAnObjectGraph) {
  const TestFolder folder;
  const VariablePtr v = Float(1);
  Checkpoint checkpoint({{"v", v.get()}});
  {
    TensorBundleWriter writer(folder / "names");
    writer.Add("v", Tensor::Scalar(1.0f));
    writer.Finish();
  }
  ExpectError([&] { checkpoint.Restore(folder / "names"); },
              Code::kUnimplemented, "no object graph");
  for (const Tensor& wrong :
       {Tensor::Scalar(1.0f), Tensor::Scalar(std::string("\xff\xff"))}) {
    TensorBundleWriter writer(folder / "wrong");
    writer.Add("_CHECKPOINTABLE_OBJECT_GRAPH", wrong);
    writer.Finish();
    ExpectError([&] { checkpoint.Restore(folder / "wrong"); }, Code::kDataLoss,
                "wanted an object graph");
  }
}

}  // namespace

// Restores before the objects exist.

namespace {

float ValueOf(const VariablePtr& variable) {
  return variable->Read().item<float>();
}

// Has a checkpoint of model/layer/{kernel 2, bias 3}.
class DeferredRestoreTest : public testing::Test {
 protected:
  DeferredRestoreTest() {
    const VariablePtr kernel = Float(2), bias = Float(3);
    Trackable model, layer;
    model.TrackChild("layer", layer);
    layer.TrackChild("kernel", *kernel);
    layer.TrackChild("bias", *bias);
    path_ = Checkpoint({{"model", &model}}).Save(folder_ / "ckpt");
  }

  TestFolder folder_;
  std::string path_;
};

TEST_F(DeferredRestoreTest, RestoresAPartWhenItIsTracked) {
  const VariablePtr kernel = Float(0), bias = Float(0);
  Trackable model, layer;
  model.TrackChild("layer", layer);
  Checkpoint checkpoint({{"model", &model}});
  const auto status = checkpoint.Restore(path_);
  status.AssertExistingObjectsMatched();
  ExpectError([&] { status.AssertConsumed(); }, Code::kFailedPrecondition,
              "2 values of the checkpoint");
  layer.TrackChild("kernel", *kernel);
  EXPECT_EQ(ValueOf(kernel), 2);
  ExpectError([&] { status.AssertConsumed(); }, Code::kFailedPrecondition,
              "model/layer/bias");
  layer.TrackChild("bias", *bias);
  EXPECT_EQ(ValueOf(bias), 3);
  status.AssertConsumed();
}

TEST_F(DeferredRestoreTest, RestoresALayerWhenItIsTracked) {
  const VariablePtr kernel = Float(0), bias = Float(0);
  Trackable model, layer;
  Checkpoint checkpoint({{"model", &model}});
  const auto status = checkpoint.Restore(path_);
  layer.TrackChild("kernel", *kernel);
  model.TrackChild("layer", layer);  // has a part
  EXPECT_EQ(ValueOf(kernel), 2);
  layer.TrackChild("bias", *bias);  // and gets another one
  EXPECT_EQ(ValueOf(bias), 3);
  status.AssertConsumed();
}

TEST_F(DeferredRestoreTest, OtherPartsKeepTheirValues) {
  const VariablePtr other = Float(7), kernel = Float(0), bias = Float(0);
  Trackable model, layer;
  model.TrackChild("layer", layer);
  Checkpoint checkpoint({{"model", &model}});
  const auto status = checkpoint.Restore(path_);
  layer.TrackChild("other", *other);
  EXPECT_EQ(ValueOf(other), 7);
  layer.TrackChild("kernel", *kernel);
  layer.TrackChild("bias", *bias);
  ExpectError([&] { status.AssertConsumed(); }, Code::kFailedPrecondition,
              "model/layer/other");
}

TEST_F(DeferredRestoreTest, TheLastRestoreWins) {
  const VariablePtr kernel = Float(20), bias = Float(30);
  TestFolder folder;
  std::string newer;
  {
    Trackable model, layer;
    model.TrackChild("layer", layer);
    layer.TrackChild("kernel", *kernel);
    layer.TrackChild("bias", *bias);
    newer = Checkpoint({{"model", &model}}).Save(folder / "ckpt");
  }
  const VariablePtr late_kernel = Float(0), late_bias = Float(0);
  Trackable model, layer;
  model.TrackChild("layer", layer);
  Checkpoint checkpoint({{"model", &model}});
  checkpoint.Restore(path_).ExpectPartial();
  checkpoint.Restore(newer).ExpectPartial();
  layer.TrackChild("kernel", *late_kernel);
  layer.TrackChild("bias", *late_bias);
  EXPECT_EQ(ValueOf(late_kernel), 20);
  EXPECT_EQ(ValueOf(late_bias), 30);
}

TEST_F(DeferredRestoreTest, PartOfAnotherShapeIsRefused) {
  const VariablePtr wrong = MakeTestVariable(Tensor::Zeros(Shape{2}), "wide");
  Trackable model, layer;
  model.TrackChild("layer", layer);
  Checkpoint checkpoint({{"model", &model}});
  checkpoint.Restore(path_).ExpectPartial();
  ExpectError([&] { layer.TrackChild("kernel", *wrong); },
              Code::kInvalidArgument, "variable 'wide' is float32 (2,)");
}

// Its slot variables are not parts: only slots() lists them. It tracks a part to
// announce that there are new ones.
class SlotOptimizer : public Trackable {
 public:
  void AddSlot(Variable& variable, Variable& slot) {
    slots_.push_back({&variable, "momentum", &slot});
    TrackChild("built", built_);
  }
  std::vector<Slot> slots() override { return slots_; }

 private:
  std::vector<Slot> slots_;
  Trackable built_;
};

TEST(DeferredSlotTest, SlotVariablesAreRestoredNowAndLater) {
  const TestFolder folder;
  const VariablePtr v = Float(1), slot = Float(4);
  SlotOptimizer optimizer;
  optimizer.AddSlot(*v, *slot);
  Checkpoint saved({{"optimizer", &optimizer}, {"v", v.get()}});
  const std::string path = saved.Save(folder / "ckpt");
  slot->Assign(Tensor::Scalar(0.0f));
  saved.Restore(path).AssertConsumed();
  EXPECT_EQ(ValueOf(slot), 4);

  const VariablePtr w = Float(0), late_slot = Float(0);
  SlotOptimizer late;
  Checkpoint checkpoint({{"optimizer", &late}, {"v", w.get()}});
  const auto status = checkpoint.Restore(path);
  late.AddSlot(*w, *late_slot);
  EXPECT_EQ(ValueOf(late_slot), 4);
  status.AssertConsumed();
}

}  // namespace
}  // namespace lockstep
