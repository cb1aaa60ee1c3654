// How many tokens of a global batch count, whatever replica has them: the
// divisor with which N replicas train as one.
//
//   const Tensor tokens = CountOfAllReplicas(weights);   // on each replica
//   const Tensor loss = ops::Divide(ops::ReduceSum(losses), tokens);
//
// A replica's own count would be wrong: its tokens would count more where it has
// fewer of them than others.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_TOKEN_COUNT_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_TOKEN_COUNT_H_

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/distribute/replica_context.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// The sum of the weights on all replicas, 1 instead of 0: a float32 scalar
// without a gradient. All replicas call this together.
inline Tensor CountOfAllReplicas(const Tensor& weights) {
  const Tensor here = ops::ReduceSum(ops::StopGradient(weights));
  return ops::DivisorOf(GetReplicaContext().AllReduce(ReduceOp::kSum, here));
}

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_TOKEN_COUNT_H_
