// The words of texts: lower case, without punctuation, split, joined to
// n-grams.
//
//   Tokenizer tokenizer({.ngrams = {1, 2}});
//   tokenizer.Split("The cat!");   // {"the", "cat", "the cat"}
//
// A tokenizer keeps its memory for the next text; threads have one each.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_TOKENS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_TOKENS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// What is changed before a text is split, in bytes of ASCII only. Punctuation,
// !"#$%&()*+,-./:;<=>?@[\]^_`{|}~', is removed and leaves no space.
enum class Standardize {
  kNone,
  kLower,
  kStripPunctuation,
  kLowerAndStripPunctuation,
};

// Where a text is split: at white space (bytes 9 to 13, and the space), after
// each character of UTF-8 (an invalid one becomes U+FFFD), or nowhere.
enum class SplitAt { kNothing, kWhitespace, kCharacter };

namespace words_internal {

struct TokenizerOptions {
  Standardize standardize = Standardize::kLowerAndStripPunctuation;
  SplitAt split = SplitAt::kWhitespace;
  // The numbers of tokens that are joined by spaces, in the order of the
  // results; nothing for tokens as they are.
  std::optional<std::vector<int64_t>> ngrams = std::nullopt;
};

class Tokenizer {
 public:
  // REQUIRES: all of ngrams are positive.
  explicit Tokenizer(TokenizerOptions options) : options_(std::move(options)) {}

  // The tokens of some texts, which are parts of one; valid until the next
  // call.
  const std::vector<std::string_view>& Split(
      std::span<const std::string> texts);
  const std::vector<std::string_view>& Split(const std::string& text) {
    return Split(std::span(&text, 1));
  }

 private:
  // Adds the changed text to text_, which has room for it.
  std::string_view Standardized(std::string_view text);
  void AddWords(std::string_view text);
  void AddCharacters(std::string_view text);
  void JoinNgrams();

  TokenizerOptions options_;
  std::string text_;    // of the tokens
  std::string joined_;  // of the n-grams
  std::vector<std::string_view> tokens_;
  std::vector<std::string_view> ngrams_;
};

}  // namespace words_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_TOKENS_H_
