// Groups whose ranks are threads of one process and read each other's memory.
//
//   auto rendezvous = std::make_shared<Rendezvous>(2);
//   auto ops = std::make_shared<SharedMemoryAllReduce>();
//   InProcessGroup group(rendezvous, r, ops);   // on rank r, r = 0 and 1
//   group.AllReduce(ReduceOp::kSum, {x}, {}).Wait();
//   rendezvous->Reset();     // after an Abort, when no rank is inside: as if new
//
// An all-reduce runs the rounds of its CrossDeviceOps on every rank. On CPUs it
// is done when the call returns; on GPUs it is queued, and no thread waits for
// it.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_IN_PROCESS_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_IN_PROCESS_GROUP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/group.h"
#include "reference/collectives/reduction.h"
#include "reference/collectives/rendezvous.h"

namespace lockstep {

namespace collectives_internal {

// How many overlapped operations a rank has begun, and for how many of them its
// compute stream has waited. One wait covers all that were begun.
struct Overlap {
  int64_t begun = 0;
  int64_t joined = 0;
};

}  // namespace collectives_internal

// REQUIRES: it outlives what is pending.
class InProcessGroup : public Group {
 public:
  // REQUIRES: rank is one of the rendezvous'; `ops` is nullptr only where a
  // subclass overrides Reduce and algorithm.
  InProcessGroup(std::shared_ptr<Rendezvous> rendezvous, int rank,
                 std::shared_ptr<const CrossDeviceOps> ops);

  int rank() const override { return rank_; }
  int size() const override { return rendezvous_->ranks(); }
  std::string_view algorithm() const override { return ops_->name(); }

  Pending<TensorList> AllReduce(ReduceOp op, const TensorList& values,
                                const CollectiveOptions& options) override;
  Pending<Tensor> ReduceScatter(ReduceOp op, const TensorList& parts,
                                const CollectiveOptions& options) override;
  Pending<std::vector<TensorList>> AllGather(
      const TensorList& values, const CollectiveOptions& options) override;
  Pending<TensorList> Broadcast(const TensorList& values, int root,
                                const CollectiveOptions& options) override;
  void Barrier(const CollectiveOptions& options) override;
  void Abort() override { rendezvous_->Abort(); }

 protected:
  // This rank's part of an all-reduce, once all ranks have come.
  virtual void Reduce(const Reduction& reduction);

 private:
  // Runs `body` with all ranks' calls once all have come.
  void Meet(Rendezvous::Call call, const CollectiveOptions& options,
            const std::function<void(const Rendezvous::Calls&)>& body);
  void ReduceTogether(ReduceOp op, const TensorList& inputs,
                      TensorList& results, const CollectiveOptions& options);
  void CheckRank(const char* operation, int root) const;

  const std::shared_ptr<Rendezvous> rendezvous_;
  const int rank_;
  const std::shared_ptr<const CrossDeviceOps> ops_;
  collectives_internal::Overlap overlap_;
};

// Makes a group for each rank, rank r on devices[r]. If `ops` is nullptr,
// ChooseCrossDeviceOps chooses the all-reduce. Errors: those of making an NCCL
// communicator; Unimplemented for GPUs without a backend. REQUIRES: devices of
// one kind, one per rank of the rendezvous.
std::vector<std::unique_ptr<Group>> MakeGroups(
    const std::vector<Device*>& devices,
    std::shared_ptr<const CrossDeviceOps> ops,
    const std::shared_ptr<Rendezvous>& rendezvous);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_IN_PROCESS_GROUP_H_
