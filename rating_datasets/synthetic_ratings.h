// Synthetic ratings that can be learned: users and items have planted factors,
// and a user rates the items whose factors fit best, with some noise. Reports
// call them "synthetic": what a model reaches on them compares with no published
// figure.
//
//   const Ratings ratings = MakeSyntheticRatings({.users = 500, .items = 200});
//   PlantedScore({}, 3, 8);   // how well item 8 fits user 3
#ifndef LOCKSTEP_RATING_DATASETS_SYNTHETIC_RATINGS_H_
#define LOCKSTEP_RATING_DATASETS_SYNTHETIC_RATINGS_H_

#include <cstdint>

#include "rating_datasets/ratings.h"

namespace lockstep {

struct SyntheticRatingOptions {
  int64_t users = 1000;
  int64_t items = 400;
  int64_t factors = 4;
  // Each user rates this many items.
  int64_t ratings_each = 20;
  // Of a score at most, relative to the largest possible score.
  double noise = 0.1;
  uint64_t seed = 1;
};

// The product of the factors of a user and an item, whole numbers from -100 to
// 100. REQUIRES: a user and an item of the options.
int64_t PlantedScore(const SyntheticRatingOptions& options, int64_t user,
                     int64_t item);

// The same options give the same ratings on every machine. Each user rates the
// items with the highest planted scores after noise, in random order, all with
// 5. Errors: InvalidArgument unless users, items and factors are 1 or more,
// 2 <= ratings_each <= items, and 0 <= noise <= 1.
Ratings MakeSyntheticRatings(const SyntheticRatingOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_RATING_DATASETS_SYNTHETIC_RATINGS_H_
