#include "reference/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <span>
#include <utility>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

constexpr int kLongest = BleuCounts::kLongest;

// N-gram -> how often it occurs.
template <typename Word>
using NgramCounts = std::map<std::vector<Word>, int64_t>;

template <typename Word>
NgramCounts<Word> NgramsOf(const std::vector<Word>& words, size_t n) {
  NgramCounts<Word> counts;
  for (size_t i = 0; i + n <= words.size(); ++i) {
    ++counts[{words.begin() + i, words.begin() + i + n}];
  }
  return counts;
}

template <typename Word>
int64_t MatchesOf(const std::vector<Word>& candidate,
                  const std::vector<std::vector<Word>>& references, size_t n) {
  NgramCounts<Word> most;
  for (const std::vector<Word>& reference : references) {
    for (const auto& [ngram, count] : NgramsOf(reference, n)) {
      most[ngram] = std::max(most[ngram], count);
    }
  }
  int64_t matches = 0;
  for (const auto& [ngram, count] : NgramsOf(candidate, n)) {
    const auto found = most.find(ngram);
    if (found != most.end()) matches += std::min(count, found->second);
  }
  return matches;
}

template <typename Word>
int64_t ClosestLength(int64_t length,
                      const std::vector<std::vector<Word>>& references) {
  const auto distance = [&](const std::vector<Word>& reference) {
    const int64_t words = std::ssize(reference);
    return std::pair(std::abs(words - length), words);
  };
  return std::ssize(*std::ranges::min_element(references, {}, distance));
}

template <typename Word>
BleuCounts Count(const std::vector<Word>& candidate,
                 const std::vector<std::vector<Word>>& references) {
  if (references.empty()) {
    throw InvalidArgument("[CountNgrams] wanted one reference or more, got 0");
  }
  BleuCounts counts;
  counts.candidate_words = std::ssize(candidate);
  counts.reference_words = ClosestLength(std::ssize(candidate), references);
  for (int n = 1; n <= kLongest; ++n) {
    counts.matches[n - 1] = MatchesOf(candidate, references, n);
    counts.possible[n - 1] =
        std::max<int64_t>(std::ssize(candidate) - n + 1, 0);
  }
  return counts;
}

// The tokens of a row that are words.
WordNumbers WordsOf(const Tensor& rows, int64_t row,
                    const BleuOptions& options) {
  const int64_t length = rows.dim(1);
  WordNumbers words;
  for (const int64_t token :
       rows.span<int64_t>().subspan(row * length, length)) {
    if (token == options.end_token) break;
    if (std::ranges::count(options.ignored_tokens, token) == 0) {
      words.push_back(token);
    }
  }
  return words;
}

void CheckBatch(const std::string& name, const Tensor& labels,
                const Tensor& predictions) {
  if (labels.rank() != 2 || predictions.rank() != 2 ||
      labels.dim(0) != predictions.dim(0)) {
    throw InvalidArgument(
        "[{}] wanted tokens (rows, length) with as many rows of references, "
        "got {} and {}",
        name, Describe(predictions), Describe(labels));
  }
  if (!predictions.on_host() || !labels.on_host()) {
    throw Unimplemented("[{}] has no kernel for predictions on {}", name,
                        predictions.device().name());
  }
}

Tensor FloatsOf(std::span<const int64_t> counts) {
  Tensor floats = EmptyOnHost(Shape{std::ssize(counts)});
  std::ranges::copy(counts, floats.mutable_data<float>());
  return floats;
}

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (int n = 0; n < kLongest; ++n) {
    matches[n] += other.matches[n];
    possible[n] += other.possible[n];
  }
  candidate_words += other.candidate_words;
  reference_words += other.reference_words;
  return *this;
}

BleuCounts CountNgrams(const Words& candidate,
                       const std::vector<Words>& references) {
  return Count(candidate, references);
}

BleuCounts CountNgrams(const WordNumbers& candidate,
                       const std::vector<WordNumbers>& references) {
  return Count(candidate, references);
}

double BleuOf(const BleuCounts& counts) {
  double log_sum = 0;
  for (int n = 0; n < kLongest; ++n) {
    if (counts.matches[n] == 0) return 0;
    log_sum += std::log(static_cast<double>(counts.matches[n]) /
                        static_cast<double>(counts.possible[n]));
  }
  const double ratio = static_cast<double>(counts.reference_words) /
                       static_cast<double>(counts.candidate_words);
  return std::exp(log_sum / kLongest + std::min(0.0, 1 - ratio));
}

Bleu::Bleu(BleuOptions options)
    : Metric(options.name),
      options_(std::move(options)),
      matches_(AddState("matches", Shape{kLongest})),
      possible_(AddState("possible", Shape{kLongest})),
      words_(AddState("words", Shape{2})) {}

void Bleu::UpdateState(const Tensor& labels, const Tensor& predictions,
                       const std::optional<Tensor>& sample_weight) {
  CheckBatch(name(), labels, predictions);
  const int64_t rows = labels.dim(0);
  const Tensor references = labels.Cast(DType::kInt64);
  const Tensor candidates = predictions.Cast(DType::kInt64);
  const RowWeights weights(ZerosOnHost(Shape{rows}), sample_weight);
  BleuCounts counts;
  for (int64_t row = 0; row < rows; ++row) {
    const double weight = weights.At(row);
    if (weight != 0 && weight != 1) {
      throw InvalidArgument(
          "[{}] the weight of row {} is {}, wanted 0 or 1: whether the "
          "sentence counts",
          name(), row, weight);
    }
    if (weight == 0) continue;
    counts += Count(WordsOf(candidates, row, options_),
                    {WordsOf(references, row, options_)});
  }
  AddCounts(counts);
}

void Bleu::AddCounts(const BleuCounts& counts) {
  AddTo(matches_, FloatsOf(counts.matches));
  AddTo(possible_, FloatsOf(counts.possible));
  AddTo(words_,
        FloatsOf(std::array{counts.candidate_words, counts.reference_words}));
}

double Bleu::Result() const {
  const std::vector<double> matches = ReadAll(matches_);
  const std::vector<double> possible = ReadAll(possible_);
  const std::vector<double> words = ReadAll(words_);
  BleuCounts counts;
  std::ranges::copy(matches, counts.matches.begin());
  std::ranges::copy(possible, counts.possible.begin());
  counts.candidate_words = static_cast<int64_t>(words[0]);
  counts.reference_words = static_cast<int64_t>(words[1]);
  return BleuOf(counts);
}

}  // namespace lockstep
