#include "reference/distribute/multi_worker/communication.h"

#include <algorithm>
#include <string>
#include <vector>

#include "reference/base/error.h"

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
  }
  return "none";
}

// Of a worker that leaves the choice and could have MPI.
constexpr char kAutoWithMpi[] = "auto, mpi is there";

std::string WishOf(const ControlPlane& control,
                   const CommunicationOptions& options) {
  const bool mpi =
      options.implementation == CommunicationImplementation::kAuto &&
      !WhyNoMpi(control.num_workers());
  return mpi ? kAutoWithMpi : NameOf(options.implementation);
}

bool IsAuto(const std::string& wish) { return wish.starts_with("auto"); }

CommunicationImplementation Choose(const std::vector<std::string>& wishes,
                                   CommunicationImplementation mine) {
  for (size_t w = 1; w < wishes.size(); ++w) {
    const bool both_auto = IsAuto(wishes[0]) && IsAuto(wishes[w]);
    if (both_auto || wishes[0] == wishes[w]) continue;
    throw FailedPrecondition(
        "[MultiWorkerMirroredStrategy] workers must ask for one "
        "implementation: worker 0 asks for {}, worker {} for {}",
        wishes[0], w, wishes[w]);
  }
  if (mine != CommunicationImplementation::kAuto) return mine;
  const auto with_mpi = std::ranges::count(wishes, kAutoWithMpi);
  return with_mpi == std::ssize(wishes) ? CommunicationImplementation::kMpi
                                        : CommunicationImplementation::kGloo;
}

}  // namespace

std::unique_ptr<Group> MakeGroupOfWorkers(ControlPlane& control,
                                          const CommunicationOptions& options,
                                          Deadline deadline) {
  const std::vector<std::string> wishes =
      control.Exchange("implementation", WishOf(control, options), deadline);
  if (Choose(wishes, options.implementation) ==
      CommunicationImplementation::kMpi) {
    return MakeMpiGroup(control, options.mpi);
  }
  return MakeGlooGroup(control, options.gloo);
}

}  // namespace lockstep
