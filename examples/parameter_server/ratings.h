// A model of neural collaborative filtering, and synthetic ratings to train it.
//
// A row for each user and one for each item are looked up and go through two
// dense layers, which give the rating (He et al., "Neural Collaborative
// Filtering", 2017).
#ifndef LOCKSTEP_EXAMPLES_PARAMETER_SERVER_RATINGS_H_
#define LOCKSTEP_EXAMPLES_PARAMETER_SERVER_RATINGS_H_

#include <cstdint>
#include <vector>

#include "reference/lockstep.h"

namespace lockstep::examples {

struct RatingsOptions {
  int64_t users = 2000;
  int64_t items = 1000;
  int64_t columns = 16;  // of both tables
};

class RatingsModel {
 public:
  // In the scope of the strategy: it makes all variables.
  explicit RatingsModel(const RatingsOptions& options);

  // The ratings [n, 1] of users and items, each int64 [n].
  Tensor Predict(const Tensor& users, const Tensor& items) const;
  const std::vector<VariablePtr>& variables() const { return variables_; }

 private:
  Embedding users_, items_;
  Dense hidden_, rating_;
  std::vector<VariablePtr> variables_;
};

// Endless synthetic ratings in batches: users [n], items [n] and ratings [n, 1].
// A user and an item of the same one of five kinds have the rating 5, others 1.
// No person gave them.
Dataset SyntheticRatings(const RatingsOptions& options, int64_t batch_size,
                         uint64_t seed);

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_PARAMETER_SERVER_RATINGS_H_
