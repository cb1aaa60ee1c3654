#include "reference/collectives/reduce_op.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "reference/base/error.h"

namespace lockstep {

std::string_view ReduceOpName(ReduceOp op) {
  return op == ReduceOp::kSum ? "SUM" : "MEAN";
}

ReduceOp ParseReduceOp(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  if (upper == "SUM") return ReduceOp::kSum;
  if (upper == "MEAN") return ReduceOp::kMean;
  throw InvalidArgument("[ReduceOp] '{}' is not a valid ReduceOp: SUM or MEAN",
                        name);
}

std::vector<Tensor> PrepareForReduce(ReduceOp op,
                                     const std::vector<Tensor>& values) {
  std::vector<Tensor> prepared;
  prepared.reserve(values.size());
  for (const Tensor& value : values) {
    if (!value.defined()) {
      throw InvalidArgument("[Reduce] there is no tensor to reduce");
    }
    const bool integer = IsInteger(value.dtype());
    if (!integer && !IsFloating(value.dtype())) {
      throw InvalidArgument("[Reduce] {} values have no {}",
                            DTypeName(value.dtype()), ReduceOpName(op));
    }
    const bool to_double = integer && op == ReduceOp::kMean;
    prepared.push_back(to_double ? value.Cast(DType::kFloat64) : value);
  }
  return prepared;
}

}  // namespace lockstep
