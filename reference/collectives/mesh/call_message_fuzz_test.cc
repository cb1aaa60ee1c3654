// Any bytes of a message are read within its bounds or refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/collectives/mesh/call_message.h"

namespace lockstep::collectives_internal {
namespace {

void ReadMessage(const std::string& bytes) {
  CallMessage message;
  std::memcpy(message.data(), bytes.data(),
              std::min(bytes.size(), kMessageBytes));
  const CallHeader header = message.header();
  if (header.payload_inside) {
    const std::byte* end = message.payload() + header.payload_bytes;
    LOCKSTEP_CHECK(end <= message.data() + kMessageBytes);
  }
  if (header.description_inside) ReadSpecs(message.description());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto specs = ReadSpecs(bytes);
    LOCKSTEP_CHECK(DescribeSpecs(specs) == bytes);
  } catch (const Error& error) {
    LOCKSTEP_CHECK(error.code() == Code::kDataLoss);
  }
  try {
    ReadMessage(bytes);
  } catch (const Error& error) {
    LOCKSTEP_CHECK(error.code() == Code::kDataLoss);
  }
  return 0;
}

}  // namespace lockstep::collectives_internal
