// Vocabularies as Keras stores them in a .keras file: the words of all ids, one
// in a line.
//
//   EncodeVocabulary({"[UNK]", "b", "a"}, "string_lookup");   // "[UNK]\nb\na"
//   DecodeVocabulary("[UNK]\nb\na", "model.keras: 'vocabulary.txt'");
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_VOCABULARY_FILE_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_VOCABULARY_FILE_H_

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::export_internal {

// Errors, with the layer and the word: InvalidArgument for what Keras would read
// as other words: one that has what Python takes for the end of a line, and an
// empty one other than the first, which is the mask.
std::string EncodeVocabulary(const std::vector<std::string>& words,
                             const std::string& layer);

// The last line may have no end; a carriage return at the end of a line is not
// part of the word. Errors: InvalidArgument, with `origin` and the line, for no
// lines, an empty one other than the first, and one that is not UTF-8.
std::vector<std::string> DecodeVocabulary(std::string_view bytes,
                                          const std::string& origin);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_VOCABULARY_FILE_H_
