#include "reference/data/transformations/probe_spec.h"

#include <cstdint>
#include <exception>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

// Zeros of the spec's form; dimensions that are unknown get `size`.
Structure Zeros(const SpecStructure& spec, int64_t size) {
  return spec.Map<Tensor>([size](const TensorSpec& leaf) {
    Shape shape = leaf.shape;
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] == kUnknownDim) shape = shape.WithDim(i, size);
    }
    return ZerosOnHost(shape, leaf.dtype);
  });
}

bool FullyDefined(const SpecStructure& spec) {
  bool defined = true;
  spec.ForEach([&](const TensorSpec& leaf) {
    defined = defined && leaf.shape.fully_defined();
  });
  return defined;
}

}  // namespace

SpecStructure ProbeSpec(
    std::string_view operation,
    const std::function<SpecStructure(const Structure&)>& spec_for,
    const SpecStructure& input) {
  try {
    const SpecStructure spec = spec_for(Zeros(input, 2));
    if (FullyDefined(input)) return spec;
    return MergeSpecs(operation, spec, spec_for(Zeros(input, 3)));
  } catch (const std::exception& e) {
    throw InvalidArgument(
        "[{}] the function fails on zeros, so give its output_spec: {}",
        operation, e.what());
  }
}

}  // namespace lockstep::data_internal
