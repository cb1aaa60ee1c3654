#include "reference/export/saved_model/loading/operations/operation.h"

#include <utility>

namespace lockstep::export_internal {
namespace {

const OperationTable& SupportedOperations() {
  static const auto* table = [] {
    auto* made = new OperationTable;
    AddArithmetic(*made);
    AddArrayOperations(*made);
    AddHashOperations(*made);
    AddHostOperations(*made);
    AddIdOperations(*made);
    AddNetworkOperations(*made);
    AddRaggedOperations(*made);
    AddWordOperations(*made);
    return made;
  }();
  return *table;
}

}  // namespace

Operation MakeOperation(const saved_model::NodeDef& node) {
  const NodeAttributes attributes(node);
  const auto found = SupportedOperations().find(node.op());
  if (found == SupportedOperations().end()) {
    throw Unimplemented(
        "{}: this operation is not supported; docs/formats.md lists those that "
        "are. Leave out the layer that has it, or export it for inference",
        attributes.place());
  }
  Operation operation = found->second(attributes);
  operation.place = attributes.node_place();
  if (!operation.most_bytes) operation.most_bytes = BytesOf;
  return operation;
}

double BytesOf(Tensors inputs) {
  double bytes = 0;
  for (const Tensor& input : inputs) {
    bytes += static_cast<double>(input.bytes());
  }
  return bytes;
}

std::vector<int64_t> IntegersIn(const char* name, const Tensor& tensor) {
  const bool whole =
      tensor.dtype() == DType::kInt32 || tensor.dtype() == DType::kInt64;
  if (!whole || tensor.rank() > 1) {
    throw InvalidArgument("{} must be int32 or int64 of rank 0 or 1, got {}",
                          name, Describe(tensor));
  }
  return tensor.ToHost().Cast(DType::kInt64).ToVector<int64_t>();
}

}  // namespace lockstep::export_internal
