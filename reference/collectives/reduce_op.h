// How values of several replicas become one.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_REDUCE_OP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_REDUCE_OP_H_

#include <string_view>

namespace lockstep {

// The documented operations; there is no maximum or product.
enum class ReduceOp { kSum, kMean };

// "SUM" or "MEAN".
std::string_view ReduceOpName(ReduceOp op);

// Accepts "sum", "SUM", "mean", "MEAN", any case.
// Errors: InvalidArgument "'MAX' is not a valid ReduceOp".
ReduceOp ParseReduceOp(std::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_REDUCE_OP_H_
