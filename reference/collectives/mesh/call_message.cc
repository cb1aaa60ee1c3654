#include "reference/collectives/mesh/call_message.h"

#include <cstring>

namespace lockstep::collectives_internal {
namespace {

template <typename T>
void Append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Errors: DataLoss if the text is too short.
template <typename T>
T Take(std::string_view& text) {
  if (text.size() < sizeof(T)) {
    throw DataLoss("[Collective] a description of tensors is truncated");
  }
  T value;
  std::memcpy(&value, text.data(), sizeof(T));
  text.remove_prefix(sizeof(T));
  return value;
}

// FNV-1a: the same on every rank, whatever its standard library.
uint64_t Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

DType TakeDType(std::string_view& text) {
  const auto number = Take<uint8_t>(text);
  if (number > static_cast<uint8_t>(DType::kString)) {
    throw DataLoss("[Collective] unknown element type {}", number);
  }
  return static_cast<DType>(number);
}

Shape TakeShape(std::string_view& text) {
  const auto rank = Take<uint8_t>(text);
  if (rank > Shape::kMaxRank) {
    throw DataLoss("[Collective] invalid tensor rank {}", rank);
  }
  std::vector<int64_t> dims;
  int64_t elements = 1;
  for (int axis = 0; axis < rank; ++axis) {
    dims.push_back(Take<int64_t>(text));
    if (dims.back() < 0 ||
        __builtin_mul_overflow(elements, dims.back(), &elements) ||
        elements > INT64_MAX / 64) {
      throw DataLoss("[Collective] invalid dimension {}", dims.back());
    }
  }
  return Shape(std::span<const int64_t>(dims));
}

}  // namespace

AlignedBytes AllocateAligned(size_t bytes) {
  return AlignedBytes(new (std::align_val_t{kAlignment}) std::byte[bytes],
                      FreeAligned());
}

const char* OperationName(Operation operation) {
  switch (operation) {
    case Operation::kAllReduce:
      return "AllReduce";
    case Operation::kReduceScatter:
      return "ReduceScatter";
    case Operation::kAllGather:
      return "AllGather";
    case Operation::kBroadcast:
      return "Broadcast";
    case Operation::kBarrier:
      return "Barrier";
    case Operation::kGpuAllReduce:
      return "AllReduce of GPUs";
    case Operation::kLeave:
      return "Leave";
  }
  return "an operation that is none";
}

std::string DescribeSpecs(const std::vector<SentSpec>& specs) {
  std::string text;
  for (const auto& [spec, string_bytes] : specs) {
    Append(text, static_cast<uint8_t>(spec.dtype));
    Append(text, static_cast<uint8_t>(spec.shape.rank()));
    for (const int64_t dim : spec.shape.dims()) Append(text, dim);
    if (spec.dtype == DType::kString) Append(text, string_bytes);
  }
  return text;
}

std::vector<SentSpec> ReadSpecs(std::string_view text) {
  std::vector<SentSpec> specs;
  while (!text.empty()) {
    SentSpec read;
    read.spec.dtype = TakeDType(text);
    read.spec.shape = TakeShape(text);
    if (read.spec.dtype == DType::kString) {
      read.string_bytes = Take<int64_t>(text);
      if (read.string_bytes < 0) {
        throw DataLoss("[Collective] invalid size of strings: {} bytes",
                       read.string_bytes);
      }
    }
    specs.push_back(read);
  }
  return specs;
}

CallMessage::CallMessage() : memory_(AllocateAligned(kMessageBytes)) {
  std::memset(memory_.get(), 0, kMessageBytes);
}

void CallMessage::Write(CallHeader header, std::string_view description) {
  const size_t described = RoundUp(description.size());
  header.description_bytes = description.size();
  header.description_hash = Hash(description);
  header.description_inside = kHeaderBytes + described <= kMessageBytes;
  bytes_ = kHeaderBytes + (header.description_inside ? described : 0);
  header.payload_inside = header.description_inside &&
                          header.payload_bytes <= kMessageBytes - bytes_;
  if (header.payload_inside) bytes_ += header.payload_bytes;
  std::memcpy(data(), &header, sizeof(header));
  if (header.description_inside && !description.empty()) {
    std::memcpy(data() + kHeaderBytes, description.data(), description.size());
  }
}

std::byte* CallMessage::payload() {
  const CallHeader written = header();
  if (!written.payload_inside) return nullptr;
  return data() + kHeaderBytes + RoundUp(written.description_bytes);
}

CallHeader CallMessage::header() const {
  CallHeader header;
  std::memcpy(&header, memory_.get(), sizeof(header));
  size_t room = kMessageBytes - kHeaderBytes;
  bool fits = header.operation <= Operation::kLeave &&
              header.failed <= static_cast<uint32_t>(Code::kInternal) + 1 &&
              (header.description_inside || !header.payload_inside);
  if (header.description_inside) {
    fits = fits && header.description_bytes <= room;
    if (fits) room -= RoundUp(header.description_bytes);
  }
  if (header.payload_inside) fits = fits && header.payload_bytes <= room;
  if (!fits) throw DataLoss("[Collective] a message header is inconsistent");
  return header;
}

std::string_view CallMessage::description() const {
  return {reinterpret_cast<const char*>(memory_.get()) + kHeaderBytes,
          header().description_bytes};
}

}  // namespace lockstep::collectives_internal
