// Input that is copied to a GPU while it computes.
#include <vector>

#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/cuda/stream_gate.h"
#include "reference/device/gpu_testing.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep {
namespace {

// Rows of 1.5 MiB, so that a batch takes more than one pinned slot.
constexpr int64_t kColumns = 3 << 17;
constexpr int64_t kRows = 4;

Dataset Rows(int64_t count) {
  return Dataset::Range(count)
      .Map([](const Structure& number) {
        const auto value = static_cast<float>(number.leaf().item<int64_t>());
        return Structure(Tensor::Full(Shape{kColumns}, value, Device::Host()));
      })
      .Batch(kRows);
}

class DeliveredStepsGpuTest : public GpuTest {
 protected:
  // The first and last elements of the rows of a batch that begins at `first`.
  static void ExpectRows(const Tensor& batch, int64_t first) {
    for (int64_t row = 0; row < kRows; ++row) {
      EXPECT_EQ(batch.at<float>(row * kColumns), first + row);
      EXPECT_EQ(batch.at<float>((row + 1) * kColumns - 1), first + row);
    }
  }
};

TEST_F(DeliveredStepsGpuTest, CopiesTheNextBatchDuringAStep) {
  const DistributedDataset inputs =
      DistributeDataset(Topology::OneWorker(1), {&gpu()}, Rows(40));
  {
    // Makes enough blocks and pinned memory.
    std::vector<PerReplica<Structure>> all;
    for (const auto& step : inputs) all.push_back(step);
    ASSERT_EQ(all.size(), 10u);
  }
  DistributedIterator iterator = inputs.MakeIterator();
  const auto first = iterator.GetNext();
  StreamGate gate(gpu());
  const auto second = iterator.GetNext();
  CudaMemory::Of(gpu()).streams().stream(DeviceStream::kCopy).Synchronize();
  gate.Open();  // only now: the copies did not wait for it
  ExpectRows(first[0].leaf(), 0);
  ExpectRows(second[0].leaf(), kRows);
}

// Blocks are reused many times, each time with other numbers.
TEST_F(DeliveredStepsGpuTest, StepsSeeTheirOwnInput) {
  const DistributedDataset inputs =
      DistributeDataset(Topology::OneWorker(1), {&gpu()}, Rows(200));
  for (int pass = 0; pass < 2; ++pass) {
    int64_t first = 0;
    for (const auto& step : inputs) {
      const Tensor batch = step[0].leaf().Clone(gpu());  // as a step would
      ExpectRows(batch, first);
      first += kRows;
    }
    EXPECT_EQ(first, 200);
  }
}

TEST_F(DeliveredStepsGpuTest, LogicalDevicesGetTheirParts) {
  const std::vector<Device*> devices = DivideGpu(2);
  DistributedIterator iterator =
      DistributeDataset(Topology::OneWorker(2), devices,
                        Dataset::Range(8).Batch(4))
          .MakeIterator();
  for (const int64_t first : {0, 4}) {
    const auto step = iterator.GetNext();
    for (int r : {0, 1}) {
      EXPECT_EQ(&step[r].leaf().device(), devices[r]);
      EXPECT_EQ(step[r].leaf().ToVector<int64_t>(),
                (std::vector<int64_t>{first + 2 * r, first + 2 * r + 1}));
    }
  }
}

}  // namespace
}  // namespace lockstep
