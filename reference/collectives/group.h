// What N ranks do together, each calling for itself.
//
//   // On the thread of rank r, r = 0 and 1, with x = {r + 1}:
//   group.AllReduce(ReduceOp::kSum, {x}, {}).Wait();  // {3} on both
//   group.AllGather({x}, {}).Wait();                  // {{1}}, {{2}} on both
//   group.Broadcast({x}, /*root=*/1, {}).Wait();      // {2} on both
//   group.ReduceScatter(ReduceOp::kSum, {x, y}, {}).Wait();
//                                       // sum of x on rank 0, of y on rank 1
//
//   // Beside what a GPU computes:
//   auto sums = group.AllReduce(ReduceOp::kSum, gradients,
//                               {.overlapped = true});
//   ... more kernels ...
//   sums.Wait();  // the compute stream of the GPU waits; the host does not
//
// A group belongs to one rank and is used by its thread alone, but for Abort.
// Every rank makes the same calls in the same order with matching arguments, on
// its own current device. Errors, all without leaving a rank waiting:
//   - FailedPrecondition where ranks call different operations, or one is done
//     while others wait for it; InvalidArgument for values that cannot be
//     reduced, shapes that do not fit, a root that is no rank. All ranks get
//     it, and may go on;
//   - Cancelled (PeerFailure) when another rank failed or called Abort;
//   - DeadlineExceeded when a rank did not come in time: on all ranks;
//   - Unavailable when a rank, its machine or the link to it is gone.
//
// How a backend between processes fits in: it has one rank here (or, with a
// group of the ranks here and one between their firsts, all of them: reduce
// here, all-reduce between, broadcast here; likewise the others). It agrees
// over its control plane on what each rank brings before bytes are sent, since
// lists differ in AllGather and errors reach all ranks. Its operations run on a
// thread of its own, and Wait waits for that. After Abort, or an error but the
// first kind, it is finished; its maker makes another one.
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

// What a backend still does for a collective.
class PendingWork {
 public:
  // Waits where Wait has not been called.
  virtual ~PendingWork() = default;
  // What the calling thread's device computes from now on may use the results.
  virtual void Wait() = 0;
};

// The result of a collective that may not be done yet. What the collective
// reads and writes is held until Wait, or the destructor, has waited.
template <typename Result>
class [[nodiscard]] Pending {
 public:
  // Done.
  explicit Pending(Result result) : result_(std::move(result)) {}
  Pending(Result result, std::unique_ptr<PendingWork> work)
      : result_(std::move(result)), work_(std::move(work)) {}
  Pending(Pending&&) = default;
  Pending& operator=(Pending&&) = delete;  // would not wait for the old one

  // The result, as if it had been there at once. REQUIRES: called once.
  // Errors: those of the collective that a backend finds late; Internal, when
  // the device fails.
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
  // When a rank stops waiting for others to come. A backend whose data is still
  // under way then has a time limit of its own.
  Deadline deadline = kNoDeadline;
  // On a GPU: the work is done beside what is computed from now on, in the
  // communication stream, and the results are there after Wait; else in line
  // with it.
  bool overlapped = false;
};

using TensorList = std::vector<Tensor>;

class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // How it reduces, as its class is named: "SharedMemoryAllReduce".
  virtual std::string_view algorithm() const = 0;

  // The reduced list, the same bits on every rank, each on its own device; the
  // mean of integers is float64.
  virtual Pending<TensorList> AllReduce(ReduceOp op, const TensorList& values,
                                        const CollectiveOptions& options) = 0;
  // parts[r] is for rank r, which gets the sum or mean of what all have for it.
  // Parts of different ranks may differ in shape.
  virtual Pending<Tensor> ReduceScatter(ReduceOp op, const TensorList& parts,
                                        const CollectiveOptions& options) = 0;
  // What every rank brought, entry r from rank r, where it may share memory
  // with that. Lists need not have the same length, nor tensors the same shape.
  virtual Pending<std::vector<TensorList>> AllGather(
      const TensorList& values, const CollectiveOptions& options) = 0;
  // What `root` brought, on the caller's device; what others bring is not
  // looked at.
  virtual Pending<TensorList> Broadcast(const TensorList& values, int root,
                                        const CollectiveOptions& options) = 0;
  // Returns when all ranks have called it.
  virtual void Barrier(const CollectiveOptions& options) = 0;

  // Ends the group: ranks that wait in it, or come later, get Cancelled. From
  // any thread.
  virtual void Abort() = 0;

  // Throws what went wrong in work that was only queued; else nothing.
  virtual void Check() const {}
  // A graph into which collectives were captured has been queued: what it does
  // is looked after as if they themselves had been.
  virtual void Watch() const {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GROUP_H_
