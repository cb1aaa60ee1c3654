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

}  // namespace lockstep
