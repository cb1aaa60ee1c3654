// Manuals in English, for training a model of language.
//
//   const auto documents = ReadManuals(folder);
//   documents[0];   // {"A boat has one owner.", "Others may borrow it."}
//   const DocumentData data = SplitDocuments(documents, {.test_share = 0.1});
#ifndef LOCKSTEP_TEXT_DATASETS_MANUALS_H_
#define LOCKSTEP_TEXT_DATASETS_MANUALS_H_

#include <string>
#include <vector>

#include "text_datasets/test_split.h"

namespace lockstep {

// The sections (plain_text.h) of all files FOLDER/*/usr/share/**/*.txt.gz, as
// unpacked packages of Debian have them, in the order of their names. Each
// sentence is there once, where the same words (split_words.h) come first: so
// however the documents are divided, no part has a sentence of another one.
// Documents without a sentence are left out. Errors: NotFound without any file;
// of ReadPlainText.
std::vector<std::vector<std::string>> ReadManuals(const std::string& folder);

struct DocumentData {
  std::vector<std::vector<std::string>> train = {};
  std::vector<std::vector<std::string>> test = {};
};

// Whole documents, by their number. Errors: of TestSplit.
DocumentData SplitDocuments(
    const std::vector<std::vector<std::string>>& documents,
    const SplitOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_MANUALS_H_
