// Object headers are in the "HDF5 File Format Specification", IV.A.1.a, and the
// messages that h5py writes for plain arrays in IV.A.2.
#include "reference/file_formats/hdf5_object.h"

#include <deque>
#include <vector>

namespace lockstep::export_internal {
namespace {

enum MessageType : uint64_t {
  kDataspace = 0x01,
  kDatatype = 0x03,
  kDataLayout = 0x08,
  kFilters = 0x0b,
  kContinuation = 0x10,
  kSymbolTable = 0x11,
  kLastMessageType = 0x18,
};

struct Block {
  uint64_t begin;
  uint64_t size;
};

class ObjectReader {
 public:
  ObjectReader(const Hdf5Bytes& bytes, uint64_t address)
      : bytes_(bytes), address_(address) {}

  Hdf5Object Read() {
    if (bytes_.Integer(address_, 1, "an object header") != 1) {
      throw bytes_.Damaged(address_, "there is no object header of version 1");
    }
    const uint64_t messages = bytes_.Integer(address_ + 2, 2, "a header");
    const uint64_t size = bytes_.Integer(address_ + 8, 4, "a header");
    blocks_.push_back({address_ + kPrefix, size});
    uint64_t seen = 0;
    // Blocks that form a cycle end the loop too: each has at least one message, and
    // there are at most 65535 messages.
    while (!blocks_.empty()) {
      const Block block = blocks_.front();
      blocks_.pop_front();
      seen += ReadBlock(block, messages - seen);
    }
    if (seen != messages) {
      throw bytes_.Damaged(address_, "a header of {} messages has {}", messages,
                           seen);
    }
    return object_;
  }

 private:
  static constexpr uint64_t kPrefix = 16;  // with padding
  static constexpr uint64_t kMessagePrefix = 8;

  // Reads the messages of a block. Returns their number, at most `most`.
  uint64_t ReadBlock(const Block& block, uint64_t most) {
    bytes_.At(block.begin, block.size, "a header's messages");
    uint64_t at = block.begin, count = 0;
    const uint64_t end = block.begin + block.size;
    while (end - at >= kMessagePrefix) {
      if (count++ == most) {
        throw bytes_.Damaged(at, "a header has more messages than it says");
      }
      const uint64_t type = bytes_.Integer(at, 2, "a message");
      const uint64_t size = bytes_.Integer(at + 2, 2, "a message");
      if (size > end - at - kMessagePrefix) {
        throw bytes_.Damaged(at, "a message of {} bytes leaves its header",
                             size);
      }
      ReadMessage(type, at + kMessagePrefix, size);
      at += kMessagePrefix + size;
    }
    return count;
  }

  void ReadMessage(uint64_t type, uint64_t at, uint64_t size) {
    switch (type) {
      case kDataspace:
        return ReadDataspace(at, size);
      case kDatatype:
        return ReadDatatype(at);
      case kDataLayout:
        return ReadLayout(at);
      case kFilters:
        throw bytes_.NotSupported(at, "data are compressed");
      case kContinuation:
        blocks_.push_back({bytes_.Integer(at, 8, "a continuation"),
                           bytes_.Integer(at + 8, 8, "a continuation")});
        return;
      case kSymbolTable:
        object_.group = {bytes_.Integer(at, 8, "a group"),
                         bytes_.Integer(at + 8, 8, "a group")};
        return;
      default:  // attributes, times, fill values
        if (type > kLastMessageType) {
          throw bytes_.Damaged(at, "a message has the unknown type {}", type);
        }
    }
  }

  void ReadDataspace(uint64_t at, uint64_t size) {
    const uint64_t version = bytes_.Integer(at, 1, "a dataspace");
    const uint64_t rank = bytes_.Integer(at + 1, 1, "a dataspace");
    if (version != 1 && version != 2) {
      throw bytes_.Damaged(at, "a dataspace has the version {}", version);
    }
    const uint64_t prefix = version == 1 ? 8 : 4;
    if (size < prefix + 8 * rank) {
      throw bytes_.Damaged(at, "a dataspace of rank {} has {} bytes", rank,
                           size);
    }
    if (rank > Shape::kMaxRank) {
      throw bytes_.NotSupported(at, "data have {} axes, of {} at most", rank,
                                Shape::kMaxRank);
    }
    std::vector<int64_t> dims(rank);
    for (uint64_t axis = 0; axis < rank; ++axis) {
      const uint64_t dim =
          bytes_.Integer(at + prefix + 8 * axis, 8, "a dataspace");
      if (dim > bytes_.size()) {
        throw bytes_.Damaged(at,
                             "an axis has {} elements in a file of {} bytes",
                             dim, bytes_.size());
      }
      dims[axis] = static_cast<int64_t>(dim);
    }
    object_.shape = Shape(dims);
  }

  void ReadDatatype(uint64_t at) {
    const std::string_view type = bytes_.At(at, 8, "a datatype");
    const int version = static_cast<uint8_t>(type[0]) >> 4;
    const int kind = static_cast<uint8_t>(type[0]) & 15;
    const bool big_endian = (type[1] & 1) != 0;
    const bool has_sign = (type[1] & 8) != 0;
    const uint64_t bytes = bytes_.Integer(at + 4, 4, "a datatype");
    if (version < 1 || version > 3) {
      throw bytes_.Damaged(at, "a datatype has the version {}", version);
    }
    if (kind == 0) object_.dtype = IntegerType(bytes, has_sign);
    if (kind == 1) object_.dtype = FloatType(bytes, at + 8);
    if (!object_.dtype || big_endian) {
      throw bytes_.NotSupported(at,
                                "elements are of class {}, {} bytes, {}-endian",
                                kind, bytes, big_endian ? "big" : "little");
    }
  }

  static std::optional<DType> IntegerType(uint64_t bytes, bool has_sign) {
    if (bytes == 8 && has_sign) return DType::kInt64;
    if (bytes == 4 && has_sign) return DType::kInt32;
    if (bytes == 1 && !has_sign) return DType::kUInt8;
    return std::nullopt;
  }

  // Only IEEE 754 formats, by the size and position of the exponent.
  std::optional<DType> FloatType(uint64_t bytes, uint64_t properties) const {
    const uint64_t precision = bytes_.Integer(properties + 2, 2, "a datatype");
    const uint64_t place = bytes_.Integer(properties + 4, 1, "a datatype");
    const uint64_t size = bytes_.Integer(properties + 5, 1, "a datatype");
    if (precision != 8 * bytes || place + size + 1 != precision) {
      return std::nullopt;
    }
    if (bytes == 8 && size == 11) return DType::kFloat64;
    if (bytes == 4 && size == 8) return DType::kFloat32;
    if (bytes == 2 && size == 5) return DType::kFloat16;
    if (bytes == 2 && size == 8) return DType::kBFloat16;
    return std::nullopt;
  }

  void ReadLayout(uint64_t at) {
    const uint64_t version = bytes_.Integer(at, 1, "a data layout");
    const uint64_t kind = bytes_.Integer(at + 1, 1, "a data layout");
    if (version != 3 || kind != 1) {
      throw bytes_.NotSupported(
          at, "data lie by layout {} of version {}, not in one piece", kind,
          version);
    }
    object_.data = bytes_.Integer(at + 2, 8, "a data layout");
    object_.data_bytes = bytes_.Integer(at + 10, 8, "a data layout");
  }

  const Hdf5Bytes& bytes_;
  const uint64_t address_;
  std::deque<Block> blocks_;
  Hdf5Object object_;
};

}  // namespace

Hdf5Object ReadHdf5Object(const Hdf5Bytes& bytes, uint64_t address) {
  return ObjectReader(bytes, address).Read();
}

}  // namespace lockstep::export_internal
