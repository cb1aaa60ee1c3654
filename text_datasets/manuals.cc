#include "text_datasets/manuals.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "reference/base/error.h"
#include "reference/preprocessing/language/split_words.h"
#include "text_datasets/plain_text.h"

namespace lockstep {
namespace {

// Sorted.
std::vector<std::string> TextsIn(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code problem;
  for (const auto& package : fs::directory_iterator(folder, problem)) {
    const fs::path share = package.path() / "usr" / "share";
    for (const auto& file : fs::recursive_directory_iterator(share, problem)) {
      if (file.is_regular_file(problem) &&
          file.path().string().ends_with(".txt.gz")) {
        files.push_back(file.path());
      }
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<std::vector<std::string>> ReadManuals(const std::string& folder) {
  const std::vector<std::string> files = TextsIn(folder);
  if (files.empty()) {
    throw NotFound(
        "[ReadManuals] {} has no package with usr/share/**/*.txt.gz; `./bazelw "
        "run //text_datasets:fetch` gets some",
        folder);
  }
  std::vector<std::vector<std::string>> documents;
  std::unordered_set<std::string> known;
  for (const std::string& file : files) {
    for (std::vector<std::string>& document : ReadPlainText(file)) {
      std::erase_if(document, [&](const std::string& sentence) {
        const auto words = SplitWords(sentence);
        return !known.insert(fmt::format("{}", fmt::join(words, " "))).second;
      });
      if (!document.empty()) documents.push_back(std::move(document));
    }
  }
  return documents;
}

DocumentData SplitDocuments(
    const std::vector<std::vector<std::string>>& documents,
    const SplitOptions& options) {
  const TestSplit split(options);
  DocumentData data;
  for (size_t i = 0; i < documents.size(); ++i) {
    const bool is_test = split.IsTest(static_cast<int64_t>(i));
    (is_test ? data.test : data.train).push_back(documents[i]);
  }
  return data;
}

}  // namespace lockstep
