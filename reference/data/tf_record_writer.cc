#include "reference/data/tf_record_writer.h"

#include "reference/base/encoding/record.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr size_t kBufferBytes = 256 << 10;

}  // namespace

TFRecordWriter::TFRecordWriter(const std::string& path, Compression compression)
    : file_(path) {
  if (compression != Compression::kNone) deflater_.emplace(compression);
}

void TFRecordWriter::Write(std::string_view record) {
  CheckOpen("Write");
  AppendRecord(record, buffer_);
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
