#include "rating_datasets/ratings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

#include "dataset_files/byte_source.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr std::string_view kCsvHeader = "userId,movieId,rating,timestamp";
constexpr double kHighest = 5;

// The whole of `text` as a number of 0 or more.
template <typename Number>
std::optional<Number> NumberOf(std::string_view text) {
  Number number{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = end == text.data() + text.size();
  if (error != std::errc() || !whole || !(number >= 0)) return std::nullopt;
  return number;
}

// The four fields; nothing for more or less.
std::optional<std::array<std::string_view, 4>> FieldsOf(
    std::string_view line, std::string_view separator) {
  std::array<std::string_view, 4> fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    const size_t end = line.find(separator);
    const bool is_last = i + 1 == fields.size();
    if (is_last != (end == std::string_view::npos)) return std::nullopt;
    fields[i] = line.substr(0, end);
    if (!is_last) line.remove_prefix(end + separator.size());
  }
  return fields;
}

std::optional<Rating> RatingOf(std::string_view line,
                               std::string_view separator) {
  const auto fields = FieldsOf(line, separator);
  if (!fields) return std::nullopt;
  const auto user = NumberOf<int64_t>((*fields)[0]);
  const auto item = NumberOf<int64_t>((*fields)[1]);
  const auto value = NumberOf<double>((*fields)[2]);
  const auto time = NumberOf<int64_t>((*fields)[3]);
  if (!user || !item || !value || *value > kHighest || !time) {
    return std::nullopt;
  }
  return Rating{*user, *item, *value, *time};
}

// The next line without its end ("\n" or "\r\n").
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Replaces numbers by their places among all; returns how many there are.
int64_t Renumber(std::vector<Rating>& ratings, int64_t Rating::*number) {
  std::vector<int64_t> numbers;
  for (const Rating& rating : ratings) numbers.push_back(rating.*number);
  std::ranges::sort(numbers);
  const auto rest = std::ranges::unique(numbers);
  numbers.erase(rest.begin(), rest.end());
  for (Rating& rating : ratings) {
    rating.*number =
        std::ranges::lower_bound(numbers, rating.*number) - numbers.begin();
  }
  return std::ssize(numbers);
}

}  // namespace

std::vector<Rating> ParseRatings(std::string_view text,
                                 const std::string& origin) {
  std::vector<Rating> ratings;
  std::string_view separator = "::";
  int64_t number = 0;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (++number == 1 && line == kCsvHeader) {
      separator = ",";
      continue;
    }
    const auto rating = RatingOf(line, separator);
    if (!rating) {
      throw DataLoss(
          "[ReadRatings] {}:{}: wanted user{}item{}rating{}time, numbers from "
          "0 "
          "and ratings to 5, got '{}'",
          origin, number, separator, separator, separator, line.substr(0, 80));
    }
    ratings.push_back(*rating);
  }
  if (ratings.empty()) {
    throw DataLoss("[ReadRatings] {}:{}: there are no ratings", origin,
                   number + 1);
  }
  return ratings;
}

Ratings NumberFromZero(std::vector<Rating> ratings) {
  Ratings numbered;
  numbered.users = Renumber(ratings, &Rating::user);
  numbered.items = Renumber(ratings, &Rating::item);
  numbered.all = std::move(ratings);
  return numbered;
}

Ratings ReadRatings(const std::string& path) {
  Ratings ratings = NumberFromZero(ParseRatings(ReadFileBytes(path), path));
  ratings.description =
      fmt::format("{} ({} users, {} items, {} ratings)",
                  std::filesystem::path(path).filename().string(),
                  ratings.users, ratings.items, ratings.all.size());
  return ratings;
}

LastOut LeaveLastOut(const Ratings& ratings) {
  // By user and time, equal ones in the order of the file.
  std::vector<Rating> sorted = ratings.all;
  std::ranges::stable_sort(sorted, {}, [](const Rating& rating) {
    return std::pair(rating.user, rating.time);
  });
  // The last rating of each pair, found from the end.
  std::vector<bool> seen;
  std::vector<Rating> once;
  for (auto end = sorted.rbegin(); end != sorted.rend();) {
    const int64_t user = end->user;
    seen.assign(ratings.items, false);
    for (; end != sorted.rend() && end->user == user; ++end) {
      if (!seen[end->item]) once.push_back(*end);
      seen[end->item] = true;
    }
  }
  std::ranges::reverse(once);
  LastOut split;
  for (size_t i = 0; i < once.size(); ++i) {
    const bool is_last =
        i + 1 == once.size() || once[i + 1].user != once[i].user;
    const bool is_first = i == 0 || once[i - 1].user != once[i].user;
    (is_last && !is_first ? split.test : split.train).push_back(once[i]);
  }
  return split;
}

}  // namespace lockstep
