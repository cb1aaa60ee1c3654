// Restores that come before the objects they are for.
#include <gtest/gtest.h>

#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_testing.h"

namespace lockstep {
namespace {

using namespace checkpoint_internal;  // NOLINT: a test of this folder

VariablePtr Float(float value) {
  return MakeTestVariable(Tensor::Scalar(value));
}

float ValueOf(const VariablePtr& variable) {
  return variable->Read().item<float>();
}

// model/layer/{kernel 2, bias 3} in a checkpoint.
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

TEST_F(DeferredRestoreTest, APartGetsItsValueWhenItIsTracked) {
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

TEST_F(DeferredRestoreTest, AWholeLayerMayComeLater) {
  const VariablePtr kernel = Float(0), bias = Float(0);
  Trackable model, layer;
  Checkpoint checkpoint({{"model", &model}});
  const auto status = checkpoint.Restore(path_);
  layer.TrackChild("kernel", *kernel);
  model.TrackChild("layer", layer);  // with a part already
  EXPECT_EQ(ValueOf(kernel), 2);
  layer.TrackChild("bias", *bias);  // and with one that comes still later
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

TEST_F(DeferredRestoreTest, APartOfAnotherShapeIsRefusedWhenItComes) {
  const VariablePtr wrong = MakeTestVariable(Tensor::Zeros(Shape{2}), "wide");
  Trackable model, layer;
  model.TrackChild("layer", layer);
  Checkpoint checkpoint({{"model", &model}});
  checkpoint.Restore(path_).ExpectPartial();
  ExpectError([&] { layer.TrackChild("kernel", *wrong); },
              Code::kInvalidArgument, "variable 'wide' wants float32 (2,)");
}

// Its slot variables are no parts: only slots() tells of them. Tracking any
// part is what announces new ones.
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
