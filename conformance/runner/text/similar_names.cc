#include "conformance/runner/text/similar_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace lockstep {
namespace {

constexpr size_t kMostNames = 10;
constexpr size_t kLongestWord = 200;  // the search takes quadratic time

// Levenshtein's distance: how many letters to add, remove or replace.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // of the letters of `a` so far
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> SimilarNames(std::string_view word,
                                      const std::vector<std::string>& names) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& name : names) {
    if (name.find(word) != std::string::npos) found.emplace_back(0, name);
  }
  const size_t few = std::max<size_t>(1, word.size() / 4);
  for (const std::string& name : names) {
    if (!found.empty() && found.front().first == 0) break;
    const size_t distance = EditDistance(word, name);
    if (distance <= few) found.emplace_back(distance, name);
  }
  std::ranges::stable_sort(found, {}, &std::pair<size_t, std::string>::first);
  std::vector<std::string> similar;
  for (auto& [distance, name] : found) {
    if (similar.size() < kMostNames) similar.push_back(std::move(name));
  }
  return similar;
}

std::string SuggestNames(std::string_view word,
                         const std::vector<std::string>& names) {
  const std::vector<std::string> similar = SimilarNames(word, names);
  if (similar.empty()) return "";
  return fmt::format("; did you mean {}{}?",
                     similar.size() > 1 ? "one of " : "",
                     fmt::join(similar, ", "));
}

}  // namespace lockstep
