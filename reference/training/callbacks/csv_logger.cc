#include "reference/training/callbacks/csv_logger.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
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

namespace {

constexpr int kAnyEpoch = std::numeric_limits<int>::max();

// The epoch at the begin of a line; kAnyEpoch if it does not begin with one.
int EpochOf(const std::string& line) {
  int epoch = kAnyEpoch;
  std::from_chars(line.data(), line.data() + line.size(), epoch);
  return epoch;
}

std::vector<std::string> Split(const std::string& line,
                               const std::string& separator) {
  std::vector<std::string> values;
  size_t begin = 0;
  for (size_t end; (end = line.find(separator, begin)) != std::string::npos;
       begin = end + separator.size()) {
    values.push_back(line.substr(begin, end - begin));
  }
  values.push_back(line.substr(begin));
  return values;
}

// A NaN is written without its sign.
std::string TextOf(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

}  // namespace

void CSVLogger::OnTrainBegin() {
  columns_ = {"epoch"};
  lines_.clear();
  has_begun_ = false;
  if (!parameters().is_chief) return;
  const AtomicFile can_be_written(file_);  // before hours of training
  if (!append_ || ReadTable(kAnyEpoch)) return;
  std::error_code absent;
  if (std::filesystem::file_size(file_, absent) == 0 || absent) return;
  throw InvalidArgument(
      "[CSVLogger] cannot append to {}: it is not a table of epochs, whose "
      "first "
      "column is 'epoch'; use another file, or do not append",
      file_);
}

bool CSVLogger::ReadTable(int before) {
  std::ifstream in(file_, std::ios::binary);
  if (!in && errno == ENOENT) return false;
  if (!in) throw SystemError(errno, "[CSVLogger] cannot open {}", file_);
  std::string line;
  if (!std::getline(in, line)) return false;
  Names columns = Split(line, separator_);
  if (columns.front() != "epoch") return false;
  columns_ = std::move(columns);
  while (std::getline(in, line)) {
    if (before == kAnyEpoch || EpochOf(line) < before) lines_ += line + '\n';
  }
  if (!in.eof()) throw Unavailable("[CSVLogger] cannot read {}", file_);
  return true;
}

void CSVLogger::AddColumns(const Logs& logs) {
  Names added;
  for (const auto& item : logs.items()) {
    if (std::ranges::find(columns_, item.first) == columns_.end()) {
      added.push_back(item.first);
    }
  }
  std::ranges::sort(added);
  for (std::string& name : added) {
    columns_.push_back(std::move(name));
    std::string longer;
    for (const char c : lines_) {
      if (c == '\n') longer += separator_ + "NA";
      longer += c;
    }
    lines_ = std::move(longer);
  }
}

void CSVLogger::OnEpochEnd(int epoch, Logs& logs) {
  if (!parameters().is_chief) return;
  if (!std::exchange(has_begun_, true) && !append_ && epoch > 0) {
    ReadTable(epoch);
  }
  AddColumns(logs);
  lines_ += fmt::format("{}", epoch);
  for (size_t i = 1; i < columns_.size(); ++i) {
    const std::optional<double> value = logs.Find(columns_[i]);
    lines_ += separator_ + (value ? TextOf(*value) : "NA");
  }
  lines_ += '\n';
  AtomicFile file(file_);
  file.Append(fmt::format("{}\n", fmt::join(columns_, separator_)));
  file.Append(lines_);
  file.Commit();
}

}  // namespace lockstep
