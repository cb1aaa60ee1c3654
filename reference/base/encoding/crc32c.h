// CRC-32C (Castagnoli, RFC 3720 appendix B.4), as in TensorFlow's files.
//
//   Crc32c("123456789");                        // 0xe3069283
//   ExtendCrc32c(Crc32c("1234"), "56789");      // the same
//
// Stored values are masked, as checksums of bytes that contain checksums are
// problematic: rotated right by 15 bits, plus a constant (LevelDB's table
// format).
#ifndef LOCKSTEP_REFERENCE_BASE_ENCODING_CRC32C_H_
#define LOCKSTEP_REFERENCE_BASE_ENCODING_CRC32C_H_

#include <cstdint>
#include <string_view>

namespace lockstep {

// The checksum of A followed by `bytes`, where `crc` is the checksum of A. Uses
// the processor's instruction if it has one.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes);

inline uint32_t Crc32c(std::string_view bytes) {
  return ExtendCrc32c(0, bytes);
}

// The same by table, the fallback of ExtendCrc32c on any processor.
uint32_t ExtendCrc32cByTable(uint32_t crc, std::string_view bytes);

inline constexpr uint32_t kCrc32cMaskDelta = 0xa282ead8u;

constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + kCrc32cMaskDelta;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ENCODING_CRC32C_H_
