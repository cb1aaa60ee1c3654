// Our layers as the benchmark runs them: in a graph, on an emulated GPU.
#include <gtest/gtest.h>

#include <vector>

#include "benchmarks/measurement/fake_timers.h"
#include "benchmarks/micro/layers/layer_run.h"
#include "benchmarks/micro/layers/layer_work.h"
#include "benchmarks/micro/layers/prepared_layers.h"
#include "reference/device/device_timer.h"
#include "reference/device/gpu_testing.h"

namespace lockstep::benchmarks {
namespace {

// One of each kind, type and pass; few images.
std::vector<LayerWork> SmallWorks() {
  std::vector<LayerWork> works;
  for (const LayerKind kind : {LayerKind::kMaxPool, LayerKind::kAvgPool,
                               LayerKind::kBatchNorm, LayerKind::kSoftmax}) {
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      for (const LayerPass pass : {LayerPass::kForward, LayerPass::kBackward}) {
        const bool rows = kind == LayerKind::kSoftmax;
        works.push_back({.kind = kind,
                         .pass = pass,
                         .x = rows ? Shape{5, 40} : Shape{2, 9, 8, 35},
                         .windows = {.pool = {3, 3}},
                         .dtype = dtype});
      }
    }
  }
  return works;
}

class CapturedLayersEmulatedTest : public GpuTest {};

TEST_F(CapturedLayersEmulatedTest, EachRunOfAGraphGivesWhatTheHostGives) {
  const FakeTimers timers;
  for (const LayerWork& work : SmallWorks()) {
    SCOPED_TRACE(EntryNameOf(work, kOwn));
    const auto wanted = OwnLayer(work, MakeLayerInputs(work, Device::Host()))();
    const LayerRun run = OwnLayer(work, MakeLayerInputs(work, gpu()));
    std::vector<Tensor> results;  // of the last run
    CapturedRuns runs(gpu(), 3, [&] { results = run(); });
    EXPECT_EQ(LayerDifference(work, wanted, results), "");
    runs.Seconds();
    EXPECT_EQ(LayerDifference(work, wanted, results), "");
  }
}

}  // namespace
}  // namespace lockstep::benchmarks
