#include "examples/parameter_server/ratings.h"

#include <array>
#include <vector>

namespace lockstep::examples {
namespace {

constexpr int64_t kKinds = 5;
constexpr float kLiked = 5;
constexpr float kNotLiked = 1;
// Half of the pairs are of one kind.
constexpr int64_t kLikedOneIn = 2;

// The `number`th pair: a user, and an item of the same kind or of any.
std::array<int64_t, 2> PairAt(int64_t number, const RatingsOptions& options) {
  const int64_t user = number % options.users;
  int64_t item = number * 7919 % options.items;  // 7919 is a prime
  if (number % kLikedOneIn == 0) item += (user - item) % kKinds;
  return {user, (item + options.items) % options.items};
}

float RatingOf(int64_t user, int64_t item) {
  return user % kKinds == item % kKinds ? kLiked : kNotLiked;
}

}  // namespace

RatingsModel::RatingsModel(const RatingsOptions& options)
    : users_(options.users, options.columns),
      items_(options.items, options.columns),
      hidden_(16, {.activation = Activation::kRelu}),
      rating_(1) {
  const Tensor first = Tensor::FromVector<int64_t>({0});
  Predict(first, first);
  for (const Layer& layer :
       {Layer(users_), Layer(items_), Layer(hidden_), Layer(rating_)}) {
    const auto own = layer.trainable_variables();
    variables_.insert(variables_.end(), own.begin(), own.end());
  }
}

Tensor RatingsModel::Predict(const Tensor& users, const Tensor& items) const {
  return rating_(
      hidden_(ops::Concat({users_(users), items_(items)}, /*axis=*/1)));
}

Dataset SyntheticRatings(const RatingsOptions& options, int64_t batch_size,
                         uint64_t seed) {
  const int64_t pairs = options.users * options.items;
  return Dataset::Range(pairs)
      .Shuffle(10000, seed)
      .Repeat()
      .Map([options](const Structure& element) -> Structure {
        const auto [user, item] =
            PairAt(element.leaf().item<int64_t>(), options);
        return Structure::Tuple(
            {Tensor::Scalar(user), Tensor::Scalar(item),
             Tensor::FromVector<float>({RatingOf(user, item)})});
      })
      .Batch(batch_size);
}

}  // namespace lockstep::examples
