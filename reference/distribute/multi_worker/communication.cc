#include "reference/distribute/multi_worker/communication.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/gpu_collectives.h"

namespace lockstep {
namespace {

const char* NameOf(CommunicationImplementation implementation) {
  switch (implementation) {
    case CommunicationImplementation::kAuto:
      return "auto";
    case CommunicationImplementation::kGloo:
      return "gloo";
    case CommunicationImplementation::kMpi:
      return "mpi";
    case CommunicationImplementation::kNccl:
      return "nccl";
  }
  return "none";
}

// What a worker announces for the choice of an implementation.
constexpr std::string_view kMpiIsThere = ", mpi is there";
constexpr std::string_view kNcclIsThere = ", nccl is there";

// Why this worker cannot use NCCL.
std::optional<Error> WhyNoNccl(const Device& device) {
  constexpr char kOperation[] = "MultiWorkerMirroredStrategy";
  if (device.kind() != DeviceKind::kGpu) {
    return InvalidArgument("[{}] NCCL is for replicas on GPUs, got {}",
                           kOperation, device.name());
  }
  try {
    if (collectives_internal::CurrentGpuCollectives(kOperation).Nccl()) {
      return std::nullopt;
    }
  } catch (const Error& error) {
    return error;
  }
  return Unimplemented("[{}] this program has no NCCL", kOperation);
}

std::string WishOf(const ControlPlane& control,
                   const CommunicationOptions& options, const Device& device) {
  std::string wish = NameOf(options.implementation);
  if (options.implementation != CommunicationImplementation::kAuto) return wish;
  if (!WhyNoMpi(control.num_workers())) wish += kMpiIsThere;
  if (!WhyNoNccl(device)) wish += kNcclIsThere;
  return wish;
}

bool IsAuto(const std::string& wish) { return wish.starts_with("auto"); }

CommunicationImplementation Choose(const std::vector<std::string>& wishes,
                                   CommunicationImplementation mine) {
  for (size_t w = 1; w < wishes.size(); ++w) {
    const bool both_auto = IsAuto(wishes[0]) && IsAuto(wishes[w]);
    if (both_auto || wishes[0] == wishes[w]) continue;
    throw FailedPrecondition(
        "[MultiWorkerMirroredStrategy] workers must request the same "
        "implementation: worker 0 requests {}, worker {} requests {}",
        wishes[0], w, wishes[w]);
  }
  if (mine != CommunicationImplementation::kAuto) return mine;
  const auto all_have = [&](std::string_view what) {
    return std::ranges::all_of(wishes, [what](const std::string& wish) {
      return wish.find(what) != wish.npos;
    });
  };
  if (all_have(kNcclIsThere)) return CommunicationImplementation::kNccl;
  return all_have(kMpiIsThere) ? CommunicationImplementation::kMpi
                               : CommunicationImplementation::kGloo;
}

std::unique_ptr<Group> MakeWithNccl(ControlPlane& control,
                                    const CommunicationOptions& options,
                                    Device& device) {
  if (const auto why = WhyNoNccl(device)) throw *why;
  auto sums = collectives_internal::CurrentGpuCollectives("AllReduce")
                  .MakeNcclBetween(control, device, options.gloo.connect_limit);
  return MakeGlooGroup(control, options.gloo, std::move(sums));
}

}  // namespace

std::unique_ptr<Group> MakeGroupOfWorkers(ControlPlane& control,
                                          const CommunicationOptions& options,
                                          Device& device, Deadline deadline) {
  const std::vector<std::string> wishes = control.Exchange(
      "implementation", WishOf(control, options, device), deadline);
  switch (Choose(wishes, options.implementation)) {
    case CommunicationImplementation::kMpi:
      return MakeMpiGroup(control, options.mpi);
    case CommunicationImplementation::kNccl:
      return MakeWithNccl(control, options, device);
    default:
      return MakeGlooGroup(control, options.gloo);
  }
}

}  // namespace lockstep
