#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"
#include "reference/data/sources/file_source.h"
#include "reference/data/sources/input_file.h"
#include "reference/data/sources/sources.h"

namespace lockstep::data_internal {
namespace {

static_assert(std::endian::native == std::endian::little,
              "lengths and checksums are read in the byte order of the file");

constexpr std::string_view kOperation = "FromTFRecords";

template <typename Number>
Number Load(std::string_view bytes) {
  Number number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

// A record (docs/formats.md) is: uint64 length | uint32 masked checksum of the
// length | data | uint32 masked checksum of the data.
class TFRecordFile final : public RecordFile {
 public:
  TFRecordFile(const std::string& name, Compression compression)
      : file_(kOperation, name, compression) {}

  bool Next(std::string* record) override {
    begin_ = file_.offset();
    if (file_.Peek().empty()) return false;
    const uint64_t length = ReadLength();
    // No file has that many bytes; Read takes a signed number.
    if (length > std::numeric_limits<int64_t>::max()) FailTruncated();
    if (file_.Read(static_cast<int64_t>(length), record) <
        static_cast<int64_t>(length)) {
      FailTruncated();
    }
    Check("data", *record, ReadChecksum());
    return true;
  }

 private:
  uint64_t ReadLength() {
    bytes_.clear();
    if (file_.Read(sizeof(uint64_t), &bytes_) < 8) FailTruncated();
    const std::string length = bytes_;
    Check("length", length, ReadChecksum());
    return Load<uint64_t>(length);
  }

  uint32_t ReadChecksum() {
    bytes_.clear();
    if (file_.Read(sizeof(uint32_t), &bytes_) < 4) FailTruncated();
    return Load<uint32_t>(bytes_);
  }

  void Check(std::string_view what, std::string_view bytes,
             uint32_t stored) const {
    const uint32_t found = MaskCrc32c(Crc32c(bytes));
    if (found == stored) return;
    throw DataLoss(
        "[{}] {}: the record at offset {} is damaged: the checksum of its {} "
        "is {:#010x}, stored is {:#010x}",
        kOperation, file_.name(), begin_, what, found, stored);
  }

  [[noreturn]] void FailTruncated() const {
    throw DataLoss("[{}] {}: the record at offset {} is truncated at {}",
                   kOperation, file_.name(), begin_, file_.offset());
  }

  InputFile file_;
  std::string bytes_;
  int64_t begin_ = 0;  // of the record
};

}  // namespace

NodePtr MakeTFRecords(std::vector<std::string> files, Compression compression) {
  return MakeFileSource(
      "TFRecords", kOperation, std::move(files),
      [compression](const std::string& file) {
        return std::make_unique<TFRecordFile>(file, compression);
      },
      Arguments().Add("compression", CompressionName(compression),
                      CompressionName(Compression::kNone)));
}

}  // namespace lockstep::data_internal
