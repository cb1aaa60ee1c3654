#include "reference/export/keras/vocabulary_file.h"

#include <algorithm>
#include <array>

#include "reference/base/error.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep::export_internal {
namespace {

// Where Python's str.splitlines ends a line.
constexpr std::array<std::string_view, 10> kLineEnds = {
    "\n",   "\v",   "\f",       "\r",           "\x1c",
    "\x1d", "\x1e", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};

bool HasLineEnd(std::string_view word) {
  return std::ranges::any_of(kLineEnds, [word](std::string_view end) {
    return word.find(end) != std::string_view::npos;
  });
}

}  // namespace

std::string EncodeVocabulary(const std::vector<std::string>& words,
                             const std::string& layer) {
  std::string bytes;
  for (size_t id = 0; id < words.size(); ++id) {
    if (HasLineEnd(words[id])) {
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
