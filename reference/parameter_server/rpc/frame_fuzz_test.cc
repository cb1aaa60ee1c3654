// The reader of the wire: any bytes, in any pieces, are a frame or are refused.
// A frame that was read is written as bytes that read the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/parameter_server/rpc/frame.h"

namespace lockstep::rpc {
namespace {

// In slices of `size` bytes, as a network delivers them.
grpc::ByteBuffer InPieces(const uint8_t* data, size_t size, size_t piece) {
  std::vector<grpc::Slice> slices;
  for (size_t begin = 0; begin < size; begin += piece) {
    slices.emplace_back(data + begin, std::min(piece, size - begin));
  }
  return {slices.data(), slices.size()};
}

void CheckSame(const DecodedFrame& a, const DecodedFrame& b) {
  LOCKSTEP_CHECK(a.frame.SerializeAsString() == b.frame.SerializeAsString());
  LOCKSTEP_CHECK(std::ranges::equal(a.tensors, b.tensors, BitwiseEqual));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const DecodedFrame whole =
        DecodeFrame(InPieces(data, size, std::max<size_t>(size, 1)));
    CheckSame(whole, DecodeFrame(InPieces(data, size, 7)));
    Frame frame = whole.frame;
    frame.clear_tensors();
    const DecodedFrame again = DecodeFrame(EncodeFrame(frame, whole.tensors));
    LOCKSTEP_CHECK(
        std::ranges::equal(whole.tensors, again.tensors, BitwiseEqual));
    LOCKSTEP_CHECK(whole.frame.message() == again.frame.message());
    LOCKSTEP_CHECK(whole.frame.number() == again.frame.number());
  } catch (const Error& error) {
    LOCKSTEP_CHECK(error.code() == Code::kInvalidArgument);
  }
  return 0;
}

}  // namespace lockstep::rpc
