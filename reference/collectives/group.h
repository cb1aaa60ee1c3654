// The collectives of N ranks.
//
//   // On the thread of rank r, r = 0 and 1, with x = {r + 1}:
//   group.AllReduce(ReduceOp::kSum, {x}, {}).Wait();  // {3} on both
//   group.AllGather({x}, {}).Wait();                  // {{1}}, {{2}} on both
//   group.Broadcast({x}, /*root=*/1, {}).Wait();      // {2} on both
//   group.ReduceScatter(ReduceOp::kSum, {x, y}, {}).Wait();
//                                       // sum of x on rank 0, of y on rank 1
//
//   // Concurrently with a GPU's other work:
//   auto sums = group.AllReduce(ReduceOp::kSum, gradients,
//                               {.overlapped = true});
//   ... more kernels ...
//   sums.Wait();  // the compute stream of the GPU waits; the host does not
//
// A group belongs to one rank, and only that rank's thread uses it, except for
// Abort. Every rank makes the same calls in the same order with matching
// arguments, on its own current device. No error leaves a rank waiting:
//   - FailedPrecondition if ranks call different operations, or one is done
//     while others wait for it; InvalidArgument for values that cannot be
//     reduced, shapes that do not match, a root that is not a rank. All ranks
//     get it and may continue;
//   - Cancelled (PeerFailure) when another rank failed or called Abort;
//   - DeadlineExceeded on all ranks when one did not come in time;
//   - Unavailable when a rank, its machine or the connection to it is lost.
//
// A backend between processes has one rank per process (mesh/mesh_group.h);
// hierarchical/hierarchical_group.h adds the ranks within each process. Its
// ranks first exchange descriptions of their tensors, since the lists of an
// AllGather differ and errors reach all ranks. After Abort, or an error other
// than the first kind, it is finished; its owner makes another one.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GROUP_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/collectives/barrier.h"
#include "reference/collectives/reduce_op.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// Work of a collective that is still in progress.
class PendingWork {
 public:
  // Waits unless Wait has been called.
  virtual ~PendingWork() = default;
  // From now on the calling thread's device may use the results.
  virtual void Wait() = 0;
};

// The result of a collective that may not be done yet. Keeps the memory that
// the collective reads and writes until Wait or the destructor has waited.
template <typename Result>
class [[nodiscard]] Pending {
 public:
  // Done.
  explicit Pending(Result result) : result_(std::move(result)) {}
  Pending(Result result, std::unique_ptr<PendingWork> work)
      : result_(std::move(result)), work_(std::move(work)) {}
  Pending(Pending&&) = default;
  Pending& operator=(Pending&&) = delete;  // would not wait for the old one

  // Waits and returns the result. REQUIRES: called once. Errors: those that the
  // collective finds late; Internal if the device fails.
  Result Wait() {
    if (work_) work_->Wait();
    work_.reset();
    return std::move(result_);
  }

 private:
  Result result_;
  std::unique_ptr<PendingWork> work_;  // last: it waits before results go
};

struct CollectiveOptions {
  // When a rank stops waiting for others to come. Backends have their own
  // limits for data that is in transit then.
  Deadline deadline = kNoDeadline;
  // On a GPU: runs in the communication stream, concurrently with what is
  // computed from now on; the results may be used after Wait. Otherwise the
  // work is in the compute stream.
  bool overlapped = false;
};

using TensorList = std::vector<Tensor>;

class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The name of its all-reduce: "SharedMemoryAllReduce".
  virtual std::string_view algorithm() const = 0;

  // Returns the reduced list, with the same bits on every rank, on the rank's
  // own device. The mean of integers is float64.
  virtual Pending<TensorList> AllReduce(ReduceOp op, const TensorList& values,
                                        const CollectiveOptions& options) = 0;
  // Rank r gets the sum or mean of all ranks' parts[r]. Parts for different
  // ranks may differ in shape.
  virtual Pending<Tensor> ReduceScatter(ReduceOp op, const TensorList& parts,
                                        const CollectiveOptions& options) = 0;
  // Returns all ranks' values, entry r from rank r; they may share memory with
  // the inputs. Lists may differ in length, and tensors in shape.
  virtual Pending<std::vector<TensorList>> AllGather(
      const TensorList& values, const CollectiveOptions& options) = 0;
  // Returns the root's values on the caller's device; ignores the others'.
  virtual Pending<TensorList> Broadcast(const TensorList& values, int root,
                                        const CollectiveOptions& options) = 0;
  // Returns when all ranks have called it.
  virtual void Barrier(const CollectiveOptions& options) = 0;

  // Ends the group: ranks that wait in it, or come later, get Cancelled. Any
  // thread may call it.
  virtual void Abort() = 0;

  // Throws the error of queued work, if there is one.
  virtual void Check() const {}
  // A graph with captured collectives has been queued: watches it as if the
  // collectives themselves had been.
  virtual void Watch() const {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GROUP_H_
