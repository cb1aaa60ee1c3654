#include "reference/collectives/nccl/nccl_workers.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// Between two looks at what the GPU does and how the job is.
constexpr std::chrono::microseconds kPause{50};

NcclUniqueId ToId(const std::string& bytes) {
  NcclUniqueId id;
  if (bytes.size() != id.bytes.size()) {
    throw Unavailable("[NcclCommunicator] worker 0 could not make an id");
  }
  std::ranges::copy(bytes, id.bytes.begin());
  return id;
}

}  // namespace

NcclUniqueId ControlPlaneNcclIdExchange::Exchange(
    bool root, const MakeId& make, std::chrono::milliseconds deadline) {
  std::string mine;
  std::exception_ptr failed;
  try {
    if (root) {
      const NcclUniqueId id = make();
      mine.assign(id.bytes.begin(), id.bytes.end());
    }
  } catch (const Error&) {
    failed = std::current_exception();  // told when all have come
  }
  const std::vector<std::string> all = control_.Exchange(
      "nccl id", mine, std::chrono::steady_clock::now() + deadline);
  if (failed) std::rethrow_exception(failed);
  return ToId(all.front());
}

void NcclSums::CheckPlace(const Tensor& tensor) const {
  if (&tensor.device() == &device_) return;
  throw InvalidArgument(
      "[AllReduce] workers sum on their first GPU, {}, got a tensor on {}",
      device_.name(), tensor.device().name());
}

void NcclSums::Sum(const TensorList& values, const TensorList& sums,
                   const std::function<void()>& check) {
  std::vector<NcclTransfer> transfers;
  for (size_t i = 0; i < values.size(); ++i) {
    CheckPlace(values[i]);
    if (values[i].num_elements() == 0) continue;
    Tensor sum = sums[i];
    transfers.push_back({.in = values[i].raw_data(),
                         .out = sum.mutable_raw_data(),
                         .count = values[i].num_elements(),
                         .dtype = values[i].dtype()});
  }
  if (transfers.empty()) return;
  communicator_->AllReduceSum(0, transfers,
                              stream_of_(device_, DeviceStream::kCompute));
  try {
    while (communicator_->Poll(NcclCommunicator::Clock::now())) {
      check();
      std::this_thread::sleep_for(kPause);
    }
  } catch (const Error& error) {
    communicator_->Abort(error);  // ends what is under way on the GPU
    throw;
  }
  communicator_->Check();
}

}  // namespace lockstep
