#include "reference/data/element_spec.h"

#include <utility>
#include <vector>

#include "reference/base/error.h"

namespace lockstep::data_internal {
namespace {

bool Agree(const Shape& known, const Shape& actual) {
  if (known.rank() != actual.rank()) return false;
  for (int i = 0; i < known.rank(); ++i) {
    if (known[i] != kUnknownDim && known[i] != actual[i]) return false;
  }
  return true;
}

Shape MergeShapes(const Shape& a, const Shape& b) {
  Shape merged = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i]) merged = merged.WithDim(i, kUnknownDim);
  }
  return merged;
}

}  // namespace

SpecStructure SpecOfElement(const Structure& element) {
  return element.Map<TensorSpec>(SpecOf);
}

SpecStructure PrependAxis(const SpecStructure& spec, int64_t size) {
  return spec.Map<TensorSpec>([size](const TensorSpec& leaf) {
    return TensorSpec{leaf.shape.Prepend(size), leaf.dtype};
  });
}

SpecStructure RemoveAxis(std::string_view operation,
                         const SpecStructure& spec) {
  return spec.Map<TensorSpec>([&](const TensorSpec& leaf) {
    if (leaf.shape.rank() == 0) {
      throw InvalidArgument("[{}] a scalar has no rows, got {}", operation,
                            DescribeSpec(spec));
    }
    return TensorSpec{leaf.shape.Tail(), leaf.dtype};
  });
}

SpecStructure MergeSpecs(std::string_view operation, const SpecStructure& a,
                         const SpecStructure& b) {
  const auto fail = [&] {
    throw InvalidArgument("[{}] {} and {} are not the same kind of element",
                          operation, DescribeSpec(a), DescribeSpec(b));
  };
  if (!a.SameFormAs(b)) fail();
  const std::vector<TensorSpec> others = b.Flatten();
  size_t next = 0;
  return a.Map<TensorSpec>([&](const TensorSpec& leaf) {
    const TensorSpec& other = others[next++];
    if (leaf.dtype != other.dtype || leaf.shape.rank() != other.shape.rank()) {
      fail();
    }
    return TensorSpec{MergeShapes(leaf.shape, other.shape), leaf.dtype};
  });
}

void CheckElement(std::string_view operation, const SpecStructure& spec,
                  const Structure& element) {
  bool fits = spec.SameFormAs(element);
  if (fits) {
    const std::vector<TensorSpec> leaves = spec.Flatten();
    size_t next = 0;
    element.ForEach([&](const Tensor& tensor) {
      const TensorSpec& leaf = leaves[next++];
      fits = fits && tensor.defined() && tensor.dtype() == leaf.dtype &&
             Agree(leaf.shape, tensor.shape());
    });
  }
  if (!fits) {
    throw InvalidArgument("[{}] got an element {}, wanted {}", operation,
                          DescribeSpec(SpecOfElement(element)),
                          DescribeSpec(spec));
  }
}

std::string DescribeSpec(const SpecStructure& spec) {
  if (spec.is_leaf()) return ToString(spec.leaf());
  const bool dict = spec.kind() == NestKind::kDict;
  std::string text = dict ? "{" : "(";
  for (size_t i = 0; i < spec.size(); ++i) {
    if (i > 0) text += ", ";
    if (dict) text += spec.keys()[i] + ": ";
    text += DescribeSpec(spec.items()[i]);
  }
  return text + (dict ? "}" : ")");
}

}  // namespace lockstep::data_internal
