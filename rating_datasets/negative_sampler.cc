#include "rating_datasets/negative_sampler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/random/example_random.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {

NegativeSampler::NegativeSampler(int64_t users, int64_t items,
                                 std::span<const Rating> known,
                                 const NegativeSamplerOptions& options)
    : users_(users), items_(items), options_(options) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const Rating& rating : known) {
    if (rating.user < 0 || rating.user >= users || rating.item < 0 ||
        rating.item >= items) {
      throw InvalidArgument(
          "[NegativeSampler] wanted users below {} and items below {}, got "
          "user {} and item {}",
          users, items, rating.user, rating.item);
    }
    pairs.emplace_back(rating.user, rating.item);
  }
  std::ranges::sort(pairs);
  const auto rest = std::ranges::unique(pairs);
  pairs.erase(rest.begin(), rest.end());
  begins_.assign(users + 1, 0);
  for (const auto& [user, item] : pairs) {
    ++begins_[user + 1];
    known_.push_back(item);
  }
  for (int64_t user = 0; user < users; ++user) {
    begins_[user + 1] += begins_[user];
  }
}

std::vector<int64_t> NegativeSampler::Draw(int64_t user, int64_t count,
                                           int64_t example,
                                           int64_t epoch) const {
  const int64_t unknown = CountUnknown(user, std::min<int64_t>(count, 1));
  Random random = ExampleRandom(options_.seed, epoch, example);
  std::vector<int64_t> items;
  for (int64_t i = 0; i < count; ++i) {
    items.push_back(
        UnknownItem(user, static_cast<int64_t>(random.UniformInt(unknown))));
  }
  return items;
}

std::vector<int64_t> NegativeSampler::DrawDifferent(int64_t user, int64_t count,
                                                    int64_t example,
                                                    int64_t epoch) const {
  const int64_t unknown = CountUnknown(user, count);
  Random random = ExampleRandom(options_.seed, epoch, example);
  std::set<int64_t> drawn;
  std::vector<int64_t> items;
  // Floyd's method: position `last` takes the place of one that came already.
  for (int64_t last = unknown - count; last < unknown; ++last) {
    const auto position = static_cast<int64_t>(random.UniformInt(last + 1));
    const int64_t chosen = drawn.contains(position) ? last : position;
    drawn.insert(chosen);
    items.push_back(UnknownItem(user, chosen));
  }
  return items;
}

std::span<const int64_t> NegativeSampler::KnownTo(int64_t user) const {
  return std::span(known_).subspan(begins_[user],
                                   begins_[user + 1] - begins_[user]);
}

int64_t NegativeSampler::CountUnknown(int64_t user, int64_t least) const {
  if (user < 0 || user >= users_) {
    throw InvalidArgument("[NegativeSampler] there is no user {} of {}", user,
                          users_);
  }
  const int64_t unknown = items_ - std::ssize(KnownTo(user));
  if (unknown < least) {
    throw InvalidArgument(
        "[NegativeSampler] user {} does not know {} of {} items, wanted {}",
        user, unknown, items_, least);
  }
  return unknown;
}

int64_t NegativeSampler::UnknownItem(int64_t user, int64_t position) const {
  // known[i] - i items below known[i] are unknown.
  const std::span<const int64_t> known = KnownTo(user);
  int64_t begin = 0, end = std::ssize(known);
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (known[middle] - middle <= position) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return position + begin;
}

RatingExamples MakeTrainingExamples(std::span<const Rating> positives,
                                    const NegativeSampler& sampler,
                                    const TrainingExampleOptions& options,
                                    int64_t epoch) {
  if (options.negatives < 0) {
    throw InvalidArgument(
        "[MakeTrainingExamples] wanted 0 negatives or more, got {}",
        options.negatives);
  }
  const Shape shape{std::ssize(positives) * (1 + options.negatives)};
  Tensor users = EmptyOnHost(shape, DType::kInt64);
  Tensor items = EmptyOnHost(shape, DType::kInt64);
  Tensor labels = ZerosOnHost(shape);
  int64_t row = 0;
  const auto add = [&](int64_t user, int64_t item, float label) {
    users.mutable_data<int64_t>()[row] = user;
    items.mutable_data<int64_t>()[row] = item;
    labels.mutable_data<float>()[row++] = label;
  };
  for (int64_t i = 0; i < std::ssize(positives); ++i) {
    const auto& [user, item, value, time] = positives[i];
    add(user, item, 1);
    for (const int64_t negative :
         sampler.Draw(user, options.negatives, i, epoch)) {
      add(user, negative, 0);
    }
  }
  return {users, items, labels};
}

Dataset ToDataset(const RatingExamples& examples) {
  return Dataset::FromTensorSlices(
      Structure::Tuple({examples.users, examples.items, examples.labels}));
}

RatingCandidates MakeCandidates(std::span<const Rating> test,
                                const NegativeSampler& sampler,
                                int64_t negatives) {
  if (negatives < 0) {
    throw InvalidArgument("[MakeCandidates] wanted 0 negatives or more, got {}",
                          negatives);
  }
  const int64_t rows = std::ssize(test);
  Tensor users = EmptyOnHost(Shape{rows, negatives + 1}, DType::kInt64);
  Tensor items = EmptyOnHost(Shape{rows, negatives + 1}, DType::kInt64);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t begin = row * (negatives + 1);
    std::fill_n(users.mutable_data<int64_t>() + begin, negatives + 1,
                test[row].user);
    auto drawn = sampler.DrawDifferent(test[row].user, negatives, row);
    drawn.push_back(test[row].item);
    std::ranges::copy(drawn, items.mutable_data<int64_t>() + begin);
  }
  return {users, items,
          Tensor::Full<int64_t>(Shape{rows}, negatives, CurrentHost())};
}

}  // namespace lockstep
