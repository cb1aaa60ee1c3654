#include "reference/tensor_bundle/tensor_codec.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace lockstep::tensor_bundle_internal {
namespace {

// The polynomial 0x1edc6f41 with its bits reversed.
constexpr uint32_t kPolynomial = 0x82f63b78u;
constexpr int kTables = 8;

using Tables = std::array<std::array<uint32_t, 256>, kTables>;

// tables[k][b]: the checksum's change by byte b with k zero bytes behind it.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) ? kPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (int k = 1; k < kTables; ++k) {
    for (int byte = 0; byte < 256; ++byte) {
      const uint32_t shorter = tables[k - 1][byte];
      tables[k][byte] = (shorter >> 8) ^ tables[0][shorter & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTable = MakeTables();

static_assert(std::endian::native == std::endian::little,
              "the checksum reads eight bytes as one number");

uint64_t LoadEight(const char* data) {
  uint64_t value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ExtendByInstruction(
    uint32_t crc, std::string_view bytes) {
  uint64_t state = ~crc;
  const char* data = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; data += 8, left -= 8) {
    state = _mm_crc32_u64(state, LoadEight(data));
  }
  uint32_t tail = static_cast<uint32_t>(state);
  for (; left > 0; ++data, --left) {
    tail = _mm_crc32_u8(tail, static_cast<unsigned char>(*data));
  }
  return ~tail;
}
#endif

}  // namespace

uint32_t ExtendCrc32cByTable(uint32_t crc, std::string_view bytes) {
  uint32_t state = ~crc;
  const char* data = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; data += 8, left -= 8) {
    // Slicing by eight: Kounavis and Berry, "Novel table lookup-based
    // algorithms for high-performance CRC generation", 2008.
    const uint64_t eight = LoadEight(data) ^ state;
    state = 0;
    for (int k = 0; k < kTables; ++k) {
      state ^= kTable[kTables - 1 - k][(eight >> (8 * k)) & 0xff];
    }
  }
  for (; left > 0; ++data, --left) {
    state = (state >> 8) ^
            kTable[0][(state ^ static_cast<unsigned char>(*data)) & 0xff];
  }
  return ~state;
}

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ExtendByInstruction(crc, bytes);
#endif
  return ExtendCrc32cByTable(crc, bytes);
}

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
          "[TensorBundle] {}: no length of string {} of {} in {} bytes", place,
          i, count, bytes.size());
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

// Other bytes than 0 and 1 are no bool to C++.
void CheckBools(const std::string& bytes, const std::string& place) {
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

Tensor DecodeTensor(const std::string& bytes, const Shape& shape, DType dtype,
                    uint32_t masked_crc, const std::string& place) {
  if (dtype == DType::kString) {
    return DecodeStrings(bytes, shape, masked_crc, place);
  }
  CheckCrc("of the bytes", Crc32c(bytes), masked_crc, place);
  if (dtype == DType::kBool) CheckBools(bytes, place);
  Tensor tensor = Tensor::Empty(shape, dtype, Device::Host());
  if (!bytes.empty()) {
    std::memcpy(tensor.mutable_raw_data(), bytes.data(), bytes.size());
  }
  return tensor;
}

}  // namespace lockstep::tensor_bundle_internal
