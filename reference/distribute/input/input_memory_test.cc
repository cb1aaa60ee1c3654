// The memory of distributed input over many steps.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reference/device/memory_testing.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/input/distributed_dataset_testing.h"

namespace lockstep {
namespace {

constexpr int kSteps = 20'000;
// Of the bytes in use after every so many steps.
constexpr int kStepsToALook = 2'000;

std::vector<int64_t> BytesAfterLooks() {
  const Dataset numbers =
      Dataset::Range(1000)
          .Shuffle(100, /*seed=*/5)
          .Repeat()
          .Map([](const Structure& number) {
            return Structure::Tuple({number, Tensor::Zeros({16})});
          })
          .Batch(4)
          .Prefetch(2);
  const DistributedDataset inputs =
      DistributeDataset(Topology::OneWorker(2), CpuDevices(2), numbers);
  DistributedIterator iterator = inputs.MakeIterator();
  std::vector<int64_t> bytes;
  for (int step = 1; step <= kSteps; ++step) {
    EXPECT_EQ(iterator.GetNext().size(), 2u);
    if (step % kStepsToALook == 0) bytes.push_back(BytesHeld());
  }
  return bytes;
}

// A step has 288 bytes of values. The number of steps read ahead may vary.
TEST(InputMemoryTest, MemoryStaysConstant) {
  const std::vector<int64_t> bytes = BytesAfterLooks();
  ASSERT_EQ(bytes.size(), 10u);
  if (bytes.back() == 0) GTEST_SKIP() << "a sanitizer counts for itself";
  RecordProperty("bytes_first", std::to_string(bytes.front()));
  RecordProperty("bytes_middle", std::to_string(bytes[4]));
  RecordProperty("bytes_last", std::to_string(bytes.back()));
  EXPECT_LT(bytes.back() - bytes.front(), 1 << 18)
      << "after " << kStepsToALook << " steps " << bytes.front() << ", after "
      << kSteps << " " << bytes.back();
}

}  // namespace
}  // namespace lockstep
