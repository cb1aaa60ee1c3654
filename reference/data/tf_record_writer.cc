#include "reference/data/tf_record_writer.h"

#include <bit>
#include <cstdint>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr size_t kBufferBytes = 256 << 10;

static_assert(std::endian::native == std::endian::little,
              "lengths and checksums are written as they lie in memory");

template <typename Number>
std::string_view BytesOf(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

}  // namespace

TFRecordWriter::TFRecordWriter(const std::string& path, Compression compression)
    : file_(path) {
  if (compression != Compression::kNone) deflater_.emplace(compression);
}

void TFRecordWriter::Write(std::string_view record) {
  CheckOpen("Write");
  const uint64_t length = record.size();
  const uint32_t length_checksum = MaskCrc32c(Crc32c(BytesOf(length)));
  const uint32_t data_checksum = MaskCrc32c(Crc32c(record));
  buffer_.append(BytesOf(length)).append(BytesOf(length_checksum));
  buffer_.append(record).append(BytesOf(data_checksum));
  if (buffer_.size() < kBufferBytes) return;
  open_ = false;
  WriteBuffer();
  open_ = true;
}

void TFRecordWriter::Close() {
  CheckOpen("Close");
  open_ = false;
  WriteBuffer();
  if (deflater_) {
    deflater_->Finish([this](std::string_view piece) { file_.Append(piece); });
  }
  file_.Commit();
}

void TFRecordWriter::CheckOpen(std::string_view operation) const {
  if (open_) return;
  throw FailedPrecondition("[{}] {} is closed", operation, file_.path());
}

void TFRecordWriter::WriteBuffer() {
  if (deflater_) {
    deflater_->Add(buffer_,
                   [this](std::string_view piece) { file_.Append(piece); });
  } else {
    file_.Append(buffer_);
  }
  buffer_.clear();
}

}  // namespace lockstep
