#include "reference/data/gather_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

constexpr int64_t kCacheLine = 64;

// Rows lie anywhere in memory: the first lines of a row are asked for while
// the rows before it are copied (the hardware follows the rest of a row).
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

}  // namespace lockstep::data_internal
