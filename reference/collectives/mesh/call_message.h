// The message with which a rank begins a collective: the operation, the specs
// of its tensors, and their bytes if they are few.
//
//   CallMessage mine, theirs;
//   mine.Write({.operation = Operation::kAllGather, .payload_bytes = 64},
//              DescribeSpecs(specs));
//   ... mine.bytes() of mine.data() travel to theirs.data() ...
//   ReadSpecs(theirs.description());
//
// A message has at most kMessageBytes, so no rank can send another more than it
// has memory for:
//
//   header | description: the tensors, or an error | bytes of the tensors
//
// A description that does not fit is sent separately, with its size in the
// header; so are the bytes of the tensors. Ranks have the same byte order and
// program version, which is checked when they connect.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CALL_MESSAGE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CALL_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/tensor.h"

namespace lockstep::collectives_internal {

// Enough for 4 KiB of gradients and the description of some hundred tensors.
inline constexpr size_t kMessageBytes = 16 << 10;
// The alignment of tensors, in messages and elsewhere: a cache line.
inline constexpr size_t kAlignment = 64;

constexpr size_t RoundUp(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct FreeAligned {
  void operator()(std::byte* bytes) const {
    ::operator delete[](bytes, std::align_val_t{kAlignment});
  }
};
// Shared with messages in transit, even after their mesh has failed.
using AlignedBytes = std::shared_ptr<std::byte[]>;
AlignedBytes AllocateAligned(size_t bytes);

enum class Operation : uint32_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kBarrier,
  kGpuAllReduce,  // only its description is sent this way
  kLeave,         // this rank's group ends
};
// "AllReduce".
const char* OperationName(Operation operation);

// A message's fixed part.
struct CallHeader {
  Operation operation = Operation::kBarrier;
  int32_t parameter = 0;  // op or root
  uint32_t failed = 0;    // the description is an error, of code failed - 1
  uint32_t description_inside = 0;
  uint32_t payload_inside = 0;
  uint64_t description_bytes = 0;
  uint64_t description_hash = 0;
  uint64_t payload_bytes = 0;
};
inline constexpr size_t kHeaderBytes = RoundUp(sizeof(CallHeader));

// What other ranks need to receive a tensor.
struct SentSpec {
  TensorSpec spec;
  int64_t string_bytes = 0;  // of encoded strings, else 0
  bool operator==(const SentSpec&) const = default;
};
std::string DescribeSpecs(const std::vector<SentSpec>& specs);
// Errors: DataLoss for malformed text.
std::vector<SentSpec> ReadSpecs(std::string_view text);

// Memory of one message, sent or received.
class CallMessage {
 public:
  CallMessage();
  CallMessage(CallMessage&&) = default;
  CallMessage& operator=(CallMessage&&) = default;

  std::byte* data() { return memory_.get(); }
  std::shared_ptr<std::byte> memory() { return {memory_, data()}; }

  // Fills in everything but the payload, and sets bytes(), how much of data()
  // to send. If payload() is not nullptr, the tensors' bytes go there.
  void Write(CallHeader header, std::string_view description);
  size_t bytes() const { return bytes_; }
  std::byte* payload();

  // The header of a received message. Errors: DataLoss if it is inconsistent.
  CallHeader header() const;
  // REQUIRES: header().description_inside.
  std::string_view description() const;

 private:
  AlignedBytes memory_;
  size_t bytes_ = 0;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CALL_MESSAGE_H_
