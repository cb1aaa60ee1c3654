// Scores are whole numbers, so that no rounding decides what a user rates.
#include "rating_datasets/synthetic_ratings.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/random/example_random.h"

namespace lockstep {
namespace {

constexpr int64_t kLargestFactor = 100;
constexpr double kRating = 5;

// What numbers are drawn for, in place of an epoch.
enum Purpose { kUserFactors, kItemFactors, kNoise, kOrder };

// Uniform in -most to most.
int64_t Symmetric(Random& random, int64_t most) {
  return static_cast<int64_t>(random.UniformInt(2 * most + 1)) - most;
}

std::vector<int64_t> FactorsOf(const SyntheticRatingOptions& options,
                               Purpose purpose, int64_t number) {
  Random random = ExampleRandom(options.seed, purpose, number);
  std::vector<int64_t> factors;
  for (int64_t i = 0; i < options.factors; ++i) {
    factors.push_back(Symmetric(random, kLargestFactor));
  }
  return factors;
}

int64_t Product(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0});
}

void Check(const SyntheticRatingOptions& options) {
  if (options.users < 1 || options.items < 1 || options.factors < 1 ||
      options.ratings_each < 2 || options.ratings_each > options.items ||
      !(options.noise >= 0 && options.noise <= 1)) {
    throw InvalidArgument(
        "[SyntheticRatings] wanted users, items and factors >= 1, 2 <= "
        "ratings_each <= items and 0 <= noise <= 1, got {} users, {} items, {} "
        "factors, {} ratings each and noise {}",
        options.users, options.items, options.factors, options.ratings_each,
        options.noise);
  }
}

// The items that a user rates, in random order.
std::vector<int64_t> ItemsOf(const SyntheticRatingOptions& options,
                             const std::vector<std::vector<int64_t>>& factors,
                             int64_t user) {
  const std::vector<int64_t> own = FactorsOf(options, kUserFactors, user);
  const auto most_noise = static_cast<int64_t>(
      options.noise *
      static_cast<double>(options.factors * kLargestFactor * kLargestFactor));
  Random noise = ExampleRandom(options.seed, kNoise, user);
  std::vector<std::pair<int64_t, int64_t>> ranked;  // -score, item
  for (int64_t item = 0; item < options.items; ++item) {
    ranked.emplace_back(
        -Product(own, factors[item]) - Symmetric(noise, most_noise), item);
  }
  std::ranges::sort(ranked);
  Random order = ExampleRandom(options.seed, kOrder, user);
  std::vector<int64_t> items;
  for (int64_t i = 0; i < options.ratings_each; ++i) {
    items.push_back(ranked[i].second);
    std::swap(items[order.UniformInt(items.size())], items.back());
  }
  return items;
}

}  // namespace

int64_t PlantedScore(const SyntheticRatingOptions& options, int64_t user,
                     int64_t item) {
  return Product(FactorsOf(options, kUserFactors, user),
                 FactorsOf(options, kItemFactors, item));
}

Ratings MakeSyntheticRatings(const SyntheticRatingOptions& options) {
  Check(options);
  std::vector<std::vector<int64_t>> factors;
  for (int64_t item = 0; item < options.items; ++item) {
    factors.push_back(FactorsOf(options, kItemFactors, item));
  }
  Ratings ratings;
  ratings.users = options.users;
  ratings.items = options.items;
  for (int64_t user = 0; user < options.users; ++user) {
    int64_t time = 0;
    for (const int64_t item : ItemsOf(options, factors, user)) {
      ratings.all.push_back({user, item, kRating, ++time});
    }
  }
  ratings.description = fmt::format(
      "synthetic, seed {} ({} users, {} items, {} ratings)", options.seed,
      ratings.users, ratings.items, ratings.all.size());
  return ratings;
}

}  // namespace lockstep
