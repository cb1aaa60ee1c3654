#include "image_datasets/idx.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "dataset_files/byte_source.h"
#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

class IdxParser {
 public:
  IdxParser(std::string_view bytes, const std::string& origin, Sha256* hash)
      : source_(OpenBytes(bytes, origin)), origin_(origin), hash_(hash) {}

  Tensor Parse() {
    uint8_t magic[4];
    Read(magic, sizeof(magic), "the magic number");
    if (magic[0] != 0 || magic[1] != 0) {
      throw DataLoss(
          "[ReadIdx] {}: at offset 0: the magic number begins with {:02x} "
          "{:02x}, wanted 00 00",
          origin_, magic[0], magic[1]);
    }
    const DType dtype = ParseType(magic[2]);
    const Shape shape = ReadShape(magic[3], dtype);
    Tensor tensor = EmptyOnHost(shape, dtype);
    Read(tensor.mutable_raw_data(), tensor.bytes(), "the elements");
    ExpectEnd();
    SwapBytes(tensor);
    return tensor;
  }

 private:
  DType ParseType(uint8_t code) const {
    switch (code) {
      case 0x08:
        return DType::kUInt8;
      case 0x0C:
        return DType::kInt32;
      case 0x0D:
        return DType::kFloat32;
      case 0x0E:
        return DType::kFloat64;
      case 0x09:
      case 0x0B:
        throw Unimplemented(
            "[ReadIdx] {}: at offset 2: elements are {}, which no tensor holds",
            origin_, code == 0x09 ? "int8" : "int16");
      default:
        throw DataLoss(
            "[ReadIdx] {}: at offset 2: there is no element type {:#04x}",
            origin_, code);
    }
  }

  Shape ReadShape(int rank, DType dtype) {
    if (rank < 1 || rank > Shape::kMaxRank) {
      throw DataLoss("[ReadIdx] {}: at offset 3: {} dimensions, wanted 1 to {}",
                     origin_, rank, Shape::kMaxRank);
    }
    std::vector<uint8_t> bytes(4 * rank);
    Read(bytes.data(), std::ssize(bytes), "the dimensions");
    std::vector<int64_t> dims;
    for (int i = 0; i < rank; ++i) {
      const uint8_t* dim = bytes.data() + 4 * i;
      dims.push_back(int64_t{dim[0]} << 24 | dim[1] << 16 | dim[2] << 8 |
                     dim[3]);
    }
    CheckClaim(dims, DTypeSize(dtype));
    return Shape(dims);
  }

  // Checks before allocating that the input can be as large as the header
  // claims.
  void CheckClaim(const std::vector<int64_t>& dims, int64_t element_bytes) {
    // A dimension of 0 must not hide that the others are too large; no element
    // is larger than 16 bytes.
    int64_t claimed = 1;
    bool overflow = false;
    for (const int64_t dim : dims) {
      if (dim == 0) continue;
      overflow = overflow || claimed > INT64_MAX / 16 / dim;
      claimed = overflow ? 0 : claimed * dim;
    }
    claimed = std::ranges::count(dims, 0) > 0 ? 0 : claimed * element_bytes;
    if (overflow || claimed > source_->UpperBound()) {
      throw DataLoss(
          "[ReadIdx] {}: at offset 4: the header claims dimensions {}, but at "
          "most {} bytes can follow at offset {}",
          origin_, ToString(Shape(dims)), source_->UpperBound(), offset_);
    }
  }

  void Read(void* out, int64_t count, std::string_view what) {
    const int64_t read = source_->Read(out, count);
    if (hash_ != nullptr) {
      hash_->Update({static_cast<const char*>(out), static_cast<size_t>(read)});
    }
    offset_ += read;
    if (read < count) {
      throw DataLoss(
          "[ReadIdx] {}: truncated at offset {}: {} want {} bytes more",
          origin_, offset_, what, count - read);
    }
  }

  void ExpectEnd() {
    char surplus = 0;
    if (source_->Read(&surplus, 1) != 0) {
      throw DataLoss("[ReadIdx] {}: there are bytes after the end at offset {}",
                     origin_, offset_);
    }
  }

  // IDX is big-endian.
  static void SwapBytes(Tensor& tensor) {
    const size_t size = DTypeSize(tensor.dtype());
    if (size == 1 || std::endian::native == std::endian::big) return;
    auto* bytes = static_cast<uint8_t*>(tensor.mutable_raw_data());
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      std::reverse(bytes + i * size, bytes + (i + 1) * size);
    }
  }

  std::unique_ptr<ByteSource> source_;
  const std::string& origin_;
  Sha256* hash_;
  int64_t offset_ = 0;
};

}  // namespace

Tensor ParseIdx(std::string_view bytes, const std::string& origin,
                Sha256* content_hash) {
  return IdxParser(bytes, origin, content_hash).Parse();
}

Tensor ReadIdxFile(const std::string& path, Sha256* content_hash) {
  return ParseIdx(ReadFileBytes(path), path, content_hash);
}

}  // namespace lockstep
