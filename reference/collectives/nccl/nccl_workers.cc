#include "reference/collectives/nccl/nccl_workers.h"

#include <algorithm>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// The pause between polls of the GPU and the job.
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
    failed = std::current_exception();  // thrown once all have exchanged
  }
  const std::vector<std::string> all = control_.Exchange(
      "nccl id", mine, std::chrono::steady_clock::now() + deadline);
  if (failed) std::rethrow_exception(failed);
  return ToId(all.front());
}

void NcclSums::Sum(const TensorList& values, TensorList& sums,
                   const std::function<void()>& check) {
  const std::vector<NcclTransfer> transfers = rank_.Transfers(values, sums);
  if (transfers.empty()) return;
  communicator_->AllReduceSum(0, transfers,
                              rank_.stream(DeviceStream::kCompute));
  try {
    while (communicator_->Poll(NcclCommunicator::Clock::now())) {
      check();
      std::this_thread::sleep_for(kPause);
    }
  } catch (const Error& error) {
    communicator_->Abort(error);  // ends the work on the GPU
    throw;
  }
  communicator_->Check();
}

}  // namespace lockstep
