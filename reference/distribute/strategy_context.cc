#include "reference/distribute/strategy_context.h"

#include "reference/base/error.h"

namespace lockstep {

std::vector<Tensor> CrossReplicaContext::AllReduce(
    ReduceOp /*op*/, const std::vector<Tensor>& /*values*/) {
  throw FailedPrecondition(
      "[AllReduce] replicas call it inside Run; in cross-replica context use "
      "{}",
      "Strategy::Reduce");
}

}  // namespace lockstep
