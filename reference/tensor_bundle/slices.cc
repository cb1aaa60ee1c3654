#include "reference/tensor_bundle/slices.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lockstep::tensor_bundle_internal {
namespace {

constexpr int kBitsOfByte = 8;

// A number from 0 on: the count of its bytes, then these, highest first.
void AppendUnsigned(uint64_t number, std::string& text) {
  const int bytes = (std::bit_width(number) + kBitsOfByte - 1) / kBitsOfByte;
  text.push_back(static_cast<char>(bytes));
  for (int i = bytes; i-- > 0;) {
    text.push_back(static_cast<char>(number >> (kBitsOfByte * i)));
  }
}

// 0 and 255 are escaped, and a 0 with a 1 after it is the end.
void AppendText(const std::string& value, std::string& text) {
  for (const char byte : value) {
    text.push_back(byte);
    if (byte == '\0') text.push_back('\xff');
    if (byte == '\xff') text.push_back('\0');
  }
  text.append("\0\1", 2);
}

// A number in the fewest bytes that have a bit each for their count, and one for
// the sign; as many leading bits as there are bytes are inverted.
void AppendSigned(int64_t number, std::string& text) {
  const auto magnitude = static_cast<uint64_t>(number < 0 ? ~number : number);
  const int bytes = std::bit_width(magnitude) / (kBitsOfByte - 1) + 1;
  std::string digits;
  for (int i = bytes; i-- > 0;) {
    const int shift = std::min(kBitsOfByte * i, 63);
    digits.push_back(static_cast<char>(number >> shift));
  }
  for (int bit = 0; bit < bytes; ++bit) {
    digits[bit / kBitsOfByte] ^= static_cast<char>(0x80 >> (bit % kBitsOfByte));
  }
  text += digits;
}

// The rows of a slice of whole rows; nullopt for another one.
std::optional<RowsInSlice> RowsOf(
    const Shape& shape, const tensor_bundle::TensorSliceProto& slice) {
  if (slice.extent_size() != shape.rank() || shape.rank() == 0) {
    return std::nullopt;
  }
  for (int axis = 1; axis < shape.rank(); ++axis) {
    const auto& extent = slice.extent(axis);
    if (!extent.has_length()) continue;
    if (extent.start() != 0 || extent.length() != shape[axis]) {
      return std::nullopt;
    }
  }
  const auto& rows = slice.extent(0);
  const int64_t count = rows.has_length() ? rows.length() : shape[0];
  if (rows.start() < 0 || count < 0 || rows.start() > shape[0] ||
      count > shape[0] - rows.start()) {
    return std::nullopt;
  }
  return RowsInSlice{.key = {}, .begin = rows.start(), .count = count};
}

}  // namespace

std::string SliceKey(const std::string& key,
                     const tensor_bundle::TensorSliceProto& slice) {
  std::string text;
  AppendUnsigned(0, text);
  AppendText(key, text);
  AppendUnsigned(static_cast<uint64_t>(slice.extent_size()), text);
  for (const auto& extent : slice.extent()) {
    AppendSigned(extent.start(), text);
    AppendSigned(extent.has_length() ? extent.length() : -1, text);
  }
  return text;
}

bool IsSliceKey(const std::string& key) { return key.starts_with('\0'); }

std::optional<std::vector<RowsInSlice>> FindRows(
    const std::string& key, const Shape& shape,
    const tensor_bundle::BundleEntryProto& entry) {
  std::vector<RowsInSlice> parts;
  for (const auto& slice : entry.slices()) {
    std::optional<RowsInSlice> part = RowsOf(shape, slice);
    if (!part) return std::nullopt;
    part->key = SliceKey(key, slice);
    parts.push_back(*std::move(part));
  }
  std::ranges::sort(parts, {}, &RowsInSlice::begin);
  int64_t next = 0;
  for (const RowsInSlice& part : parts) {
    if (part.begin != next) return std::nullopt;
    next += part.count;
  }
  if (next != shape[0]) return std::nullopt;
  return parts;
}

}  // namespace lockstep::tensor_bundle_internal
