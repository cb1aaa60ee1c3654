// Pairs are counted once. A merge changes the counts of the words that have the
// pair only, which are found by an index from pairs to words. The index may name
// words that no longer have the pair; they are passed over.
#include "reference/preprocessing/language/train_word_pieces.h"

#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "reference/base/error.h"
#include "reference/preprocessing/language/split_words.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep {
namespace {

using Pair = std::pair<int, int>;  // numbers of pieces

struct Word {
  std::vector<int> pieces;
  int64_t count;
};

class Merger {
 public:
  explicit Merger(const std::map<std::string, int64_t, std::less<>>& counts) {
    std::set<std::string> first, inside;
    for (const auto& [word, count] : counts) {
      const auto characters = CharactersOf(word);
      first.insert(characters.front());
      inside.insert(std::next(characters.begin()), characters.end());
    }
    for (const std::string& piece : first) Number(piece);
    for (const std::string& piece : inside) Number(piece);
    for (const auto& [word, count] : counts) {
      Word next{{}, count};
      for (const std::string& piece : CharactersOf(word)) {
        next.pieces.push_back(Number(piece));
      }
      words_.push_back(std::move(next));
      CountPairs(words_.size() - 1, +1);
    }
  }

  const std::vector<std::string>& pieces() const { return pieces_; }

  // Makes the most frequent pair a piece; false if none is frequent enough.
  bool MergeOne(int64_t least_count) {
    const std::optional<Pair> best = MostFrequent(least_count);
    if (!best) return false;
    // "a" and "##b" are "ab".
    const int merged =
        Number(pieces_[best->first] + pieces_[best->second].substr(2));
    const std::set<size_t> words = std::move(places_[*best]);
    places_.erase(*best);
    for (const size_t word : words) {
      CountPairs(word, -1);
      Replace(words_[word].pieces, *best, merged);
      CountPairs(word, +1);
    }
    return true;
  }

 private:
  // All but the first with "##". REQUIRES: not empty.
  static std::vector<std::string> CharactersOf(std::string_view word) {
    std::vector<std::string> characters;
    while (!word.empty()) {
      const size_t bytes = words_internal::FirstCharacter(word).bytes;
      characters.push_back((characters.empty() ? "" : "##") +
                           std::string(word.substr(0, bytes)));
      word.remove_prefix(bytes);
    }
    return characters;
  }

  int Number(const std::string& piece) {
    const auto [place, is_new] =
        numbers_.emplace(piece, static_cast<int>(pieces_.size()));
    if (is_new) pieces_.push_back(piece);
    return place->second;
  }

  void CountPairs(size_t word, int sign) {
    const auto& [pieces, count] = words_[word];
    for (size_t i = 0; i + 1 < pieces.size(); ++i) {
      const Pair pair(pieces[i], pieces[i + 1]);
      int64_t& total = counts_[pair];
      total += sign * count;
      if (sign > 0) {
        places_[pair].insert(word);
      } else if (total == 0) {
        counts_.erase(pair);
        places_.erase(pair);
      }
    }
  }

  std::optional<Pair> MostFrequent(int64_t least_count) const {
    std::optional<Pair> best;
    int64_t most = least_count - 1;
    for (const auto& [pair, count] : counts_) {
      if (count < most || (count == most && !best)) continue;
      if (count > most || TextOf(pair) < TextOf(*best)) best = pair;
      most = count;
    }
    return best;
  }

  std::pair<std::string_view, std::string_view> TextOf(const Pair& pair) const {
    return {pieces_[pair.first], pieces_[pair.second]};
  }

  static void Replace(std::vector<int>& pieces, const Pair& pair, int merged) {
    std::vector<int> replaced;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (i + 1 < pieces.size() && Pair(pieces[i], pieces[i + 1]) == pair) {
        replaced.push_back(merged);
        ++i;
      } else {
        replaced.push_back(pieces[i]);
      }
    }
    pieces = std::move(replaced);
  }

  std::vector<std::string> pieces_;
  std::map<std::string, int> numbers_;
  std::vector<Word> words_;
  std::map<Pair, int64_t> counts_;
  std::map<Pair, std::set<size_t>> places_;
};

}  // namespace

void WordPieceTrainer::Add(std::string_view text) {
  for (std::string& word : SplitWords(text)) {
    if (words_internal::IsUtf8(word)) ++counts_[std::move(word)];
  }
}

void WordPieceTrainer::Merge(const WordPieceTrainer& others) {
  for (const auto& [word, count] : others.counts_) counts_[word] += count;
}

std::vector<std::string> WordPieceTrainer::Train(
    const WordPieceOptions& options) const {
  if (options.size < 1 || options.least_count < 1) {
    throw InvalidArgument(
        "[TrainWordPieces] wanted size >= 1 and least_count >= 1, got {} and "
        "{}",
        options.size, options.least_count);
  }
  std::vector<std::string> vocabulary = options.special;
  Merger merger(counts_);
  while (std::ssize(vocabulary) + std::ssize(merger.pieces()) < options.size &&
         merger.MergeOne(options.least_count)) {
  }
  vocabulary.insert(vocabulary.end(), merger.pieces().begin(),
                    merger.pieces().end());
  return vocabulary;
}

}  // namespace lockstep
