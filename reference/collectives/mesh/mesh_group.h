// A group whose ranks are processes, one per worker, over a mesh.
//
//   MeshGroup group(std::move(mesh), {.stall_limit = 10s});
//   group.AllReduce(ReduceOp::kSum, {x}, {}).Wait();
//
// Every collective begins with an Agreement, whose messages include small
// tensors: after one hop each rank adds them up by itself. Larger ones follow
// when all agree (mesh_reduction.h). An overlapped all-reduce runs on the
// group's own thread, all others on the caller's.
//
// Tensors are on CPUs. Without GpuSums, GPU tensors are refused. With it, it
// does the all-reduce of GPU tensors, in line with the device's work; the other
// collectives copy GPU tensors to the host, where gathered ones stay.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_GROUP_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/collectives/group.h"
#include "reference/collectives/mesh/agreement.h"
#include "reference/collectives/mesh/gpu_sums.h"
#include "reference/collectives/mesh/mesh.h"
#include "reference/collectives/mesh/operation_queue.h"

namespace lockstep::collectives_internal {

struct MeshGroupOptions {
  // How long a rank waits, once all have come, for one that sends nothing.
  std::chrono::milliseconds stall_limit = std::chrono::seconds(10);
  // How long a destroyed group waits for the others to end theirs, so that
  // nothing it has sent is lost.
  std::chrono::milliseconds leave_limit = std::chrono::seconds(1);
  std::shared_ptr<GpuSums> gpu_sums = nullptr;  // nullptr: GPUs are refused
};

class MeshGroup final : public Group {
 public:
  // Errors: those of the mesh.
  MeshGroup(std::unique_ptr<Mesh> mesh, const MeshGroupOptions& options);
  // Ranks that wait for this one, or come later, get FailedPrecondition.
  ~MeshGroup() override;

  int rank() const override { return mesh_->rank(); }
  int size() const override { return mesh_->size(); }
  std::string_view algorithm() const override {
    return gpu_sums_ ? gpu_sums_->algorithm() : mesh_->algorithm();
  }

  Pending<TensorList> AllReduce(ReduceOp op, const TensorList& values,
                                const CollectiveOptions& options) override;
  Pending<Tensor> ReduceScatter(ReduceOp op, const TensorList& parts,
                                const CollectiveOptions& options) override;
  Pending<std::vector<TensorList>> AllGather(
      const TensorList& values, const CollectiveOptions& options) override;
  Pending<TensorList> Broadcast(const TensorList& values, int root,
                                const CollectiveOptions& options) override;
  void Barrier(const CollectiveOptions& options) override;
  void Abort() override { mesh_->GiveUp(PeerFailure()); }
  void Check() const override { mesh_->Check(); }

 private:
  // Negotiates the call with the others and runs `body` if all agree.
  void Run(const Call& call, bool same_specs, Deadline deadline,
           const std::function<void()>& body);
  TensorList AllReduceOnGpus(ReduceOp op, const TensorList& values,
                             Deadline deadline);
  // The values, with GPU tensors copied to the host.
  TensorList CopiedToHost(const TensorList& values) const;
  void ReduceTogether(const Call& call, int divisor, TensorList& results);
  Tensor ReduceOwnPart(const Call& call, int divisor);
  // Returns the tensors of each of `ranks`; the others send none.
  std::vector<TensorList> Collect(const Call& call,
                                  const std::vector<int>& ranks);
  void ReceiveFrom(int rank, const std::vector<SentSpec>& specs,
                   TensorList& values, Transfers& transfers);
  std::vector<const std::byte*> Payloads();
  int DivisorOf(ReduceOp op) const {
    return op == ReduceOp::kMean ? size() : 1;
  }

  const std::chrono::milliseconds leave_limit_;
  const StallTimeout stall_timeout_;
  const std::shared_ptr<GpuSums> gpu_sums_;
  const std::unique_ptr<Mesh> mesh_;
  Agreement agreement_;
  OperationQueue queue_;  // last: its thread uses the rest
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_GROUP_H_
