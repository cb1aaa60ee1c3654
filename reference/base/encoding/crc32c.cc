#include "reference/base/encoding/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace lockstep {
namespace {

// The polynomial 0x1edc6f41 with its bits reversed.
constexpr uint32_t kPolynomial = 0x82f63b78u;
constexpr int kTables = 8;

using Tables = std::array<std::array<uint32_t, 256>, kTables>;

// tables[k][b]: the checksum's change by byte b with k zero bytes after it.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) ? kPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (int k = 1; k < kTables; ++k) {
    for (int byte = 0; byte < 256; ++byte) {
      const uint32_t shorter = tables[k - 1][byte];
      tables[k][byte] = (shorter >> 8) ^ tables[0][shorter & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTable = MakeTables();

static_assert(std::endian::native == std::endian::little,
              "the checksum reads eight bytes as one number");

uint64_t LoadEight(const char* data) {
  uint64_t value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

#if defined(__x86_64__)
// The bytes of each of three interleaved checksums: the instruction has a
// latency of three cycles and a throughput of one per cycle.
constexpr size_t kBlock = 4096;

__attribute__((target("sse4.2"))) uint64_t EightByInstruction(uint64_t state,
                                                              uint64_t eight) {
  return _mm_crc32_u64(state, eight);
}

// The linear map of a checksum's state over kBlock zero bytes, by the bytes of
// the state.
class ZerosAppended {
 public:
  ZerosAppended() {
    std::array<uint32_t, 32> of_bits;
    for (int bit = 0; bit < 32; ++bit) {
      uint64_t state = uint64_t{1} << bit;
      for (size_t i = 0; i < kBlock; i += 8)
        state = EightByInstruction(state, 0);
      of_bits[bit] = static_cast<uint32_t>(state);
    }
    for (int k = 0; k < 4; ++k) {
      for (int byte = 0; byte < 256; ++byte) {
        uint32_t sum = 0;
        for (int bit = 0; bit < 8; ++bit) {
          if ((byte >> bit) & 1) sum ^= of_bits[8 * k + bit];
        }
        of_bytes_[k][byte] = sum;
      }
    }
  }

  uint32_t operator()(uint64_t state) const {
    return of_bytes_[0][state & 0xff] ^ of_bytes_[1][(state >> 8) & 0xff] ^
           of_bytes_[2][(state >> 16) & 0xff] ^
           of_bytes_[3][(state >> 24) & 0xff];
  }

 private:
  std::array<std::array<uint32_t, 256>, 4> of_bytes_;
};

__attribute__((target("sse4.2"))) uint32_t ExtendByInstruction(
    uint32_t crc, std::string_view bytes) {
  static const ZerosAppended zeros_appended;
  uint64_t state = static_cast<uint32_t>(~crc);
  const char* data = bytes.data();
  size_t left = bytes.size();
  for (; left >= 3 * kBlock; data += 3 * kBlock, left -= 3 * kBlock) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kBlock; i += 8) {
      state = _mm_crc32_u64(state, LoadEight(data + i));
      second = _mm_crc32_u64(second, LoadEight(data + kBlock + i));
      third = _mm_crc32_u64(third, LoadEight(data + 2 * kBlock + i));
    }
    state = zeros_appended(state) ^ second;
    state = zeros_appended(state) ^ third;
  }
  for (; left >= 8; data += 8, left -= 8) {
    state = _mm_crc32_u64(state, LoadEight(data));
  }
  uint32_t tail = static_cast<uint32_t>(state);
  for (; left > 0; ++data, --left) {
    tail = _mm_crc32_u8(tail, static_cast<unsigned char>(*data));
  }
  return ~tail;
}
#endif

}  // namespace

uint32_t ExtendCrc32cByTable(uint32_t crc, std::string_view bytes) {
  uint32_t state = ~crc;
  const char* data = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; data += 8, left -= 8) {
    // Slicing by eight: Kounavis and Berry, "Novel table lookup-based
    // algorithms for high-performance CRC generation", 2008.
    const uint64_t eight = LoadEight(data) ^ state;
    state = 0;
    for (int k = 0; k < kTables; ++k) {
      state ^= kTable[kTables - 1 - k][(eight >> (8 * k)) & 0xff];
    }
  }
  for (; left > 0; ++data, --left) {
    state = (state >> 8) ^
            kTable[0][(state ^ static_cast<unsigned char>(*data)) & 0xff];
  }
  return ~state;
}

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ExtendByInstruction(crc, bytes);
#endif
  return ExtendCrc32cByTable(crc, bytes);
}

}  // namespace lockstep
