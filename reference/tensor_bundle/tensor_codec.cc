#include "reference/tensor_bundle/tensor_codec.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::tensor_bundle_internal {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

struct TypePair {
  DType dtype;
  tensor_bundle::DataType type;
};

constexpr std::array kTypes = {
    TypePair{DType::kFloat32, tensor_bundle::DT_FLOAT},
    TypePair{DType::kFloat64, tensor_bundle::DT_DOUBLE},
    TypePair{DType::kBFloat16, tensor_bundle::DT_BFLOAT16},
    TypePair{DType::kFloat16, tensor_bundle::DT_HALF},
    TypePair{DType::kInt32, tensor_bundle::DT_INT32},
    TypePair{DType::kInt64, tensor_bundle::DT_INT64},
    TypePair{DType::kUInt8, tensor_bundle::DT_UINT8},
    TypePair{DType::kBool, tensor_bundle::DT_BOOL},
    TypePair{DType::kString, tensor_bundle::DT_STRING},
};

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

uint32_t ExtendByLength(uint32_t crc, uint64_t length) {
  if (length > std::numeric_limits<uint32_t>::max()) {
    return ExtendCrc32c(crc, BytesOf(length));
  }
  return ExtendCrc32c(crc, BytesOf(static_cast<uint32_t>(length)));
}

uint32_t EncodeStrings(const Tensor& tensor,
                       const std::function<void(std::string_view)>& append) {
  std::string lengths;
  uint32_t crc = 0;
  for (const std::string& text : tensor.span<std::string>()) {
    std::array<uint8_t, 10> varint;
    const uint8_t* end =
        CodedOutputStream::WriteVarint64ToArray(text.size(), varint.data());
    lengths.append(reinterpret_cast<const char*>(varint.data()),
                   static_cast<size_t>(end - varint.data()));
    crc = ExtendByLength(crc, text.size());
  }
  const uint32_t masked = MaskCrc32c(crc);
  lengths.append(BytesOf(masked));
  crc = ExtendCrc32c(crc, BytesOf(masked));
  append(lengths);
  for (const std::string& text : tensor.span<std::string>()) {
    append(text);
    crc = ExtendCrc32c(crc, text);
  }
  return crc;
}

void CheckCrc(const char* what, uint32_t crc, uint32_t masked_crc,
              const std::string& place) {
  if (MaskCrc32c(crc) == masked_crc) return;
  throw DataLoss(
      "[TensorBundle] {}: masked checksum {} is {:#010x}, wanted {:#x}", place,
      what, MaskCrc32c(crc), masked_crc);
}

struct StringLengths {
  std::vector<uint64_t> each;
  uint64_t total = 0;
  uint32_t crc = 0;
  size_t stored_bytes = 0;
};

StringLengths DecodeLengths(const std::string& bytes, int64_t count,
                            const std::string& place) {
  CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                         static_cast<int>(bytes.size()));
  StringLengths lengths;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t length = 0;
    if (!input.ReadVarint64(&length) || length > bytes.size()) {
      throw DataLoss(
          "[TensorBundle] {}: length of string {} of {} is not in its {} bytes",
          place, i, count, bytes.size());
    }
    lengths.each.push_back(length);
    lengths.total += length;
    lengths.crc = ExtendByLength(lengths.crc, length);
  }
  lengths.stored_bytes = static_cast<size_t>(input.CurrentPosition());
  return lengths;
}

Tensor DecodeStrings(const std::string& bytes, const Shape& shape,
                     uint32_t masked_crc, const std::string& place) {
  if (bytes.size() > std::numeric_limits<int>::max()) {
    throw Unimplemented("[TensorBundle] {}: {} bytes of strings, at most 2 GiB",
                        place, bytes.size());
  }
  const StringLengths lengths =
      DecodeLengths(bytes, shape.num_elements(), place);
  uint32_t stored = 0;
  const size_t begin = lengths.stored_bytes + sizeof(stored);
  if (begin + lengths.total != bytes.size()) {
    throw DataLoss("[TensorBundle] {}: {} bytes, wanted {} for its strings",
                   place, bytes.size(), begin + lengths.total);
  }
  std::memcpy(&stored, bytes.data() + lengths.stored_bytes, sizeof(stored));
  CheckCrc("of the lengths", lengths.crc, stored, place);
  const std::string_view rest(bytes.data() + lengths.stored_bytes,
                              bytes.size() - lengths.stored_bytes);
  CheckCrc("of the strings", ExtendCrc32c(lengths.crc, rest), masked_crc,
           place);
  Tensor tensor = EmptyOnHost(shape, DType::kString);
  size_t next = begin;
  for (size_t i = 0; i < lengths.each.size(); ++i) {
    tensor.mutable_data<std::string>()[i] = bytes.substr(next, lengths.each[i]);
    next += lengths.each[i];
  }
  return tensor;
}

// In C++, a bool with a byte other than 0 and 1 is undefined behaviour.
void CheckBools(std::string_view bytes, const std::string& place) {
  const auto wrong =
      std::ranges::find_if(bytes, [](char c) { return c != 0 && c != 1; });
  if (wrong == bytes.end()) return;
  throw DataLoss("[TensorBundle] {}: a bool is {}, wanted 0 or 1", place,
                 static_cast<int>(static_cast<unsigned char>(*wrong)));
}

}  // namespace

tensor_bundle::DataType DataTypeOf(DType dtype) {
  return std::ranges::find(kTypes, dtype, &TypePair::dtype)->type;
}

std::optional<DType> DTypeOf(tensor_bundle::DataType type) {
  const auto known = std::ranges::find(kTypes, type, &TypePair::type);
  if (known == kTypes.end()) return std::nullopt;
  return known->dtype;
}

uint32_t EncodeTensor(const Tensor& tensor,
                      const std::function<void(std::string_view)>& append) {
  if (tensor.dtype() == DType::kString) return EncodeStrings(tensor, append);
  const Tensor host = tensor.ToHost();
  const std::string_view bytes(static_cast<const char*>(host.raw_data()),
                               host.bytes());
  append(bytes);
  return Crc32c(bytes);
}

Tensor DecodeTensor(const StoredBytes& stored, const Shape& shape, DType dtype,
                    uint32_t masked_crc, const std::string& place) {
  if (dtype == DType::kString) {
    std::string bytes(stored.size, '\0');
    stored.read(bytes.data());
    return DecodeStrings(bytes, shape, masked_crc, place);
  }
  // Read without a copy: a checkpoint may be nearly as large as memory.
  Tensor tensor = Tensor::Empty(shape, dtype, Device::Host());
  LOCKSTEP_CHECK(tensor.bytes() == stored.size);
  if (stored.size > 0)
    stored.read(static_cast<char*>(tensor.mutable_raw_data()));
  const std::string_view bytes(static_cast<const char*>(tensor.raw_data()),
                               stored.size);
  CheckCrc("of the bytes", Crc32c(bytes), masked_crc, place);
  if (dtype == DType::kBool) CheckBools(bytes, place);
  return tensor;
}

}  // namespace lockstep::tensor_bundle_internal
