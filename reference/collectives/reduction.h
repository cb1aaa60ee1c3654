// One all-reduce in progress: every rank's inputs and outputs, which have the
// same dtypes and shapes on all ranks.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_

#include <cstdint>
#include <vector>

#include "reference/collectives/piece_list.h"
#include "reference/collectives/reduce_op.h"
#include "reference/collectives/sum_kernel.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class Reduction {
 public:
  // Entry r of each list belongs to rank r and outlives the reduction. Nothing
  // else uses the outputs' memory. On GPUs the work is queued on `stream`.
  Reduction(ReduceOp op, std::vector<const std::vector<Tensor>*> inputs,
            std::vector<std::vector<Tensor>*> outputs,
            DeviceStream stream = DeviceStream::kCompute);

  int ranks() const { return static_cast<int>(inputs_.size()); }
  // 1 for the sum, the number of ranks for the mean.
  int divisor() const { return op_ == ReduceOp::kMean ? ranks() : 1; }

  DeviceStream stream() const { return stream_; }

  // The tensors of a rank that a round adds up.
  struct Source {
    bool input;  // the rank's input, else its output so far
    int rank;
  };

  const std::vector<Tensor>& inputs(int rank) const { return *inputs_[rank]; }
  std::vector<Tensor>& outputs(int rank) const { return *outputs_[rank]; }

  // to[*] = (from[0] + from[1] + ...) / divisor, for part `part` of `parts` of
  // the list. CPUs compute it in the calling thread's team, GPUs queue it on one
  // of `to` (gpu_collectives.h).
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
  DeviceStream stream_;
  std::vector<const std::vector<Tensor>*> inputs_;
  std::vector<std::vector<Tensor>*> outputs_;
  collectives_internal::PieceList pieces_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_
