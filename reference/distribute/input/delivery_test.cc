#include "reference/distribute/input/delivery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <set>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/dataset_testing.h"
#include "reference/device/capture_session.h"
#include "reference/device/fake_gpu.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/input/distributed_dataset_testing.h"
#include "reference/kernels/elementwise/binary.h"

namespace lockstep::distribute_internal {
namespace {

using Lines = std::vector<std::string>;

constexpr DeviceStream kCompute = DeviceStream::kCompute;
constexpr DeviceStream kCopy = DeviceStream::kCopy;

class CopyRingTest : public testing::Test {
 protected:
  BufferPtr Copy(int value) { return ring_->Copy(&value, sizeof(value)); }
  int Read(const void* data) const {
    return *gpu_.View(static_cast<const int*>(data));
  }
  SimulatedStreams& streams() { return gpu_.streams(); }

  FakeGpu gpu_{0, 4096};
  std::shared_ptr<CopyRing> ring_ = std::make_shared<CopyRing>(gpu_.device());
};

TEST_F(CopyRingTest, CopyDoesNotWaitForComputation) {
  streams().Hold(kCompute);
  streams().Submit(kCompute, "step", [] {});
  const BufferPtr buffer = Copy(7);
  EXPECT_EQ(Read(buffer->data()), 7);
  EXPECT_EQ(buffer->bytes(), sizeof(int));
  EXPECT_EQ(&buffer->device(), &gpu_.device());
}

TEST_F(CopyRingTest, ComputationWaitsForDelivery) {
  streams().Hold(kCopy);
  const BufferPtr buffer = Copy(7);
  const auto copied = ring_->Record();
  const BufferPtr next = Copy(8);
  ring_->Deliver(*copied);
  int seen = 0;
  streams().Submit(kCompute, "step", [&] { seen = Read(buffer->data()); });
  EXPECT_EQ(seen, 0);
  streams().Release(kCopy);
  EXPECT_EQ(seen, 7);
}

// The step that uses the block has not run when the block is returned.
TEST_F(CopyRingTest, CopyWaitsForTheUseOfItsBlock) {
  BufferPtr buffer = Copy(7);
  ring_->Deliver(*ring_->Record());
  void* const data = buffer->data();
  streams().Hold(kCompute);
  int seen = 0;
  streams().Submit(kCompute, "step", [&] { seen = Read(data); });
  buffer = BufferPtr();
  const BufferPtr next = Copy(8);
  ASSERT_EQ(next->data(), data);
  EXPECT_EQ(Read(data), 7);
  streams().Release(kCompute);
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(Read(data), 8);
}

TEST_F(CopyRingTest, CopyWaitsForNoLaterComputation) {
  BufferPtr buffer = Copy(7);
  buffer = BufferPtr();
  streams().Hold(kCompute);
  streams().Submit(kCompute, "the next step", [] {});
  EXPECT_EQ(Read(Copy(8)->data()), 8);
  EXPECT_EQ(streams().log(),
            (Lines{"copy: 4 bytes", "compute: the next step",
                   "copy waits for compute", "copy: 4 bytes"}));
}

TEST_F(CopyRingTest, ReusesBlocks) {
  std::set<void*> blocks;
  BufferPtr now = Copy(0);
  for (int i = 1; i < 20; ++i) {
    BufferPtr next = Copy(i);
    blocks.insert(now->data());
    EXPECT_EQ(Read(now->data()), i - 1);
    now = next;
  }
  EXPECT_EQ(blocks.size(), 2u);
}

TEST_F(CopyRingTest, ReusesBlocksForHalfTheirSize) {
  const std::vector<int> numbers(100, 5);
  const auto where = [&](size_t bytes) {
    return ring_->Copy(numbers.data(), bytes)->data();
  };
  void* const block = where(400);
  EXPECT_EQ(where(200), block);
  EXPECT_EQ(where(400), block);
  EXPECT_NE(where(196), block);
}

TEST_F(CopyRingTest, BufferKeepsItsRing) {
  const BufferPtr buffer = Copy(7);
  const std::weak_ptr<CopyRing> ring = ring_;
  ring_.reset();
  EXPECT_FALSE(ring.expired());
  EXPECT_EQ(Read(buffer->data()), 7);
}

TEST_F(CopyRingTest, FreesBlocksAfterTheirCopies) {
  Copy(7);
  ring_.reset();
  EXPECT_EQ(streams().log().back(), "compute waits for copy");
}

TEST_F(CopyRingTest, DoesNotReuseBlocksOfAGraph) {
  BufferPtr buffer = Copy(7);
  void* const data = buffer->data();
  CaptureSession session({&gpu_.device()});
  {
    PrivateMemory::Scope scope(*session.memory());
    buffer = BufferPtr();
  }
  const CapturedWork work = session.Finish();
  Copy(8);
  EXPECT_NE(Copy(9)->data(), data);
  EXPECT_EQ(Read(data), 7);
}

TEST_F(CopyRingTest, ReusesBlocksAfterACapture) {
  void* data = nullptr;
  {
    CaptureSession session({&gpu_.device()});
    BufferPtr buffer = Copy(7);  // copies continue
    data = buffer->data();
    buffer = BufferPtr();
    EXPECT_NE(Copy(8)->data(), data);
  }
  Copy(9);  // after the capture
  EXPECT_EQ(Copy(10)->data(), data);
}

TEST_F(CopyRingTest, ContinuesAfterLackOfMemory) {
  const std::vector<std::byte> bytes(8192);
  Copy(6);  // freed first
  try {
    ring_->Copy(bytes.data(), bytes.size());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
    EXPECT_NE(std::string(error.what()).find("8192"), std::string::npos);
  }
  EXPECT_EQ(Read(Copy(7)->data()), 7);
}

}  // namespace
}  // namespace lockstep::distribute_internal

namespace lockstep {

// Steps that are copied to fake GPUs.

namespace {

using Texts = std::vector<std::string>;

constexpr DeviceStream kCompute = DeviceStream::kCompute;
constexpr DeviceStream kCopy = DeviceStream::kCopy;

class DeliveredStepsTest : public testing::Test {
 protected:
  DistributedDataset ToOneGpu(const Dataset& dataset) {
    return DistributeDataset(Topology::OneWorker(1), {&gpu_.device()}, dataset);
  }
  // The elements of a step's only part, in the memory of the fake GPU.
  std::vector<int64_t> Elements(const PerReplica<Structure>& step) const {
    const Tensor& tensor = step[0].leaf();
    const int64_t* data = gpu_.View(tensor.data<int64_t>());
    return {data, data + tensor.num_elements()};
  }
  int CopiesEnqueued() {
    return static_cast<int>(
        std::ranges::count(gpu_.streams().log(), "copy: 16 bytes"));
  }

  FakeGpu gpu_;
};

TEST_F(DeliveredStepsTest, DeliversPartsToTheirGpus) {
  FakeGpu other(1);
  const std::vector<Device*> gpus = {&gpu_.device(), &other.device()};
  const Dataset dataset = Dataset::Range(5).Batch(4);
  const auto from_function = [](const InputContext&) {
    return Dataset::Range(5).Batch(2);
  };
  EXPECT_EQ(ReadSteps(DistributeDataset(Topology::OneWorker(2), gpus, dataset)),
            (Texts{"[0, 1] [2, 3]", "[4] []"}));
  EXPECT_EQ(ReadSteps(DistributeDatasetsFromFunction(Topology::OneWorker(2),
                                                     gpus, from_function)),
            (Texts{"[0, 1] [2, 3]", "[4] []"}));
  for (const auto& step :
       DistributeDataset(Topology::OneWorker(2), gpus, dataset)) {
    EXPECT_EQ(&step[0].leaf().device(), gpus[0]);
    EXPECT_EQ(&step[1].leaf().device(), gpus[1]);
  }
  EXPECT_EQ(gpu_.uploads(), 0);  // nothing in the compute stream
}

// As in a program without a strategy.
TEST_F(DeliveredStepsTest, WorksWithTheGpuAsCurrentDevice) {
  const DeviceScope on_gpu(gpu_.device());
  const DistributedDataset inputs = ToOneGpu(
      Dataset::Range(6).Shard(2, 1).Batch(2).Map([](const Structure& batch) {
        return Structure(
            kernels::Add(batch.leaf(), Tensor::Scalar<int64_t>(10)));
      }));
  EXPECT_EQ(ReadSteps(inputs), (Texts{"[11, 13]", "[15]"}));
}

TEST_F(DeliveredStepsTest, ReturnsElementsOnTheGpu) {
  const DistributedDataset inputs = DistributeDatasetsFromFunction(
      Topology::OneWorker(1), {&gpu_.device()},
      [](const InputContext&) {
        return Dataset::Range(6).Shard(2, 1).Batch(2);
      },
      {.fetch_to_device = false,
       .replication_mode = InputReplicationMode::kPerReplica,
       .place_dataset_on_device = true});
  EXPECT_EQ(ReadSteps(inputs), (Texts{"[1, 3]", "[5]"}));
  EXPECT_EQ(&inputs.MakeIterator().GetNext()[0].leaf().device(),
            &gpu_.device());
}

TEST_F(DeliveredStepsTest, KeepsStringsOnTheHost) {
  const Tensor names = Tensor::FromVector<std::string>({"a", "b"});
  const DistributedDataset inputs =
      ToOneGpu(Dataset::FromTensorSlices(Structure(names)).Batch(2));
  EXPECT_EQ(ReadSteps(inputs), Texts{"['a', 'b']"});
}

// The GPU is busy with the first step. The input of the second one is there, as
// that of the third is being made.
TEST_F(DeliveredStepsTest, CopiesTheNextStepDuringAStep) {
  std::latch third_is_made(1);
  const Dataset batches =
      Dataset::Range(8).Batch(2).Map([&](const Structure& batch) {
        if (batch.leaf().at<int64_t>(0) == 4) third_is_made.count_down();
        return batch;
      });
  DistributedIterator iterator = ToOneGpu(batches).MakeIterator();
  const auto first = iterator.GetNext();
  gpu_.streams().Hold(kCompute);
  gpu_.streams().Submit(kCompute, "step", [] {});
  third_is_made.wait();
  EXPECT_GE(CopiesEnqueued(), 2);
  EXPECT_EQ(Elements(iterator.GetNext()), (std::vector<int64_t>{2, 3}));
}

TEST_F(DeliveredStepsTest, StepWaitsForItsInput) {
  gpu_.streams().Hold(kCopy);
  DistributedIterator iterator =
      ToOneGpu(Dataset::Range(8).Batch(2)).MakeIterator();
  const auto step = iterator.GetNext();
  std::vector<int64_t> seen;
  gpu_.streams().Submit(kCompute, "step", [&] { seen = Elements(step); });
  EXPECT_TRUE(seen.empty());
  gpu_.streams().Release(kCopy);
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1}));
}

TEST_F(DeliveredStepsTest, RunningStepKeepsItsInput) {
  DistributedIterator iterator =
      ToOneGpu(Dataset::Range(40).Batch(2)).MakeIterator();
  auto step = iterator.GetNext();
  const int64_t* input = step[0].leaf().data<int64_t>();
  gpu_.streams().Hold(kCompute);
  int64_t seen = -1;
  gpu_.streams().Submit(kCompute, "step", [&] { seen = *gpu_.View(input); });
  for (int i = 1; i < 20; ++i) step = iterator.GetNext();
  gpu_.streams().Release(kCompute);
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(Elements(step), (std::vector<int64_t>{38, 39}));
}

TEST_F(DeliveredStepsTest, PassesShareAFewBlocks) {
  FakeGpu small(0, 8 * 256);  // freed memory is not allocated again
  const DistributedDataset inputs = DistributeDataset(
      Topology::OneWorker(1), {&small.device()}, Dataset::Range(100).Batch(2));
  for (int pass = 0; pass < 3; ++pass) {
    EXPECT_EQ(ReadSteps(inputs).size(), 50u);
  }
}

TEST_F(DeliveredStepsTest, EndsRepeatedly) {
  DistributedIterator iterator =
      ToOneGpu(Dataset::Range(3).Batch(2)).MakeIterator();
  iterator.GetNext();
  iterator.GetNext();
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
    ExpectError([&] { iterator.GetNext(); }, Code::kOutOfRange,
                "End of sequence");
  }
}

TEST_F(DeliveredStepsTest, ErrorComesAtItsStep) {
  const Dataset batches =
      Dataset::Range(6).Batch(2).Map([](const Structure& batch) {
        if (batch.leaf().at<int64_t>(0) == 2) throw DataLoss("[Test] {}", "2");
        return batch;
      });
  DistributedIterator iterator = ToOneGpu(batches).MakeIterator();
  EXPECT_EQ(Elements(iterator.GetNext()), (std::vector<int64_t>{0, 1}));
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "2");
  EXPECT_EQ(Elements(iterator.GetNext()), (std::vector<int64_t>{4, 5}));
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
}

TEST_F(DeliveredStepsTest, LackOfMemoryIsAnErrorOfTheStep) {
  FakeGpu tiny(0, 1024);
  DistributedIterator iterator =
      DistributeDataset(Topology::OneWorker(1), {&tiny.device()},
                        Dataset::Range(1000).Batch(500))
          .MakeIterator();
  ExpectError([&] { iterator.GetNext(); }, Code::kResourceExhausted, "4000");
}

TEST_F(DeliveredStepsTest, MayStopEarly) {
  PerReplica<Structure> step;
  {
    DistributedIterator iterator =
        ToOneGpu(Dataset::Range(2).Repeat().Batch(2)).MakeIterator();
    step = iterator.GetNext();
    step = iterator.GetNext();
  }
  EXPECT_EQ(Elements(step), (std::vector<int64_t>{0, 1}));
}

}  // namespace
}  // namespace lockstep
