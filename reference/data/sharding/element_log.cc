#include "reference/data/sharding/element_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/ragged/ragged.h"

namespace lockstep::data_internal {
namespace {

// The file, which all passes share.
class LogFile {
 public:
  explicit LogFile(std::string name) : name_(std::move(name)) {}

  ~LogFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Begins a pass and returns its number. The first one creates the file.
  int64_t StartPass() {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr) file_ = std::fopen(name_.c_str(), "we");
    if (file_ == nullptr) {
      throw SystemError(errno, "[ElementLog] cannot open {}", name_);
    }
    return passes_++;
  }

  void Write(std::string_view lines) {
    const std::lock_guard lock(mutex_);
    std::fwrite(lines.data(), 1, lines.size(), file_);
    if (std::fflush(file_) == 0 && !std::ferror(file_)) return;
    throw SystemError(errno, "[ElementLog] cannot write {}", name_);
  }

 private:
  const std::string name_;
  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  int64_t passes_ = 0;
};

class ElementLogReader final : public Reader<Structure> {
 public:
  ElementLogReader(ReaderPtr<Structure> parts, std::shared_ptr<LogFile> log,
                   const ElementLogOptions& options)
      : parts_(std::move(parts)),
        log_(std::move(log)),
        options_(options),
        pass_(log_->StartPass()) {}

  int64_t Next(std::span<Structure> out) override {
    const int64_t count = parts_->Next(out);
    std::string lines;
    for (const Structure& part : out.first(count)) AppendRows(part, lines);
    log_->Write(lines);
    return count;
  }

 private:
  void AppendRows(const Structure& part, std::string& lines) {
    const int64_t step = read_ / options_.replicas;
    const int64_t replica = options_.first_replica + read_ % options_.replicas;
    ++read_;
    int64_t rows = 0;
    for (const int64_t count : RowCounts(part)) rows = std::max(rows, count);
    for (int64_t row = 0; row < rows; ++row) {
      lines += fmt::format("{}\t{}\t{}\t{}\n", pass_, step, replica,
                           LoggedExample(part, row));
    }
  }

  ReaderPtr<Structure> parts_;
  std::shared_ptr<LogFile> log_;
  ElementLogOptions options_;
  int64_t pass_;
  int64_t read_ = 0;  // parts
};

class ElementLogNode final : public DatasetNode {
 public:
  ElementLogNode(NodePtr parts, const ElementLogOptions& options,
                 std::shared_ptr<LogFile> log)
      : DatasetNode("ElementLog", {std::move(parts)}),
        options_(options),
        log_(std::move(log)) {}

  std::string arguments() const override {
    return Arguments().Add("file", options_.file).text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ElementLogNode>(std::move(inputs.front()), options_,
                                            log_);
  }
  SpecStructure MakeSpec() const override { return input().element_spec(); }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override { return input().cardinality(); }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<ElementLogReader>(input().OpenElements(pass), log_,
                                              options_);
  }

 private:
  ElementLogOptions options_;
  std::shared_ptr<LogFile> log_;
};

uint32_t ChecksumOf(const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) {
    return Crc32c(
        {static_cast<const char*>(tensor.raw_data()), tensor.bytes()});
  }
  uint32_t crc = 0;
  for (const std::string& text : tensor.span<std::string>()) {
    crc = ExtendCrc32c(crc, fmt::format("{} ", text.size()));
    crc = ExtendCrc32c(crc, text);
  }
  return crc;
}

// Fits in a line and is printable.
bool IsPlain(std::string_view text) {
  constexpr size_t kLongest = 80;
  return text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
           return c >= ' ' && c != '\x7f';
         });
}

std::string TextOf(const Tensor& value) {
  if (value.rank() == 0 && value.dtype() != DType::kString) {
    return ToString(value);
  }
  if (value.rank() == 0 && IsPlain(value.item<std::string>())) {
    return value.item<std::string>();
  }
  return fmt::format("#{:08x}", ChecksumOf(value));
}

}  // namespace

NodePtr MakeElementLog(NodePtr parts, const ElementLogOptions& options) {
  return std::make_shared<ElementLogNode>(
      std::move(parts), options, std::make_shared<LogFile>(options.file));
}

std::string LoggedExample(const Structure& part, int64_t row) {
  if (part.is_leaf()) {
    return row < part.leaf().dim(0) ? TextOf(part.leaf().Row(row)) : "";
  }
  if (IsRagged(part)) {
    return row < RaggedRows(part) ? TextOf(RaggedRow(part, row)) : "";
  }
  std::string text = "(";
  for (const Structure& item : part.items()) {
    text += (text.size() == 1 ? "" : ", ") + LoggedExample(item, row);
  }
  return text + ")";
}

}  // namespace lockstep::data_internal
