#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/sources/file_source.h"
#include "reference/data/sources/input_file.h"
#include "reference/data/sources/sources.h"

namespace lockstep::data_internal {
namespace {

constexpr std::string_view kOperation = "FromFixedLengthRecords";

class FixedLengthFile final : public RecordFile {
 public:
  FixedLengthFile(const std::string& name, const FixedLengthLayout& layout,
                  Compression compression)
      : layout_(layout), file_(kOperation, name, compression) {
    CheckSize();
    std::string header;
    if (file_.Read(layout.header_bytes, &header) < layout.header_bytes) {
      FailShort(0);
    }
    Fill();
  }

  // `ahead_` is a record followed by as many bytes as a footer has, which may
  // be the first ones of the next record.
  bool Next(std::string* record) override {
    const int64_t ahead = std::ssize(ahead_);
    if (ahead == layout_.footer_bytes) return false;
    if (ahead < layout_.footer_bytes + layout_.record_bytes) {
      FailShort(file_.offset() - ahead);
    }
    std::string behind = ahead_.substr(layout_.record_bytes);
    ahead_.resize(layout_.record_bytes);
    record->swap(ahead_);
    ahead_ = std::move(behind);
    Fill();
    return true;
  }

 private:
  void Fill() {
    file_.Read(layout_.footer_bytes + layout_.record_bytes - std::ssize(ahead_),
               &ahead_);
  }

  // Checks the size first, so that no wrong record is returned.
  void CheckSize() const {
    const auto size = file_.size();
    if (!size) return;
    const int64_t body = *size - layout_.header_bytes - layout_.footer_bytes;
    if (body >= 0 && body % layout_.record_bytes == 0) return;
    throw InvalidArgument(
        "[{}] {}: {} bytes minus a header of {} and a footer of {} are not a "
        "multiple of {}",
        kOperation, file_.name(), *size, layout_.header_bytes,
        layout_.footer_bytes, layout_.record_bytes);
  }

  [[noreturn]] void FailShort(int64_t offset) const {
    throw DataLoss(
        "[{}] {}: ends at offset {}, within what begins at {}; wanted a "
        "header of {} bytes, records of {} and a footer of {}",
        kOperation, file_.name(), file_.offset(), offset, layout_.header_bytes,
        layout_.record_bytes, layout_.footer_bytes);
  }

  const FixedLengthLayout layout_;
  InputFile file_;
  std::string ahead_;
};

void Check(const FixedLengthLayout& layout) {
  static constexpr int64_t kMost = int64_t{1} << 40;
  const auto check = [](std::string_view name, int64_t got, int64_t least) {
    if (got >= least && got <= kMost) return;
    throw InvalidArgument("[{}] {} must be in {}..{}, got {}", kOperation, name,
                          least, kMost, got);
  };
  check("record_bytes", layout.record_bytes, 1);
  check("header_bytes", layout.header_bytes, 0);
  check("footer_bytes", layout.footer_bytes, 0);
}

}  // namespace

NodePtr MakeFixedLengthRecords(std::vector<std::string> files,
                               const FixedLengthLayout& layout,
                               Compression compression) {
  Check(layout);
  return MakeFileSource(
      "FixedLengthRecords", kOperation, std::move(files),
      [layout, compression](const std::string& file) {
        return std::make_unique<FixedLengthFile>(file, layout, compression);
      },
      Arguments()
          .Add("record_bytes", layout.record_bytes)
          .Add("header_bytes", layout.header_bytes, int64_t{0})
          .Add("footer_bytes", layout.footer_bytes, int64_t{0})
          .Add("compression", CompressionName(compression),
               CompressionName(Compression::kNone)));
}

}  // namespace lockstep::data_internal
