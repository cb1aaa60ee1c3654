#include "reference/preprocessing/numeric/adaptation.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"

namespace lockstep::preprocessing_internal {
namespace {

Tensor FirstTensor(std::string_view operation, const Structure& element) {
  const Structure& first =
      element.kind() == NestKind::kTuple && element.size() > 0 ? element[0]
                                                               : element;
  if (!first.is_leaf() || first.leaf().dtype() == DType::kString) {
    throw InvalidArgument(
        "[{}] elements must be tensors of numbers, or tuples that start with "
        "one; select it with Dataset::Map",
        operation);
  }
  return first.leaf();
}

}  // namespace

void CheckMayAdapt(std::string_view operation) {
  DistributionContext::Current().CheckOutsideRun(
      operation, "adapt the layer before Run, on the data of all replicas");
}

void ForEachBatch(std::string_view operation, const Dataset& data,
                  const std::function<void(const Tensor&)>& add) {
  CheckMayAdapt(operation);
  if (data.cardinality() == kInfiniteCardinality) {
    throw InvalidArgument(
        "[{}] the dataset has no end; limit it with Dataset::Take", operation);
  }
  for (const Structure& element : data) {
    const Tensor x = FirstTensor(operation, element);
    add(x.rank() == 1 ? x.Reshape(x.shape().Prepend(1)) : x);
  }
}

}  // namespace lockstep::preprocessing_internal
