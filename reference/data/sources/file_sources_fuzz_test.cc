// For any bytes, reading a file of records succeeds or throws an Error, with
// memory in proportion to the bytes. The first byte selects how the rest, the
// file, is read; from 128 on the length of the record gets a valid checksum,
// which fuzzing would not find.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "reference/base/check.h"
#include "reference/base/encoding/compression.h"
#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"
#include "reference/data/dataset.h"

namespace lockstep {
namespace {

// A file in memory: truncating one on disk writes it back each time.
int MemoryFile() {
  static const int descriptor = memfd_create("fuzzed_records", MFD_CLOEXEC);
  LOCKSTEP_CHECK(descriptor >= 0);
  return descriptor;
}

// Its name.
std::string WriteFile(std::string_view bytes) {
  const int file = MemoryFile();
  LOCKSTEP_CHECK(ftruncate(file, 0) == 0);
  LOCKSTEP_CHECK(pwrite(file, bytes.data(), bytes.size(), 0) ==
                 std::ssize(bytes));
  return "/proc/self/fd/" + std::to_string(file);
}

// length | rest: inserts the checksum of the length between them.
std::string WithChecksum(std::string_view bytes) {
  constexpr size_t kLengthBytes = 8;
  std::string length(bytes.substr(0, kLengthBytes));
  const uint32_t checksum = MaskCrc32c(Crc32c(length));
  length.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  return length.append(bytes.substr(std::min(bytes.size(), kLengthBytes)));
}

// One of three sources, three compressions and three layouts.
Dataset Reader(uint8_t way, const std::string& file) {
  constexpr Compression kFormats[] = {Compression::kNone, Compression::kGzip,
                                      Compression::kZlib};
  constexpr FixedLengthLayout kLayouts[] = {
      {1, 0, 0}, {3, 2, 1}, {int64_t{1} << 40, 1, 5}};
  const Compression format = kFormats[way / 3 % 3];
  switch (way % 3) {
    case 0:
      return Dataset::FromTFRecords({file}, format);
    case 1:
      return Dataset::FromTextLines({file}, format);
    default:
      return Dataset::FromFixedLengthRecords({file}, kLayouts[way / 9 % 3],
                                             format);
  }
}

// Upper bound of what `size` bytes may decompress to, by deflate's limit.
int64_t MostContent(size_t size) {
  constexpr int64_t kMostRatio = 1032;
  return kMostRatio * (static_cast<int64_t>(size) + 64);
}

// At most one error: it costs the rest of the file.
void ReadAll(const Dataset& records, size_t size) {
  DatasetIterator iterator = records.MakeIterator();
  int64_t bytes = 0;
  int errors = 0;
  Structure record;
  while (true) {
    try {
      if (!iterator.Next(&record)) break;
      bytes += std::ssize(record.leaf().item<std::string>());
    } catch (const Error& e) {
      LOCKSTEP_CHECK(e.code() == Code::kDataLoss ||
                     e.code() == Code::kInvalidArgument);
      LOCKSTEP_CHECK(++errors == 1);
    }
  }
  LOCKSTEP_CHECK(bytes <= MostContent(size));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  constexpr uint8_t kChecked = 128;
  const std::string file =
      WriteFile(data[0] < kChecked ? std::string(bytes) : WithChecksum(bytes));
  ReadAll(Reader(data[0], file), size);
  return 0;
}

}  // namespace lockstep
