#include "reference/data/saved/saved_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

Error BadSpec(std::string_view what) {
  return DataLoss("[Load] the spec of the dataset is damaged: {}", what);
}

TensorSpec LeafFromMessage(const saved::SavedSpec& message) {
  try {
    return {
        Shape(std::vector<int64_t>(message.dim().begin(), message.dim().end())),
        ParseDType(message.dtype())};
  } catch (const Error& e) {
    throw BadSpec(e.what());
  }
}

// The number of elements of a shape; nothing for one that no tensor has.
std::optional<int64_t> CountOf(const saved::SavedTensor& message) {
  if (message.dim_size() > Shape::kMaxRank) return std::nullopt;
  int64_t count = 1;
  for (const int64_t dim : message.dim()) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

bool HasAll(const saved::SavedTensor& message, DType dtype, int64_t count) {
  if (dtype == DType::kString) return message.text_size() == count;
  int64_t bytes = 0;
  return !__builtin_mul_overflow(count, static_cast<int64_t>(DTypeSize(dtype)),
                                 &bytes) &&
         std::ssize(message.content()) == bytes;
}

}  // namespace

std::string ShardName(int64_t shard, int64_t shards) {
  return fmt::format("shard-{:05}-of-{:05}", shard, shards);
}

void SpecToMessage(const SpecStructure& spec, saved::SavedSpec& message) {
  if (spec.is_leaf()) {
    message.set_dtype(std::string(DTypeName(spec.leaf().dtype)));
    for (const int64_t dim : spec.leaf().shape.dims()) message.add_dim(dim);
    return;
  }
  message.set_kind(spec.kind() == NestKind::kDict ? saved::SavedSpec::DICT
                                                  : saved::SavedSpec::TUPLE);
  for (const std::string& key : spec.keys()) message.add_key(key);
  for (const SpecStructure& item : spec.items()) {
    SpecToMessage(item, *message.add_item());
  }
}

SpecStructure SpecFromMessage(const saved::SavedSpec& message) {
  if (message.kind() == saved::SavedSpec::LEAF) return LeafFromMessage(message);
  std::vector<SpecStructure> items;
  for (const saved::SavedSpec& item : message.item()) {
    items.push_back(SpecFromMessage(item));
  }
  if (message.kind() == saved::SavedSpec::TUPLE) {
    return SpecStructure::Tuple(std::move(items));
  }
  if (message.key_size() != message.item_size())
    throw BadSpec("a key is missing");
  std::vector<std::pair<std::string, SpecStructure>> named;
  for (size_t i = 0; i < items.size(); ++i) {
    named.emplace_back(message.key(static_cast<int>(i)), std::move(items[i]));
  }
  return SpecStructure::Dict(std::move(named));
}

void TensorToMessage(const Tensor& tensor, saved::SavedTensor& message) {
  for (const int64_t dim : tensor.shape().dims()) message.add_dim(dim);
  if (tensor.dtype() == DType::kString) {
    for (const auto& text : tensor.span<std::string>()) message.add_text(text);
  } else {
    message.set_content(tensor.raw_data(), tensor.bytes());
  }
}

Tensor TensorFromMessage(const saved::SavedTensor& message, DType dtype) {
  const std::optional<int64_t> count = CountOf(message);
  if (!count || !HasAll(message, dtype, *count)) {
    throw DataLoss("[Load] an element has a {} tensor without its values",
                   DTypeName(dtype));
  }
  Tensor tensor = EmptyOnHost(
      Shape(std::vector<int64_t>(message.dim().begin(), message.dim().end())),
      dtype);
  if (dtype == DType::kString) {
    std::ranges::copy(message.text(), tensor.mutable_data<std::string>());
  } else if (!message.content().empty()) {
    std::memcpy(tensor.mutable_raw_data(), message.content().data(),
                message.content().size());
  }
  return tensor;
}

}  // namespace lockstep::data_internal
