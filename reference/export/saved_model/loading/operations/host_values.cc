#include "reference/export/saved_model/loading/operations/host_values.h"

#include <algorithm>

#include "reference/export/saved_model/loading/operations/operation.h"

namespace lockstep::export_internal {

int64_t WholeNumber(const char* name, const Tensor& tensor, int64_t most) {
  const auto numbers = IntegersIn(name, tensor);
  if (numbers.size() == 1 && numbers[0] >= 0 && numbers[0] <= most) {
    return numbers[0];
  }
  throw InvalidArgument("{} must be a number from 0 to {}, got {}", name, most,
                        Describe(tensor));
}

std::vector<int64_t> SplitsIn(const Tensor& tensor, int64_t last) {
  std::vector<int64_t> splits = IntegersIn("the splits", tensor);
  if (splits.empty() || splits.front() != 0 || splits.back() != last ||
      !std::ranges::is_sorted(splits)) {
    throw InvalidArgument("splits of {} that do not divide {} values",
                          Describe(tensor), last);
  }
  return splits;
}

}  // namespace lockstep::export_internal
