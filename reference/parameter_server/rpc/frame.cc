#include "reference/parameter_server/rpc/frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::rpc {
namespace {

static_assert(std::endian::native == std::endian::little);

// Smaller tensors are copied behind the frame: a slice of its own costs more.
constexpr size_t kLeastSlice = 16 << 10;
constexpr size_t kSizeBytes = 4;

// Bytes that share the tensor's memory.
grpc::Slice ShareMemory(const Tensor& tensor) {
  auto* keep = new Tensor(tensor);
  return grpc::Slice(
      const_cast<void*>(keep->raw_data()), keep->bytes(),
      [](void* kept) { delete static_cast<Tensor*>(kept); }, keep);
}

TensorHead HeadOf(const Tensor& tensor) {
  TensorHead head;
  if (!tensor.defined()) return head;
  head.set_dtype(std::string(DTypeName(tensor.dtype())));
  for (const int64_t dim : tensor.shape().dims()) head.add_dims(dim);
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.span<std::string>()) {
      head.add_strings(text);
    }
  }
  return head;
}

bool HasBytes(const Tensor& tensor) {
  return tensor.defined() && tensor.dtype() != DType::kString &&
         tensor.bytes() > 0;
}

// Reads bytes that are in several slices.
class Cursor {
 public:
  explicit Cursor(const grpc::ByteBuffer& bytes) {
    if (!bytes.Dump(&slices_).ok()) {
      throw InvalidArgument("[DecodeFrame] the bytes cannot be read");
    }
    for (const grpc::Slice& slice : slices_) left_ += slice.size();
  }

  size_t left() const { return left_; }

  // REQUIRES: size <= left().
  void Read(void* to, size_t size) {
    auto* next = static_cast<char*>(to);
    left_ -= size;
    while (size > 0) {
      const size_t part = std::min(size, slices_[slice_].size() - offset_);
      if (part > 0) std::memcpy(next, slices_[slice_].begin() + offset_, part);
      next += part;
      size -= part;
      offset_ += part;
      if (offset_ == slices_[slice_].size()) {
        ++slice_;
        offset_ = 0;
      }
    }
  }

 private:
  std::vector<grpc::Slice> slices_;
  size_t slice_ = 0;
  size_t offset_ = 0;
  size_t left_ = 0;
};

Frame ReadFrame(Cursor& cursor) {
  std::array<unsigned char, kSizeBytes> digits;
  if (cursor.left() < kSizeBytes) {
    throw InvalidArgument("[DecodeFrame] {} bytes are not a frame",
                          cursor.left());
  }
  cursor.Read(digits.data(), kSizeBytes);
  const auto size = std::bit_cast<uint32_t>(digits);
  if (size > cursor.left()) {
    throw InvalidArgument("[DecodeFrame] a frame has {} bytes, got {}", size,
                          cursor.left());
  }
  std::string text(size, '\0');
  cursor.Read(text.data(), size);
  Frame frame;
  if (!frame.ParseFromString(text)) {
    throw InvalidArgument("[DecodeFrame] the bytes are not a frame");
  }
  return frame;
}

// Far above any memory, and no product of it overflows.
constexpr int64_t kMostElements = int64_t{1} << 56;

// Errors: InvalidArgument for more than `most` elements.
int64_t CountElements(const Shape& shape, int64_t most) {
  const bool empty = std::ranges::count(shape.dims(), 0) > 0;
  if (empty) most = kMostElements;
  int64_t count = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim == 0) continue;
    if (dim > most / count) {
      throw InvalidArgument(
          "[DecodeFrame] a tensor {} has more than the {} elements that follow",
          ToString(shape), most);
    }
    count *= dim;
  }
  return empty ? 0 : count;
}

Tensor ReadStrings(const TensorHead& head, const Shape& shape) {
  const int got = head.strings_size();
  if (CountElements(shape, std::max(got, 1)) != got) {
    throw InvalidArgument("[DecodeFrame] a tensor {} has {} strings",
                          ToString(shape), got);
  }
  Tensor tensor = EmptyOnHost(shape, DType::kString);
  std::ranges::copy(head.strings(), tensor.mutable_data<std::string>());
  return tensor;
}

void CheckBools(const Tensor& tensor) {
  const auto* bytes = static_cast<const uint8_t*>(tensor.raw_data());
  const std::span<const uint8_t> all(bytes, tensor.bytes());
  if (std::ranges::all_of(all, [](uint8_t byte) { return byte <= 1; })) return;
  throw InvalidArgument("[DecodeFrame] a bool must be 0 or 1");
}

Tensor ReadTensor(const TensorHead& head, Cursor& cursor) {
  if (head.dtype().empty()) return Tensor();
  const DType dtype = ParseDType(head.dtype());
  const Shape shape(std::span<const int64_t>(
      head.dims().data(), static_cast<size_t>(head.dims_size())));
  if (!shape.fully_defined()) {
    throw InvalidArgument("[DecodeFrame] a dimension must not be negative: {}",
                          ToString(shape));
  }
  if (dtype == DType::kString) return ReadStrings(head, shape);
  const size_t follow = cursor.left() / DTypeSize(dtype);
  const int64_t count =
      CountElements(shape, static_cast<int64_t>(std::max<size_t>(follow, 1)));
  if (static_cast<size_t>(count) > follow) {
    throw InvalidArgument("[DecodeFrame] a tensor {} is cut off",
                          ToString(shape));
  }
  Tensor tensor = EmptyOnHost(shape, dtype);
  if (count > 0) cursor.Read(tensor.mutable_raw_data(), tensor.bytes());
  if (dtype == DType::kBool) CheckBools(tensor);
  return tensor;
}

}  // namespace

grpc::ByteBuffer EncodeFrame(Frame frame, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> on_host;
  on_host.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    on_host.push_back(tensor.defined() ? tensor.ToHost() : tensor);
    *frame.add_tensors() = HeadOf(on_host.back());
  }
  std::string text(kSizeBytes, '\0');
  frame.AppendToString(&text);
  const auto size = static_cast<uint32_t>(text.size() - kSizeBytes);
  std::memcpy(text.data(), &size, kSizeBytes);
  std::vector<grpc::Slice> slices;
  for (const Tensor& tensor : on_host) {
    if (!HasBytes(tensor)) continue;
    if (tensor.bytes() < kLeastSlice) {
      text.append(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
      continue;
    }
    if (!text.empty()) slices.emplace_back(text);
    text.clear();
    slices.push_back(ShareMemory(tensor));
  }
  if (!text.empty()) slices.emplace_back(text);
  return {slices.data(), slices.size()};
}

DecodedFrame DecodeFrame(const grpc::ByteBuffer& bytes) {
  Cursor cursor(bytes);
  DecodedFrame decoded{.frame = ReadFrame(cursor), .tensors = {}};
  for (const TensorHead& head : decoded.frame.tensors()) {
    decoded.tensors.push_back(ReadTensor(head, cursor));
  }
  if (cursor.left() == 0) return decoded;
  throw InvalidArgument("[DecodeFrame] {} bytes follow the tensors",
                        cursor.left());
}

}  // namespace lockstep::rpc
