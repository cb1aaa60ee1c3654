#include "reference/training/callbacks/csv_logger.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "reference/base/atomic_file.h"
#include "reference/base/error.h"

namespace lockstep {

CSVLogger::CSVLogger(std::string file, std::string separator, bool append)
    : file_(std::move(file)),
      separator_(std::move(separator)),
      append_(append) {
  if (separator_.empty()) {
    throw InvalidArgument("[CSVLogger] the separator is empty");
  }
}

void CSVLogger::OnTrainBegin() {
  columns_.clear();
  text_.clear();
  if (!parameters().is_chief) return;
  const AtomicFile can_be_written(file_);  // before hours of training
  if (append_ && std::filesystem::exists(file_)) ReadWhatThereIs();
}

void CSVLogger::ReadWhatThereIs() {
  std::ifstream in(file_, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Unavailable("[CSVLogger] cannot read {}", file_);
  text_ = text.str();
  if (text_.empty()) return;
  std::string names = text_.substr(0, text_.find('\n')) + separator_;
  size_t end = 0;
  while ((end = names.find(separator_)) != std::string::npos) {
    columns_.push_back(names.substr(0, end));
    names.erase(0, end + separator_.size());
  }
  if (columns_.front() != "epoch") {
    throw InvalidArgument("[CSVLogger] {} begins with '{}', wanted 'epoch'",
                          file_, columns_.front());
  }
  columns_.erase(columns_.begin());
  if (!text_.ends_with('\n')) text_ += '\n';
}

void CSVLogger::OnEpochEnd(int epoch, Logs& logs) {
  if (!parameters().is_chief) return;
  if (text_.empty()) {
    text_ = "epoch";
    for (const auto& item : logs.items()) columns_.push_back(item.first);
    std::ranges::sort(columns_);
    for (const std::string& column : columns_) text_ += separator_ + column;
    text_ += '\n';
  }
  text_ += fmt::format("{}", epoch);
  for (const std::string& column : columns_) {
    const std::optional<double> value = logs.Find(column);
    text_ += separator_ + (value ? fmt::format("{}", *value) : "NA");
  }
  text_ += '\n';
  AtomicFile file(file_);
  file.Append(text_);
  file.Commit();
}

}  // namespace lockstep
