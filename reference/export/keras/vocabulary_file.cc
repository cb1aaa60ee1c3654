#include "reference/export/keras/vocabulary_file.h"

#include <algorithm>

#include "reference/base/error.h"
#include "reference/preprocessing/words/vocabulary/lines.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep::export_internal {

std::string EncodeVocabulary(const std::vector<std::string>& words,
                             const std::string& layer) {
  std::string bytes;
  for (size_t id = 0; id < words.size(); ++id) {
    if (!words_internal::FitsALineOfPython(words[id])) {
      throw InvalidArgument(
          "[Save] the word of id {} of '{}' has the end of a line, which a "
          "file "
          "of words cannot hold; remove such words from the data",
          id, layer);
    }
    if (id > 0 && words[id].empty()) {
      throw InvalidArgument(
          "[Save] the word of id {} of '{}' is empty, which a file of words "
          "cannot hold; make '' the layer's mask_token",
          id, layer);
    }
    if (id > 0) bytes += '\n';
    bytes += words[id];
  }
  return bytes;
}

std::vector<std::string> DecodeVocabulary(std::string_view bytes,
                                          const std::string& origin) {
  if (bytes.empty()) throw InvalidArgument("{} has no words", origin);
  std::vector<std::string> words;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view word = bytes.substr(begin, end - begin);
    if (word.ends_with('\r')) word.remove_suffix(1);
    if (word.empty() && begin > 0) {
      throw InvalidArgument("{}: line {} is empty", origin, words.size() + 1);
    }
    if (!words_internal::IsUtf8(word)) {
      throw InvalidArgument("{}: line {} is not UTF-8", origin,
                            words.size() + 1);
    }
    words.emplace_back(word);
    begin = end + 1;
  }
  return words;
}

}  // namespace lockstep::export_internal
