// The reduce operations.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_REDUCE_OP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_REDUCE_OP_H_

#include <string_view>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

// The documented operations; there is no maximum or product.
enum class ReduceOp { kSum, kMean };

// "SUM" or "MEAN".
std::string_view ReduceOpName(ReduceOp op);

// Accepts "sum", "SUM", "mean", "MEAN", any case.
// Errors: InvalidArgument "'MAX' is not a valid ReduceOp".
ReduceOp ParseReduceOp(std::string_view name);

// Converts tensors to the type in which they are reduced: integers to float64
// for a mean. The result is also the reduction over one replica. Errors:
// InvalidArgument for values that cannot be added.
std::vector<Tensor> PrepareForReduce(ReduceOp op,
                                     const std::vector<Tensor>& values);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_REDUCE_OP_H_
