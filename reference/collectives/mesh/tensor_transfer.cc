#include "reference/collectives/mesh/tensor_transfer.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::collectives_internal {
namespace {

class NoTransfer final : public Transfer {
 public:
  void Wait(Deadline) override {}
  bool WaitUpTo(std::chrono::milliseconds) override { return true; }
};

// A transfer of packed memory, which is unpacked once it has been received.
class PackedTransfer final : public Transfer {
 public:
  PackedTransfer(AlignedBytes packed, std::unique_ptr<Transfer> transfer,
                 std::vector<PackedPiece> unpack = {})
      : packed_(std::move(packed)),
        transfer_(std::move(transfer)),
        unpack_(std::move(unpack)) {}

  void Wait(Deadline deadline) override {
    transfer_->Wait(deadline);
    for (const PackedPiece& piece : unpack_) {
      std::memcpy(piece.data, packed_.get() + piece.offset, piece.bytes);
    }
  }
  bool WaitUpTo(std::chrono::milliseconds limit) override {
    return transfer_->WaitUpTo(limit);
  }

 private:
  const AlignedBytes packed_;
  const std::unique_ptr<Transfer> transfer_;
  const std::vector<PackedPiece> unpack_;
};

size_t PackedBytes(const std::vector<PackedPiece>& pieces) {
  return pieces.back().offset + pieces.back().bytes;
}

// The tensor's memory, which the result keeps alive.
std::shared_ptr<std::byte> MemoryOf(const TensorList& tensors,
                                    const PackedPiece& piece) {
  return {std::make_shared<Tensor>(tensors[piece.tensor]), piece.data};
}

std::shared_ptr<std::byte> MemoryOf(const AlignedBytes& bytes) {
  return {bytes, bytes.get()};
}

void Pack(const std::vector<PackedPiece>& pieces, std::byte* packed) {
  for (const PackedPiece& piece : pieces) {
    std::memcpy(packed + piece.offset, piece.data, piece.bytes);
  }
}

}  // namespace

std::vector<PackedPiece> PackedPieces(const TensorList& tensors,
                                      const PieceList& pieces, Units units) {
  std::vector<PackedPiece> packed;
  size_t offset = 0;
  pieces.ForEach(
      units.begin, units.end, [&](size_t tensor, int64_t first, int64_t count) {
        const Tensor& t = tensors[tensor];
        const size_t size = DTypeSize(t.dtype());
        auto* data = static_cast<std::byte*>(const_cast<void*>(t.raw_data()));
        packed.push_back({.tensor = tensor,
                          .data = data + first * size,
                          .bytes = count * size,
                          .offset = offset});
        offset += RoundUp(count * size);
      });
  return packed;
}

void PackUnits(const TensorList& tensors, const PieceList& pieces, Units units,
               std::byte* packed) {
  Pack(PackedPieces(tensors, pieces, units), packed);
}

void UnpackUnits(const std::byte* packed, const PieceList& pieces, Units units,
                 TensorList& tensors) {
  for (const PackedPiece& piece : PackedPieces(tensors, pieces, units)) {
    std::memcpy(piece.data, packed + piece.offset, piece.bytes);
  }
}

std::unique_ptr<Transfer> SendUnits(Mesh& mesh, Peer to,
                                    const TensorList& tensors,
                                    const PieceList& pieces, Units units) {
  const auto parts = PackedPieces(tensors, pieces, units);
  if (parts.empty()) return std::make_unique<NoTransfer>();
  if (parts.size() == 1) {
    return mesh.Send(to.rank, to.channel, MemoryOf(tensors, parts[0]),
                     parts[0].bytes);
  }
  AlignedBytes packed = AllocateAligned(PackedBytes(parts));
  Pack(parts, packed.get());
  auto sent =
      mesh.Send(to.rank, to.channel, MemoryOf(packed), PackedBytes(parts));
  return std::make_unique<PackedTransfer>(std::move(packed), std::move(sent));
}

std::unique_ptr<Transfer> ReceiveUnits(Mesh& mesh, Peer from,
                                       TensorList& tensors,
                                       const PieceList& pieces, Units units) {
  auto parts = PackedPieces(tensors, pieces, units);
  if (parts.empty()) return std::make_unique<NoTransfer>();
  if (parts.size() == 1) {
    return mesh.Receive(from.rank, from.channel, MemoryOf(tensors, parts[0]),
                        parts[0].bytes);
  }
  AlignedBytes packed = AllocateAligned(PackedBytes(parts));
  auto received = mesh.Receive(from.rank, from.channel, MemoryOf(packed),
                               PackedBytes(parts));
  return std::make_unique<PackedTransfer>(
      std::move(packed), std::move(received), std::move(parts));
}

std::unique_ptr<Transfer> ReceivePacked(Mesh& mesh, Peer from,
                                        const TensorList& like,
                                        const PieceList& pieces, Units units,
                                        const AlignedBytes& packed) {
  const auto parts = PackedPieces(like, pieces, units);
  if (parts.empty()) return std::make_unique<NoTransfer>();
  return mesh.Receive(from.rank, from.channel, MemoryOf(packed),
                      PackedBytes(parts));
}

namespace {

// Larger messages would only wait longer to be packed.
constexpr int64_t kMostUnits = (4 << 20) / PieceList::kUnitBytes;

template <typename Body>
void ForEachMessage(const PieceList& pieces, const Body& body) {
  for (int64_t begin = 0; begin < pieces.units(); begin += kMostUnits) {
    body(Units{begin, std::min(begin + kMostUnits, pieces.units())});
  }
}

}  // namespace

void SendList(Mesh& mesh, Peer to, const TensorList& tensors,
              Transfers& transfers) {
  const PieceList pieces(tensors);
  ForEachMessage(pieces, [&](Units units) {
    transfers.push_back(SendUnits(mesh, to, tensors, pieces, units));
  });
}

void ReceiveList(Mesh& mesh, Peer from, TensorList& tensors,
                 Transfers& transfers) {
  const PieceList pieces(tensors);
  ForEachMessage(pieces, [&](Units units) {
    transfers.push_back(ReceiveUnits(mesh, from, tensors, pieces, units));
  });
}

namespace {

// The length of each string, then its bytes.
Tensor EncodeStrings(const Tensor& strings) {
  std::string text;
  for (const std::string& value : strings.span<std::string>()) {
    const uint64_t length = value.size();
    text.append(reinterpret_cast<const char*>(&length), sizeof(length));
    text += value;
  }
  const std::vector<uint8_t> bytes(text.begin(), text.end());
  return Tensor::FromVector(bytes, Shape{std::ssize(bytes)}, CurrentHost());
}

Tensor DecodeStrings(const Tensor& bytes, const Shape& shape) {
  const auto* at = static_cast<const char*>(bytes.raw_data());
  size_t left = bytes.bytes();
  std::vector<std::string> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    uint64_t length = 0;
    if (left >= sizeof(length)) std::memcpy(&length, at, sizeof(length));
    if (left < sizeof(length) || left - sizeof(length) < length) {
      throw DataLoss("[Collective] encoded strings are truncated");
    }
    values.emplace_back(at + sizeof(length), length);
    at += sizeof(length) + length;
    left -= sizeof(length) + length;
  }
  return Tensor::FromVector(values, shape, CurrentHost());
}

}  // namespace

TensorList Encoded(const TensorList& values) {
  TensorList encoded;
  encoded.reserve(values.size());
  for (const Tensor& value : values) {
    const bool strings = value.dtype() == DType::kString;
    encoded.push_back(strings ? EncodeStrings(value) : value);
  }
  return encoded;
}

std::vector<SentSpec> SpecsOf(const TensorList& values,
                              const TensorList& encoded) {
  std::vector<SentSpec> specs;
  specs.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const bool strings = values[i].dtype() == DType::kString;
    const auto bytes = static_cast<int64_t>(encoded[i].bytes());
    specs.push_back({.spec = lockstep::SpecOf(values[i]),
                     .string_bytes = strings ? bytes : 0});
  }
  return specs;
}

TensorList EmptyEncoded(const std::vector<SentSpec>& specs) {
  TensorList empty;
  for (const auto& [spec, string_bytes] : specs) {
    empty.push_back(
        spec.dtype == DType::kString
            ? Tensor::Empty(Shape{string_bytes}, DType::kUInt8, CurrentHost())
            : Tensor::Empty(spec.shape, spec.dtype, CurrentHost()));
  }
  return empty;
}

TensorList Decoded(const TensorList& encoded,
                   const std::vector<SentSpec>& specs) {
  TensorList values;
  values.reserve(encoded.size());
  for (size_t i = 0; i < encoded.size(); ++i) {
    const TensorSpec& spec = specs[i].spec;
    values.push_back(spec.dtype == DType::kString
                         ? DecodeStrings(encoded[i], spec.shape)
                         : encoded[i]);
  }
  return values;
}

}  // namespace lockstep::collectives_internal
