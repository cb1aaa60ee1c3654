#include "reference/preprocessing/language/masking.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/random/example_random.h"

namespace lockstep {
namespace {

void CheckOptions(const MaskingOptions& options) {
  const auto is_share = [](double share) { return share >= 0 && share <= 1; };
  if (!is_share(options.share) || !is_share(options.mask_share) ||
      !is_share(options.random_share) ||
      options.mask_share + options.random_share > 1 + 1e-9) {
    throw InvalidArgument(
        "[MaskTokens] wanted shares between 0 and 1, got {} of the tokens, {} "
        "masked and {} random of them",
        options.share, options.mask_share, options.random_share);
  }
  if (options.first_word >= options.vocabulary ||
      options.most_predictions < 1) {
    throw InvalidArgument(
        "[MaskTokens] wanted first_word < vocabulary and most_predictions >= "
        "1, got {}, {} and {}",
        options.first_word, options.vocabulary, options.most_predictions);
  }
}

std::vector<int64_t> PositionsOfWords(std::span<const int64_t> tokens,
                                      int64_t first_word) {
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < std::ssize(tokens); ++i) {
    if (tokens[i] >= first_word) positions.push_back(i);
  }
  return positions;
}

// Half rounds to even, as Python's round does, which BERT's code has.
int64_t CountToPredict(size_t tokens, size_t words,
                       const MaskingOptions& options) {
  const auto share = static_cast<int64_t>(
      std::nearbyint(static_cast<double>(tokens) * options.share));
  return std::min({std::max<int64_t>(share, 1), options.most_predictions,
                   static_cast<int64_t>(words)});
}

int64_t Replacement(int64_t token, const MaskingOptions& options,
                    Random& random) {
  const double draw = random.UniformFloat();
  if (draw < options.mask_share) return options.mask_token;
  if (draw >= options.mask_share + options.random_share) return token;
  return options.first_word + static_cast<int64_t>(random.UniformInt(
                                  options.vocabulary - options.first_word));
}

}  // namespace

MaskedTokens MaskTokens(std::span<const int64_t> tokens, int64_t example,
                        const MaskingOptions& options, int64_t epoch) {
  CheckOptions(options);
  Random random = ExampleRandom(options.seed, epoch, example);
  MaskedTokens masked{{tokens.begin(), tokens.end()}, {}, {}};
  std::vector<int64_t>& positions = masked.positions;
  positions = PositionsOfWords(tokens, options.first_word);
  const int64_t count =
      CountToPredict(tokens.size(), positions.size(), options);
  // The first `count` of a shuffle.
  for (int64_t i = 0; i < count; ++i) {
    std::swap(positions[i],
              positions[i + random.UniformInt(positions.size() - i)]);
  }
  positions.resize(count);
  std::ranges::sort(positions);
  for (const int64_t position : positions) {
    masked.labels.push_back(tokens[position]);
    masked.tokens[position] = Replacement(tokens[position], options, random);
  }
  return masked;
}

}  // namespace lockstep
