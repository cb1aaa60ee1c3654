// Steps as CUDA graphs, on one GPU and on its logical devices.
#include <memory>
#include <string>
#include <vector>

#include "reference/device/gpu_testing.h"
#include "reference/distribute/step_graph/step_graph.h"
#include "reference/distribute/step_graph/step_graph_model.h"

namespace lockstep {
namespace {

class StepGraphGpuTest : public GpuTest {
 protected:
  std::unique_ptr<MirroredStrategy> MakeGpuStrategy(int replicas) {
    devices_ = DivideGpu(replicas);
    LogCapture quiet;
    std::vector<std::string> names;
    for (const Device* device : devices_) names.push_back(device->name());
    return std::make_unique<MirroredStrategy>(names);
  }
  PerReplica<Structure> Batch(int number, int64_t rows = 64) {
    return StepGraphModel::Batch(devices_, number, rows);
  }

  std::vector<Device*> devices_;
};

TEST_F(StepGraphGpuTest, EveryStepGivesTheSameBits) {
  for (const int replicas : {1, 2, 3}) {
    const auto strategy = MakeGpuStrategy(replicas);
    const StepGraphModel eager(*strategy), graphed(*strategy);
    StepGraph graph(*strategy,
                    [&](const Structure& part) { return graphed.Step(part); });
    for (int i = 0; i < 20; ++i) {
      const PerReplica<Structure> batch = Batch(i, i % 5 == 4 ? 7 : 64);
      const PerReplica<Tensor> wanted = strategy->Run(
          [&](const Structure& part) { return eager.Step(part); }, batch);
      ExpectSameBits(graph.Run(batch), wanted);
      EXPECT_TRUE(BitwiseEqual(graphed.weights->Read(), eager.weights->Read()));
    }
    EXPECT_EQ(graph.statistics().captures, 2);
    EXPECT_EQ(graph.statistics().launches, 18);
  }
}

TEST_F(StepGraphGpuTest, SeesAssignmentsBetweenSteps) {
  const auto strategy = MakeGpuStrategy(2);
  const StepGraphModel eager(*strategy), graphed(*strategy);
  StepGraph graph(*strategy,
                  [&](const Structure& part) { return graphed.Step(part); });
  Tensor held;
  for (int i = 0; i < 12; ++i) {
    if (i == 4) {
      for (const auto* model : {&eager, &graphed}) {
        model->weights->Assign(Row({3, 2, 1}));
      }
    }
    if (i == 8) held = graphed.weights->Read();
    const Tensor before = held.defined() ? held.ToHost() : held;
    const PerReplica<Tensor> wanted = strategy->Run(
        [&](const Structure& part) { return eager.Step(part); }, Batch(i));
    ExpectSameBits(graph.Run(Batch(i)), wanted);
    EXPECT_TRUE(!held.defined() || BitwiseEqual(held, before));
  }
}

TEST_F(StepGraphGpuTest, FailedCaptureChangesNothing) {
  const auto strategy = MakeGpuStrategy(2);
  const StepGraphModel model(*strategy);
  enum { kNothing, kRead, kThrow } extra = kNothing;
  StepGraph graph(*strategy, [&](const Structure& part) {
    const Tensor loss = model.Step(part);
    if (extra == kRead) loss.item<float>();
    const bool second =
        GetReplicaContext().replica_id_in_sync_group().value() == 1;
    if (extra == kThrow && second) throw DataLoss("[Test] {}", "a replica");
    return loss;
  });
  graph.Run(Batch(0));
  const Tensor before = model.weights->Read().ToHost();
  extra = kRead;
  EXPECT_EQ(CodeOf([&] { graph.Run(Batch(1)); }), Code::kFailedPrecondition);
  extra = kThrow;
  EXPECT_EQ(CodeOf([&] { graph.Run(Batch(1)); }), Code::kDataLoss);
  EXPECT_TRUE(BitwiseEqual(model.weights->Read(), before));
  extra = kNothing;
  for (int i = 1; i < 5; ++i) graph.Run(Batch(i));
  EXPECT_EQ(graph.statistics().launches, 4);
  EXPECT_FALSE(BitwiseEqual(model.weights->Read(), before));
}

TEST_F(StepGraphGpuTest, DroppedGraphFreesItsMemory) {
  const auto strategy = MakeGpuStrategy(1);
  const StepGraphModel model(*strategy);
  const auto step = [&](const Structure& part) { return model.Step(part); };
  strategy->Run(step, Batch(0));
  const auto in_use = [&] {
    return devices_[0]->pool().statistics().bytes_in_use;
  };
  const int64_t before = in_use();
  {
    StepGraph graph(*strategy, step);
    for (int i = 0; i < 3; ++i) graph.Run(Batch(i));
    EXPECT_GT(in_use(), before);
  }
  EXPECT_EQ(in_use(), before);
}

}  // namespace
}  // namespace lockstep
