// A flat hash table from words to their positions in a list of the caller's.
// The list has the words; the table has eight bytes for a slot.
//
//   std::vector<std::string> list;
//   WordTable table;
//   const auto is = [&](std::string_view word) {
//     return [&list, word](int64_t index) { return list[index] == word; };
//   };
//   table.FindOrAdd(HashWord("a"), is("a"));   // 0, and list.push_back("a")
//   table.Find(HashWord("a"), is("a"));        // 0
//   table.Find(HashWord("b"), is("b"));        // kNoWord
//
// Reading is thread-safe.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_WORD_TABLE_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_WORD_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"

namespace lockstep::words_internal {

inline constexpr int64_t kNoWord = -1;

// 32 bits, so that a table grows without reading the words again.
inline uint32_t HashWord(std::string_view word) {
  const uint64_t hash = std::hash<std::string_view>()(word);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

class WordTable {
 public:
  int64_t size() const { return size_; }

  // The position of the word with this hash for which equals(position) holds,
  // or kNoWord.
  template <typename Equals>
  int64_t Find(uint32_t hash, const Equals& equals) const {
    const uint64_t slot = slots_[SlotOf(hash, equals)];
    return static_cast<int64_t>(PositionPlusOne(slot)) - 1;
  }

  // The same, but a word that is missing gets the position size(), and size()
  // grows: then the caller appends it to the list. Errors: ResourceExhausted
  // for more than 2^31 words.
  template <typename Equals>
  int64_t FindOrAdd(uint32_t hash, const Equals& equals) {
    size_t index = SlotOf(hash, equals);
    if (slots_[index] != 0) {
      return static_cast<int64_t>(PositionPlusOne(slots_[index])) - 1;
    }
    if (IsFull()) {
      Grow();
      index = FreeSlot(slots_, hash);
    }
    slots_[index] = MakeSlot(hash, static_cast<uint32_t>(size_ + 1));
    return size_++;
  }

  // Makes room for that many words.
  void Reserve(int64_t words) {
    while (static_cast<int64_t>(slots_.size()) / 3 * 2 < words) Grow();
  }

 private:
  static constexpr int64_t kMostWords = int64_t{1} << 31;

  static uint64_t MakeSlot(uint32_t hash, uint32_t position_plus_one) {
    return uint64_t{hash} << 32 | position_plus_one;
  }
  static uint32_t HashOf(uint64_t slot) {
    return static_cast<uint32_t>(slot >> 32);
  }
  static uint32_t PositionPlusOne(uint64_t slot) {
    return static_cast<uint32_t>(slot);
  }

  // The word's slot, or the free one where it belongs.
  template <typename Equals>
  size_t SlotOf(uint32_t hash, const Equals& equals) const {
    const size_t mask = slots_.size() - 1;
    size_t index = hash & mask;
    while (
        slots_[index] != 0 &&
        !(HashOf(slots_[index]) == hash &&
          equals(static_cast<int64_t>(PositionPlusOne(slots_[index])) - 1))) {
      index = (index + 1) & mask;
    }
    return index;
  }

  static size_t FreeSlot(const std::vector<uint64_t>& slots, uint32_t hash) {
    const size_t mask = slots.size() - 1;
    size_t index = hash & mask;
    while (slots[index] != 0) index = (index + 1) & mask;
    return index;
  }

  bool IsFull() const {
    return size_ >= static_cast<int64_t>(slots_.size()) / 3 * 2;
  }

  void Grow() {
    if (size_ >= kMostWords) {
      throw ResourceExhausted("[Vocabulary] it has more than {} words",
                              kMostWords);
    }
    std::vector<uint64_t> larger(2 * slots_.size());
    for (const uint64_t slot : slots_) {
      if (slot != 0) larger[FreeSlot(larger, HashOf(slot))] = slot;
    }
    slots_ = std::move(larger);
  }

  // A hash, and a position + 1; 0 is free. A power of two of them.
  std::vector<uint64_t> slots_ = std::vector<uint64_t>(16);
  int64_t size_ = 0;
};

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_WORD_TABLE_H_
