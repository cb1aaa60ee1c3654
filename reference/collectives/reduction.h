// One all-reduce in progress: every rank's inputs and outputs.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_

#include <vector>

#include "reference/collectives/piece_list.h"
#include "reference/collectives/reduce_op.h"
#include "reference/collectives/sum_kernel.h"
#include "reference/device/device_queues.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// Lists of the same dtypes and shapes on every rank.
class Reduction {
 public:
  // Entry r of each belongs to rank r and outlives the reduction; outputs hold
  // memory that nobody else sees. On GPUs the work is given to their `queue`.
  Reduction(ReduceOp op, std::vector<const std::vector<Tensor>*> inputs,
            std::vector<std::vector<Tensor>*> outputs,
            DeviceQueue queue = DeviceQueue::kCompute);

  int ranks() const { return static_cast<int>(inputs_.size()); }
  // What the sum is divided by: 1, or the number of ranks for the mean.
  int divisor() const { return op_ == ReduceOp::kMean ? ranks() : 1; }

  DeviceQueue queue() const { return queue_; }

  // Ranks whose tensors go into or come out of a step.
  struct Source {
    bool input;  // what the rank brought, else its output so far
    int rank;
  };

  // What rank `rank` brought, and where its results go.
  const std::vector<Tensor>& inputs(int rank) const { return *inputs_[rank]; }
  std::vector<Tensor>& outputs(int rank) const { return *outputs_[rank]; }

  // to[*] = sum of from[0], from[1], ... over the part `part` of `parts` of the
  // list, divided by `divisor`, in the calling thread's team; on GPUs it is
  // queued on that of one of `to` (gpu_collectives.h).
  void Sum(const std::vector<Source>& from, const std::vector<int>& to,
           int divisor, int part = 0, int parts = 1) const;

 private:
  const std::vector<Tensor>& SourceList(const Source& source) const;
  collectives_internal::SumArguments PieceOf(const std::vector<Source>& from,
                                             const std::vector<int>& to,
                                             size_t tensor, int64_t element,
                                             int64_t count) const;
  void QueueSum(const std::vector<Source>& from, const std::vector<int>& to,
                int divisor, int part, int64_t first, int64_t last) const;

  ReduceOp op_;
  DeviceQueue queue_;
  std::vector<const std::vector<Tensor>*> inputs_;
  std::vector<std::vector<Tensor>*> outputs_;
  collectives_internal::PieceList pieces_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_
