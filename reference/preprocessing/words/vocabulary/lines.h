// Which words a file can have, one in each line.
//
//   FitsALine("a b");              // true
//   FitsALine("a\nb");             // false
//   FitsALineOfPython("a\vb");     // false: Python ends a line there
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_LINES_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_LINES_H_

#include <string_view>

namespace lockstep::words_internal {

// Whether Vocabulary::FromFile and TensorFlow's tables read the word as one line: it
// is not empty and has neither a line feed nor a carriage return.
bool FitsALine(std::string_view word);

// Whether Python's str.splitlines, by which Keras reads vocabularies, finds no end of
// a line in the word. It may be empty.
bool FitsALineOfPython(std::string_view word);

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_LINES_H_
