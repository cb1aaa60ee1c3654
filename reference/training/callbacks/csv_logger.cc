#include "reference/training/callbacks/csv_logger.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
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
  columns_ = {"epoch"};
  lines_.clear();
  has_begun_ = false;
  if (!parameters().is_chief) return;
  const AtomicFile can_be_written(file_);  // before hours of training
  if (!append_ || !std::filesystem::exists(file_)) return;
  std::vector<Line> table = ReadTable();
  if (table.empty()) return;
  if (table.front().front() != "epoch") {
    throw InvalidArgument("[CSVLogger] {} begins with '{}', wanted 'epoch'",
                          file_, table.front().front());
  }
  columns_ = std::move(table.front());
  lines_.assign(std::make_move_iterator(table.begin() + 1),
                std::make_move_iterator(table.end()));
}

std::vector<CSVLogger::Line> CSVLogger::ReadTable() const {
  std::ifstream in(file_, std::ios::binary);
  std::vector<Line> table;
  for (std::string line; std::getline(in, line);) table.push_back(Split(line));
  if (!in.eof()) throw Unavailable("[CSVLogger] cannot read {}", file_);
  return table;
}

CSVLogger::Line CSVLogger::Split(const std::string& line) const {
  Line values;
  size_t begin = 0;
  for (size_t end; (end = line.find(separator_, begin)) != std::string::npos;
       begin = end + separator_.size()) {
    values.push_back(line.substr(begin, end - begin));
  }
  values.push_back(line.substr(begin));
  return values;
}

void CSVLogger::KeepEpochsBefore(int epoch) {
  if (!std::filesystem::exists(file_)) return;
  std::vector<Line> table = ReadTable();
  if (table.empty() || table.front().front() != "epoch") return;
  columns_ = std::move(table.front());
  for (auto line = table.begin() + 1; line != table.end(); ++line) {
    int of_line = 0;
    const std::string& text = line->front();
    const auto end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, of_line);
    if (error == std::errc() && rest == end && of_line < epoch) {
      lines_.push_back(std::move(*line));
    }
  }
}

void CSVLogger::AddColumns(const Logs& logs) {
  Line added;
  for (const auto& item : logs.items()) {
    if (std::ranges::find(columns_, item.first) == columns_.end()) {
      added.push_back(item.first);
    }
  }
  std::ranges::sort(added);
  columns_.insert(columns_.end(), added.begin(), added.end());
}

namespace {

// A sign says nothing of what is no number.
std::string TextOf(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

}  // namespace

void CSVLogger::OnEpochEnd(int epoch, Logs& logs) {
  if (!parameters().is_chief) return;
  if (!std::exchange(has_begun_, true) && !append_ && epoch > 0) {
    KeepEpochsBefore(epoch);
  }
  AddColumns(logs);
  Line line{fmt::format("{}", epoch)};
  for (size_t i = 1; i < columns_.size(); ++i) {
    const std::optional<double> value = logs.Find(columns_[i]);
    line.push_back(value ? TextOf(*value) : "NA");
  }
  lines_.push_back(std::move(line));
  Write();
}

void CSVLogger::Write() const {
  std::string text = fmt::format("{}\n", fmt::join(columns_, separator_));
  for (const Line& line : lines_) {
    text += fmt::format("{}", fmt::join(line, separator_));
    for (size_t i = line.size(); i < columns_.size(); ++i) {
      text += separator_ + "NA";
    }
    text += '\n';
  }
  AtomicFile file(file_);
  file.Append(text);
  file.Commit();
}

}  // namespace lockstep
