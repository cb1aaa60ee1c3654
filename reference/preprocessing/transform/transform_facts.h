// What an analysis has found of each column, and the folder that has it.
//
//   transform.json              the columns, with their numbers; written last
//   vocabulary-0-1f2e3d4c.txt   the words of column 0, one in each line
//
// The name of a vocabulary has the start of its hash: a new analysis into the
// same folder never changes a file that a program may have mapped, and a folder
// without a complete transform.json has nothing yet. Earlier vocabularies stay.
// docs/formats.md describes the JSON.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_TRANSFORM_FACTS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_TRANSFORM_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reference/preprocessing/transform/recipe.h"

namespace lockstep::preprocessing_internal {

struct ColumnFacts {
  Column column;
  // kZScore: one for each last index; of vectors only one, and `is_scalar`.
  std::vector<float> mean = {}, variance = {};
  bool is_scalar = false;
  int64_t count = 0;
  std::vector<float> boundaries = {};  // kBins
  // kWordIds: to be written, or the file that was read.
  std::vector<std::string> words = {};
  std::string vocabulary_file = "";
};

// Makes the folder if needed. Errors: those of AtomicFile.
void WriteFacts(const std::vector<ColumnFacts>& facts,
                const std::string& folder);

// Errors: NotFound without transform.json; Unimplemented for another version;
// DataLoss for a damaged one, and for a vocabulary that is missing or whose
// bytes are not those that were written.
std::vector<ColumnFacts> ReadFacts(const std::string& folder);

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_TRANSFORM_FACTS_H_
