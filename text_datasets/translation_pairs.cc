#include "text_datasets/translation_pairs.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>

#include "reference/base/error.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep {
namespace {

constexpr std::string_view kMarks = ".?!,";
constexpr std::string_view kNotInSentences = "<>%{}\\\n";

// The code point of a character of UTF-8; 0 for bytes that are none.
uint32_t CodePointOf(std::string_view character, bool valid) {
  if (!valid) return 0;
  const auto first = static_cast<uint8_t>(character[0]);
  if (first < 0x80) return first;
  uint32_t point = first & (0x7f >> character.size());
  for (const char byte : character.substr(1))
    point = point << 6 | (byte & 0x3f);
  return point;
}

// Letters, digits and "_". Outside ASCII: not the signs of Latin-1, not general
// punctuation, arrows to symbols, and the punctuation of CJK.
bool IsWordCharacter(uint32_t point) {
  if (point < 0x80) {
    return (point >= '0' && point <= '9') || (point >= 'A' && point <= 'Z') ||
           (point >= 'a' && point <= 'z') || point == '_';
  }
  if (point < 0xc0) {
    return point == 0xaa || point == 0xb2 || point == 0xb3 || point == 0xb5 ||
           point == 0xb9 || point == 0xba || (point >= 0xbc && point <= 0xbe);
  }
  return point != 0xd7 && point != 0xf7 &&
         !(point >= 0x2000 && point <= 0x206f) &&
         !(point >= 0x20a0 && point <= 0x20cf) &&
         !(point >= 0x2190 && point <= 0x2bff) &&
         !(point >= 0x3000 && point <= 0x303f && point != 0x3005);
}

bool IsSentence(const CatalogEntry& entry, const PairOptions& options) {
  if (entry.has_plural || entry.translation.empty() ||
      entry.original == entry.translation ||
      entry.original.find_first_of(kNotInSentences) != std::string::npos) {
    return false;
  }
  const int64_t words = CountWords(entry.original);
  const int64_t target_words = CountWords(entry.translation);
  return words >= options.least_words && words <= options.most_words &&
         target_words >= 1 && target_words <= options.most_target_words;
}

// Sorted.
std::vector<std::string> CatalogsIn(const std::string& folder,
                                    const std::string& language) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code problem;
  for (const auto& package : fs::directory_iterator(folder, problem)) {
    const fs::path messages =
        package.path() / "usr" / "share" / "locale" / language / "LC_MESSAGES";
    for (const auto& file : fs::directory_iterator(messages, problem)) {
      if (file.path().extension() == ".mo") files.push_back(file.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int64_t CountWords(std::string_view text) {
  int64_t words = 0;
  bool inside = false;
  while (!text.empty()) {
    const auto [bytes, valid] = words_internal::FirstCharacter(text);
    const bool in_word =
        IsWordCharacter(CodePointOf(text.substr(0, bytes), valid));
    const bool is_mark = kMarks.find(text[0]) != std::string_view::npos;
    words += is_mark || (in_word && !inside);
    inside = in_word;
    text.remove_prefix(bytes);
  }
  return words;
}

std::vector<TranslationPair> PairsOf(const std::vector<CatalogEntry>& entries,
                                     const PairOptions& options) {
  std::set<TranslationPair> pairs;
  for (const CatalogEntry& entry : entries) {
    if (IsSentence(entry, options)) {
      pairs.insert({entry.original, entry.translation});
    }
  }
  return {pairs.begin(), pairs.end()};
}

std::vector<TranslationPair> ReadCatalogPairs(const std::string& folder,
                                              const std::string& language,
                                              const PairOptions& options) {
  const std::vector<std::string> files = CatalogsIn(folder, language);
  if (files.empty()) {
    throw NotFound(
        "[ReadCatalogPairs] {} has no package with usr/share/locale/{}/"
        "LC_MESSAGES/*.mo; `./bazelw run //text_datasets:fetch` gets some",
        folder, language);
  }
  std::vector<CatalogEntry> entries;
  for (const std::string& file : files) {
    const auto more = ReadMoFile(file);
    entries.insert(entries.end(), more.begin(), more.end());
  }
  return PairsOf(entries, options);
}

TranslationData SplitPairs(const std::vector<TranslationPair>& pairs,
                           const SplitOptions& options) {
  const TestSplit split(options);
  TranslationData data;
  int64_t source = -1;
  bool is_test = false;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (i == 0 || pairs[i].source != pairs[i - 1].source) {
      is_test = split.IsTest(++source);
    }
    (is_test ? data.test : data.train).push_back(pairs[i]);
  }
  return data;
}

}  // namespace lockstep
