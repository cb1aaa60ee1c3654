// The differentiable sum over all replicas.
//
//   // 1 on replica 0, 2 on replica 1
//   ops::AllReduceSum({x})[0];   // 3 on both
//
// The target of every replica's tape depends on every replica's value, so its
// gradient is summed over the replicas too: all of them have to ask for
// gradients in the same order. Without a strategy values stay as they are.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_ALL_REDUCE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_ALL_REDUCE_H_

#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// Errors, and what is asked of the replicas, as DistributionContext::AllReduce.
std::vector<Tensor> AllReduceSum(const std::vector<Tensor>& values);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_ALL_REDUCE_H_
