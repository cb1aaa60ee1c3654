#include "reference/base/encoding/record.h"

#include <bit>
#include <cstdint>

#include "reference/base/encoding/crc32c.h"

namespace lockstep {
namespace {

static_assert(
    std::endian::native == std::endian::little,
    "lengths and checksums are written in their memory representation");

template <typename Number>
std::string_view BytesOf(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

}  // namespace

void AppendRecord(std::string_view record, std::string& out) {
  const uint64_t length = record.size();
  const uint32_t length_checksum = MaskCrc32c(Crc32c(BytesOf(length)));
  const uint32_t data_checksum = MaskCrc32c(Crc32c(record));
  out.append(BytesOf(length)).append(BytesOf(length_checksum));
  out.append(record).append(BytesOf(data_checksum));
}

}  // namespace lockstep
