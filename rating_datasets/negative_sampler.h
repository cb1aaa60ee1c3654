// Items that a user does not know, as examples of what not to recommend.
//
//   const NegativeSampler sampler(ratings.users, ratings.items, split.train,
//                                 {.seed = 1});
//   sampler.Draw(user, 4, /*example=*/7, /*epoch=*/0);   // {3, 11, 3, 8}
//
//   const RatingExamples examples =
//       MakeTrainingExamples(split.train, sampler, {.negatives = 4}, epoch);
//   ToDataset(examples).Shuffle(1 << 20, seed).Batch(16000);
//
// What is drawn depends on the seed, the epoch and the number of the example
// only (base/random/example_random.h), so that N replicas train on the negatives
// that one would have.
#ifndef LOCKSTEP_RATING_DATASETS_NEGATIVE_SAMPLER_H_
#define LOCKSTEP_RATING_DATASETS_NEGATIVE_SAMPLER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "rating_datasets/ratings.h"
#include "reference/data/dataset.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

struct NegativeSamplerOptions {
  uint64_t seed = 1;
};

class NegativeSampler {
 public:
  // `known` are the pairs that are not drawn. Errors: InvalidArgument for users
  // and items outside their ranges.
  NegativeSampler(int64_t users, int64_t items, std::span<const Rating> known,
                  const NegativeSamplerOptions& options = {});

  // Each uniformly among the items that the user does not know; the same one may
  // come again. Errors: InvalidArgument for a user outside the range, and for
  // one that knows all items.
  std::vector<int64_t> Draw(int64_t user, int64_t count, int64_t example,
                            int64_t epoch = 0) const;
  // Different ones. Errors: also InvalidArgument if there are less than `count`.
  std::vector<int64_t> DrawDifferent(int64_t user, int64_t count,
                                     int64_t example, int64_t epoch = 0) const;

 private:
  // The items that a user knows, increasing.
  std::span<const int64_t> KnownTo(int64_t user) const;
  int64_t CountUnknown(int64_t user, int64_t least) const;
  // The item with this position among those that a user does not know.
  int64_t UnknownItem(int64_t user, int64_t position) const;

  int64_t users_;
  int64_t items_;
  NegativeSamplerOptions options_;
  std::vector<int64_t> known_;   // user after user
  std::vector<int64_t> begins_;  // of each user in known_, and the end
};

struct RatingExamples {
  Tensor users;   // int64 (count,)
  Tensor items;   // int64 (count,)
  Tensor labels;  // float32 (count,): 1 for what was rated, 0 for negatives

  int64_t size() const { return labels.num_elements(); }
};

struct TrainingExampleOptions {
  int64_t negatives = 4;  // of each positive
};

// Each positive, followed by its negatives; the number of an example is that of
// its positive. Errors: of Draw; InvalidArgument for negative negatives.
RatingExamples MakeTrainingExamples(std::span<const Rating> positives,
                                    const NegativeSampler& sampler,
                                    const TrainingExampleOptions& options,
                                    int64_t epoch);

// Tuples (user, item, label), one per example.
Dataset ToDataset(const RatingExamples& examples);

// What a model ranks: `negatives` different items that the user does not know,
// and last the right one. `sampler` has to know the right ones too.
struct RatingCandidates {
  Tensor users;  // int64 (count, negatives + 1)
  Tensor items;  // int64 (count, negatives + 1)
  Tensor right;  // int64 (count,): negatives, the position of the right item
};

// Errors: of DrawDifferent.
RatingCandidates MakeCandidates(std::span<const Rating> test,
                                const NegativeSampler& sampler,
                                int64_t negatives);

}  // namespace lockstep

#endif  // LOCKSTEP_RATING_DATASETS_NEGATIVE_SAMPLER_H_
