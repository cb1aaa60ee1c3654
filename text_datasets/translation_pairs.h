// Sentences and their translations, for training a translator.
//
//   const auto pairs = ReadCatalogPairs(folder, "de");
//   pairs[0].source;   // "a disk block could not be read"
//   const TranslationData data = SplitPairs(pairs, {.test_share = 0.2});
//
// Catalogs of programs are a narrow domain: a score on them compares with no
// published one.
#ifndef LOCKSTEP_TEXT_DATASETS_TRANSLATION_PAIRS_H_
#define LOCKSTEP_TEXT_DATASETS_TRANSLATION_PAIRS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text_datasets/mo_catalog.h"
#include "text_datasets/test_split.h"

namespace lockstep {

struct TranslationPair {
  std::string source;
  std::string target;

  auto operator<=>(const TranslationPair&) const = default;
};

// The number of words: each of the marks . ? ! , is one, and so is each run of
// letters, digits and underscores; of characters outside ASCII all but spaces
// and common punctuation are letters.
//
//   CountWords("Hello, wor_ld! (2)");   // 5
int64_t CountWords(std::string_view text);

struct PairOptions {
  int64_t least_words = 3;  // of the original
  int64_t most_words = 15;
  int64_t most_target_words = 18;
};

// Messages that are sentences: without a plural form, with another text as
// translation, of that many words, and without signs of formats, markup and line
// ends in the original (<>%{}\ and "\n"). Each pair once, sorted.
std::vector<TranslationPair> PairsOf(const std::vector<CatalogEntry>& entries,
                                     const PairOptions& options = {});

// Of all catalogs FOLDER/*/usr/share/locale/LANGUAGE/LC_MESSAGES/*.mo, as
// unpacked packages of Debian have them. Errors: NotFound without any; of
// ReadMoFile.
std::vector<TranslationPair> ReadCatalogPairs(const std::string& folder,
                                              const std::string& language,
                                              const PairOptions& options = {});

struct TranslationData {
  std::string description = "";  // for reports
  std::vector<TranslationPair> train = {};
  std::vector<TranslationPair> test = {};
};

// Pairs with the same source go to the same part; which, depends on the seed and
// the number of the source among all in order. REQUIRES: sorted pairs. Errors: of
// TestSplit.
TranslationData SplitPairs(const std::vector<TranslationPair>& pairs,
                           const SplitOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_TRANSLATION_PAIRS_H_
