#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/subset_node.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

void CheckSpec(const SpecStructure& spec) {
  if (spec.is_leaf()) {
    const DType type = spec.leaf().dtype;
    if (type == DType::kInt32 || type == DType::kInt64 ||
        type == DType::kString) {
      return;
    }
  }
  throw InvalidArgument(
      "[Unique] elements must be one tensor of type int32, int64 or string, "
      "got {}",
      DescribeSpec(spec));
}

template <typename T>
void AppendBytes(const T* values, size_t count, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Equal for equal tensors of one type, else different.
std::string KeyOf(const Tensor& tensor) {
  std::string key;
  const std::span<const int64_t> dims = tensor.shape().dims();
  const int64_t rank = std::ssize(dims);
  AppendBytes(&rank, 1, key);
  AppendBytes(dims.data(), dims.size(), key);
  if (tensor.dtype() != DType::kString) {
    AppendBytes(static_cast<const char*>(tensor.raw_data()), tensor.bytes(),
                key);
    return key;
  }
  for (const std::string& text : tensor.span<std::string>()) {
    const size_t size = text.size();
    AppendBytes(&size, 1, key);
    key += text;
  }
  return key;
}

class UniqueReader final : public Reader<Structure> {
 public:
  explicit UniqueReader(ReaderPtr<Structure> input)
      : input_(std::move(input)) {}

  int64_t Next(std::span<Structure> out) override {
    Structure element;
    while (input_->Next({&element, 1}) == 1) {
      CheckSpec(SpecOfElement(element));
      if (!seen_.insert(KeyOf(element.leaf())).second) continue;
      out.front() = std::move(element);
      return 1;
    }
    return 0;
  }

 private:
  ReaderPtr<Structure> input_;
  std::unordered_set<std::string> seen_;
};

class UniqueNode final : public SubsetNode {
 public:
  explicit UniqueNode(NodePtr input)
      : SubsetNode("Unique", {std::move(input)}, NodeKind::kWholeInput) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<UniqueNode>(std::move(inputs.front()));
  }
  SpecStructure MakeSpec() const override {
    SpecStructure spec = input().element_spec();
    CheckSpec(spec);
    return spec;
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<UniqueReader>(input().OpenElements(pass));
  }
};

}  // namespace

NodePtr MakeUnique(NodePtr input) {
  auto unique = std::make_shared<UniqueNode>(std::move(input));
  // Fails here if the type is wrong and no function is needed to know it.
  if (unique->spec_is_declared()) unique->element_spec();
  return unique;
}

}  // namespace lockstep::data_internal
