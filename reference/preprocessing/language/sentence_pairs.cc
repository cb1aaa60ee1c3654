#include "reference/preprocessing/language/sentence_pairs.h"

#include <algorithm>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/random/example_random.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

// So that pairs and masks of one seed do not draw the same numbers.
constexpr uint64_t kPairs = 0x7061697273;

constexpr int64_t kSpecialTokens = 3;

// A first axis of `length`, and 0 after the values.
template <typename T>
Tensor Padded(const std::vector<int64_t>& values, int64_t length, DType dtype) {
  Tensor padded = ZerosOnHost(Shape{length}, dtype);
  std::ranges::copy(values, padded.mutable_data<T>());
  return padded;
}

}  // namespace

SentencePairs::SentencePairs(std::vector<Document> documents,
                             const SentencePairOptions& options)
    : documents_(std::move(documents)), options_(options) {
  for (Document& document : documents_) {
    std::erase_if(document,
                  [](const auto& sentence) { return sentence.empty(); });
  }
  std::erase_if(documents_, [](const auto& each) { return each.empty(); });
  for (size_t d = 0; d < documents_.size(); ++d) {
    for (size_t s = 1; s < documents_[d].size(); ++s) places_.push_back({d, s});
  }
  if (places_.empty() || documents_.size() < 2 || options.length < 5) {
    throw InvalidArgument(
        "[SentencePairs] wanted a length of 5 or more, two documents or more "
        "and one with two sentences, got length {}, {} documents and {} places "
        "between sentences",
        options.length, documents_.size(), places_.size());
  }
}

SentencePair SentencePairs::Get(int64_t number, int64_t epoch) const {
  if (number < 0 || number >= size()) {
    throw InvalidArgument("[SentencePairs] there is no example {} of {}",
                          number, size());
  }
  Random random = ExampleRandom(options_.seed ^ kPairs, epoch, number);
  const Place& place = places_[number];
  const int64_t room = options_.length - kSpecialTokens;
  SentencePair pair;
  pair.follows = random.UniformInt(2) == 1;
  const SentenceTokens first = Before(place, room / 2);
  const SentenceTokens second =
      After(pair.follows ? place : AnotherDocument(place.document, random),
            room - std::ssize(first));
  pair.tokens.push_back(options_.first_token);
  pair.tokens.insert(pair.tokens.end(), first.begin(), first.end());
  pair.tokens.push_back(options_.separator);
  pair.types.resize(pair.tokens.size(), 0);
  pair.tokens.insert(pair.tokens.end(), second.begin(), second.end());
  pair.tokens.push_back(options_.separator);
  pair.types.resize(pair.tokens.size(), 1);
  return pair;
}

SentenceTokens SentencePairs::Before(const Place& place, int64_t most) const {
  const Document& document = documents_[place.document];
  SentenceTokens tokens = document[place.sentence - 1];
  for (size_t s = place.sentence - 1; s-- > 0;) {
    if (std::ssize(tokens) + std::ssize(document[s]) > most) break;
    tokens.insert(tokens.begin(), document[s].begin(), document[s].end());
  }
  tokens.resize(std::min<size_t>(tokens.size(), most));
  return tokens;
}

SentenceTokens SentencePairs::After(const Place& place, int64_t most) const {
  const Document& document = documents_[place.document];
  SentenceTokens tokens = document[place.sentence];
  for (size_t s = place.sentence + 1; s < document.size(); ++s) {
    if (std::ssize(tokens) + std::ssize(document[s]) > most) break;
    tokens.insert(tokens.end(), document[s].begin(), document[s].end());
  }
  tokens.resize(std::min<size_t>(tokens.size(), most));
  return tokens;
}

SentencePairs::Place SentencePairs::AnotherDocument(size_t than,
                                                    Random& random) const {
  size_t document = random.UniformInt(documents_.size() - 1);
  if (document >= than) ++document;
  return {document, random.UniformInt(documents_[document].size())};
}

Structure PretrainingExample(const SentencePairs& pairs, int64_t number,
                             int64_t epoch, int64_t length,
                             const MaskingOptions& masking) {
  const SentencePair pair = pairs.Get(number, epoch);
  if (std::ssize(pair.tokens) > length) {
    throw InvalidArgument(
        "[PretrainingExample] example {} has {} tokens, wanted at most {}",
        number, pair.tokens.size(), length);
  }
  const MaskedTokens masked = MaskTokens(pair.tokens, number, masking, epoch);
  const int64_t most = masking.most_predictions;
  const std::vector<int64_t> there(pair.tokens.size(), 1);
  const std::vector<int64_t> predicted(masked.labels.size(), 1);
  return Structure::Tuple(
      {Padded<int64_t>(masked.tokens, length, DType::kInt64),
       Padded<int64_t>(there, length, DType::kInt64),
       Padded<int64_t>(pair.types, length, DType::kInt64),
       Padded<int64_t>(masked.positions, most, DType::kInt64),
       Padded<int64_t>(masked.labels, most, DType::kInt64),
       Padded<float>(predicted, most, DType::kFloat32),
       Tensor::Scalar<int64_t>(pair.follows, CurrentHost())});
}

}  // namespace lockstep
