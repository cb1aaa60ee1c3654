// TensorFlow's hashes of words, and the bins that its preprocessing layers make
// of them.
//
//   Fingerprint("a");                          // 0xb3454265b6df75e3
//   WordHash().Bin("a", 1000);                 // 939
//   WordHash(Salt(133, 137)).Bin("a", 1000);   // 354
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_WORD_HASH_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_WORD_HASH_H_

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep {

// Two numbers that change a hash, or one number for both: Salt(133).
struct Salt {
  Salt(int64_t both) : first(both), second(both) {}  // NOLINT: as in Keras
  Salt(int64_t first, int64_t second) : first(first), second(second) {}

  std::array<int64_t, 2> ToArray() const { return {first, second}; }

  int64_t first;
  int64_t second;
};

namespace words_internal {

// FarmHash's Fingerprint64.
uint64_t Fingerprint(std::string_view word);

// Fingerprint, or with a salt SipHash-2-4 with the salt as its key.
class WordHash {
 public:
  explicit WordHash(const std::optional<Salt>& salt = std::nullopt)
      : salt_(salt) {}

  uint64_t operator()(std::string_view word) const;
  // In 0..bins-1. REQUIRES: bins > 0.
  int64_t Bin(std::string_view word, int64_t bins) const {
    return static_cast<int64_t>((*this)(word) % static_cast<uint64_t>(bins));
  }

 private:
  std::optional<Salt> salt_;
};

// The hash of several features, one after another; the order matters.
//
//   uint64_t hash = kCrossSeed;
//   hash = CrossHash(hash, Fingerprint("A"));
// X
inline constexpr uint64_t kCrossSeed = 0xDECAFCAFFE;
uint64_t CrossHash(uint64_t hash, uint64_t feature);

// An integer as a decimal text, without an allocation.
class DecimalText {
 public:
  explicit DecimalText(int64_t number)
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), number)
                 .ptr) {}
  DecimalText(const DecimalText&) = delete;
  DecimalText& operator=(const DecimalText&) = delete;

  std::string_view view() const {
    return {text_.data(), static_cast<size_t>(end_ - text_.data())};
  }

 private:
  std::array<char, 20> text_;  // "-9223372036854775808"
  const char* end_;
};

}  // namespace words_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_WORD_HASH_H_
