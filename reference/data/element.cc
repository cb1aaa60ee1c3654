#include "reference/data/element.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/data/ragged/ragged.h"
#include "reference/tensor/host_tensor.h"

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
  return MapComponents(
      spec,
      [&](const TensorSpec& leaf) {
        if (leaf.shape.rank() == 0) {
          throw InvalidArgument("[{}] a scalar has no rows, got {}", operation,
                                DescribeSpec(spec));
        }
        return TensorSpec{leaf.shape.Tail(), leaf.dtype};
      },
      [](const SpecStructure& ragged) -> SpecStructure {
        const TensorSpec& values = ragged["values"];
        return TensorSpec{values.shape.WithDim(0, kUnknownDim), values.dtype};
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

namespace {

constexpr int64_t kCacheLine = 64;

// Rows may be anywhere in memory: prefetches the first cache lines of a row
// while the rows before it are copied (the hardware prefetches the rest of a
// row).
constexpr int64_t kRowsAhead = 4;
constexpr int64_t kLinesAhead = 8;

void PrefetchRow(const std::byte* row, int64_t row_bytes) {
  const int64_t end = std::min(row_bytes, kLinesAhead * kCacheLine);
  for (int64_t at = 0; at < end; at += kCacheLine) {
    __builtin_prefetch(row + at);
  }
}

// The compiler turns a copy of known size into one load and one store.
template <typename Word>
void GatherWords(const std::byte* source, std::span<const int64_t> rows,
                 std::byte* out) {
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(out + i * sizeof(Word), source + rows[i] * sizeof(Word),
                sizeof(Word));
  }
}

void GatherBytes(const std::byte* source, int64_t row_bytes,
                 std::span<const int64_t> rows, std::byte* out) {
  const int64_t count = std::ssize(rows);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t ahead = std::min(i + kRowsAhead, count - 1);
    PrefetchRow(source + rows[ahead] * row_bytes, row_bytes);
    std::memcpy(out + i * row_bytes, source + rows[i] * row_bytes, row_bytes);
  }
}

void GatherStrings(const Tensor& tensor, std::span<const int64_t> rows,
                   Tensor& out) {
  const int64_t width = tensor.shape().Tail().num_elements();
  std::string* to = out.mutable_data<std::string>();
  for (const int64_t row : rows) {
    to = std::copy_n(tensor.data<std::string>() + row * width, width, to);
  }
}

}  // namespace

Tensor GatherRows(const Tensor& tensor, std::span<const int64_t> rows) {
  Tensor out =
      EmptyOnHost(tensor.shape().WithDim(0, std::ssize(rows)), tensor.dtype());
  if (tensor.dtype() == DType::kString) {
    GatherStrings(tensor, rows, out);
    return out;
  }
  const auto* source = static_cast<const std::byte*>(tensor.raw_data());
  auto* to = static_cast<std::byte*>(out.mutable_raw_data());
  const int64_t row_bytes =
      tensor.shape().Tail().num_elements() * DTypeSize(tensor.dtype());
  switch (row_bytes) {
    case 0:
      break;
    case 1:
      GatherWords<uint8_t>(source, rows, to);
      break;
    case 4:
      GatherWords<uint32_t>(source, rows, to);
      break;
    case 8:
      GatherWords<uint64_t>(source, rows, to);
      break;
    default:
      GatherBytes(source, row_bytes, rows, to);
  }
  return out;
}

namespace {

void CopyInto(Tensor& batch, int64_t row, const Tensor& value) {
  const int64_t count = value.num_elements();
  if (value.dtype() == DType::kString) {
    std::copy_n(value.data<std::string>(), count,
                batch.mutable_data<std::string>() + row * count);
  } else {
    std::memcpy(
        static_cast<std::byte*>(batch.mutable_raw_data()) + row * value.bytes(),
        value.raw_data(), value.bytes());
  }
}

Tensor StackLeaves(std::string_view operation, size_t component,
                   std::span<const Tensor* const> leaves) {
  const Tensor& first = *leaves.front();
  Tensor batch =
      EmptyOnHost(first.shape().Prepend(std::ssize(leaves)), first.dtype());
  for (size_t row = 0; row < leaves.size(); ++row) {
    if (leaves[row]->dtype() != first.dtype() ||
        leaves[row]->shape() != first.shape()) {
      throw InvalidArgument(
          "[{}] elements of one batch must match: in component {} the first "
          "is {}, element {} is {}",
          operation, component, Describe(first), row, Describe(*leaves[row]));
    }
    CopyInto(batch, row, *leaves[row]);
  }
  return batch;
}

// Appends the address of every leaf, element by element.
std::vector<const Tensor*> Leaves(std::string_view operation,
                                  std::span<const Structure> elements) {
  std::vector<const Tensor*> leaves;
  for (const Structure& element : elements) {
    if (!element.SameFormAs(elements.front())) {
      throw InvalidArgument("[{}] {} and {} cannot be in one batch", operation,
                            DescribeSpec(SpecOfElement(elements.front())),
                            DescribeSpec(SpecOfElement(element)));
    }
    element.ForEach([&](const Tensor& leaf) { leaves.push_back(&leaf); });
  }
  return leaves;
}

}  // namespace

Structure Stack(std::string_view operation,
                std::span<const Structure> elements) {
  LOCKSTEP_CHECK(!elements.empty());
  const std::vector<const Tensor*> leaves = Leaves(operation, elements);
  const size_t components = leaves.size() / elements.size();
  std::vector<const Tensor*> column(elements.size());
  size_t component = 0;
  return elements.front().Map<Tensor>([&](const Tensor&) {
    for (size_t i = 0; i < elements.size(); ++i) {
      column[i] = leaves[i * components + component];
    }
    return StackLeaves(operation, component++, column);
  });
}

}  // namespace lockstep::data_internal
