// For tests of StepGraph on any machine: GPUs with emulated kernels.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_TESTING_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_TESTING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/device/fake_gpu.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/step_graph/step_graph.h"
#include "reference/distribute/step_graph/step_graph_model.h"

namespace lockstep {

// The parameter is the number of replicas, with one GPU each.
class StepGraphTest : public testing::TestWithParam<int> {
 protected:
  using Model = StepGraphModel;

  int replicas() const { return GetParam(); }

  std::unique_ptr<MirroredStrategy> MakeGpuStrategy() {
    return MakeMirrored("GPU:");
  }
  // On the first devices of this kind.
  std::unique_ptr<MirroredStrategy> MakeMirrored(const std::string& kind) {
    LogCapture quiet;
    std::vector<std::string> names;
    for (int r = 0; r < replicas(); ++r) {
      names.push_back(kind + std::to_string(r));
    }
    return std::make_unique<MirroredStrategy>(names);
  }

  // Batch `number`, `rows` rows on each replica's GPU.
  PerReplica<Structure> Batch(int number, int64_t rows = 2) {
    std::vector<Device*> devices;
    for (int r = 0; r < replicas(); ++r) devices.push_back(&fake_.gpu(r));
    return StepGraphModel::Batch(devices, number, rows);
  }

  // Bytes in use on all GPUs.
  int64_t BytesInUse() {
    int64_t bytes = 0;
    for (int r = 0; r < replicas(); ++r) {
      bytes += fake_.gpu(r).pool().statistics().bytes_in_use;
    }
    return bytes;
  }

  FakeGpuCollectives fake_{2, FakeGpu::HostAccess::kAllowed};
  FakeGpuBackend backend_{{&fake_.gpu(0), &fake_.gpu(1)}};
};

// A model that trains eagerly, and one that trains by its graphs.
class StepGraphAgainstEagerTest : public StepGraphTest {
 protected:
  // Trains both with the batch; they must have the same loss and weights.
  void Train(const PerReplica<Structure>& batch) {
    const PerReplica<Tensor> wanted = strategy_->Run(
        [&](const Structure& part) { return eager_.Step(part); }, batch);
    ExpectSameBits(graph_.Run(batch), wanted);
    const auto weights_of = [&](const Model& model) {
      return strategy_->Run([&] { return model.weights->Read(); });
    };
    ExpectSameBits(weights_of(graphed_), weights_of(eager_));
  }
  void ExpectCounts(int64_t eager_steps, int64_t captures, int64_t launches) {
    EXPECT_EQ(graph_.statistics().eager_steps, eager_steps);
    EXPECT_EQ(graph_.statistics().captures, captures);
    EXPECT_EQ(graph_.statistics().launches, launches);
  }

  std::unique_ptr<MirroredStrategy> strategy_ = MakeGpuStrategy();
  Model eager_{*strategy_};
  Model graphed_{*strategy_};
  StepGraph<Tensor> graph_{*strategy_, [this](const Structure& part) {
                             return graphed_.Step(part);
                           }};
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_TESTING_H_
