// For any bytes, restoring an iterator from them succeeds or throws an Error of
// a documented code, and what is left of the pass is no longer than a pass.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/distribute/input/distributed_dataset_testing.h"
#include "reference/distribute/input/iterator_state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  const auto iterator = std::make_shared<DistributedIterator>(
      DistributeDataset(Topology::OneWorker(1), CpuDevices(1),
                        Dataset::Range(8).Shuffle(8, /*seed=*/1).Batch(2))
          .MakeIterator());
  const Tensor bytes =
      Tensor::Scalar(std::string(reinterpret_cast<const char*>(data), size));
  try {
    IteratorState(iterator).values()[0].restore(bytes);
  } catch (const Error& e) {
    LOCKSTEP_CHECK(e.code() == Code::kDataLoss ||
                   e.code() == Code::kInvalidArgument);
    return 0;
  }
  PerReplica<Structure> step;
  int rest = 0;
  while (iterator->Next(&step)) ++rest;
  LOCKSTEP_CHECK(rest <= 4);
  return 0;
}
