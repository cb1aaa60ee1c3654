#include "benchmarks/workloads/ncf/ncf.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "benchmarks/workloads/ncf/ncf_task.h"
#include "dataset_files/manifest.h"
#include "rating_datasets/negative_sampler.h"
#include "rating_datasets/ratings.h"
#include "rating_datasets/synthetic_ratings.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kNegatives = 4;     // of a positive, in training
constexpr int64_t kCandidates = 100;  // that a user did not choose, in the test
constexpr SyntheticRatingOptions kMl1m = {
    .users = 6040, .items = 3706, .factors = 4, .ratings_each = 20};

struct RatedItems {
  std::string name;
  std::string source;
  Ratings ratings;
};

RatedItems ChooseRatings(const WorkloadOptions& options) {
  if (options.data != "full") {
    return {"ratings", "synthetic", MakeSyntheticRatings(kMl1m)};
  }
  return {"ml-1m", "full",
          ReadRatings(DefaultDataFolder() + "/ml-1m/ratings.dat")};
}

// Elements (user, item, label, weight); all weights are 1.
Dataset WithWeights(const RatingExamples& examples) {
  return Dataset::FromTensorSlices(
      {examples.users, examples.items, examples.labels,
       Tensor::Full(Shape{examples.size()}, 1.0f)});
}

WorkloadData DataOf(RatedItems rated, uint64_t seed) {
  const LastOut split = LeaveLastOut(rated.ratings);
  const int64_t users = rated.ratings.users, items = rated.ratings.items;
  const NegativeSampler unknown(users, items, rated.ratings.all,
                                {.seed = seed});
  const RatingCandidates candidates =
      MakeCandidates(split.test, unknown, kCandidates);
  // Drawn again in each epoch. The right item of the test may be drawn, as it is
  // not known yet.
  const auto draw = [train = split.train,
                     sampler = NegativeSampler(users, items, split.train,
                                               {.seed = seed})](int epoch) {
    return WithWeights(
        MakeTrainingExamples(train, sampler, {.negatives = kNegatives}, epoch));
  };
  return {
      .name = rated.name,
      .source = rated.source,
      .description = rated.ratings.description,
      .train = draw(0),
      .test = Dataset::FromTensorSlices(
          {candidates.users, candidates.items, candidates.right}),
      .train_of_epoch = draw,
      .train_size = static_cast<int64_t>(split.train.size()) * (1 + kNegatives),
      .test_size = static_cast<int64_t>(split.test.size()),
      .item = "rating"};
}

}  // namespace

Workload NcfFor(const WorkloadOptions& options) {
  RatedItems rated = ChooseRatings(options);
  const NcfModel model{.users = rated.ratings.users,
                       .items = rated.ratings.items};
  return {.name = "ncf",
          .description = "NCF, 8 factors, layers 64-32-16-8",
          .details = {},
          .data = DataOf(std::move(rated), options.seed),
          .batch_per_replica = options.BatchOr(4096),
          .test_batch = 1024,
          .warmup_steps = 10,
          .steps_per_block = 10,
          .optimizer = "adam",
          .make_task = [model] { return MakeNcfTask(model); },
          .make_optimizer =
              [](const TrainingPlan&) {
                return std::make_unique<Adam>(
                    AdamOptions{.learning_rate = 0.00382059,
                                .beta_1 = 0.783529,
                                .beta_2 = 0.909003,
                                .epsilon = 1.45439e-7});
              }};
}

SmallWorkload SmallNcf() {
  const NcfModel model{.users = 50, .items = 80};
  SmallWorkload small{
      .name = "ncf_small",
      .description = "the small NCF",
      .item = "rating",
      .optimizer = "adam",
      .weights = {{{50, 40}, WeightKind::kTable},
                  {{80, 40}, WeightKind::kTable},
                  {{64, 32}, WeightKind::kMatrix},
                  {{32}, WeightKind::kBias},
                  {{32, 16}, WeightKind::kMatrix},
                  {{16}, WeightKind::kBias},
                  {{16, 8}, WeightKind::kMatrix},
                  {{8}, WeightKind::kBias},
                  {{16, 1}, WeightKind::kMatrix},
                  {{1}, WeightKind::kBias}},
      .batches = {},
      .test = {SmallNcfCandidates()},
      .make_task = [model] { return MakeNcfTask(model); },
      .make_optimizer =
          [] { return std::make_unique<Adam>(AdamOptions{.epsilon = 1e-8}); }};
  uint32_t step = 0;
  for (const int64_t size : {40, 40, 40, 40, 23}) {
    const Tensor labels = WholeNumbers(1200 + step, {size}, {.count = 2});
    small.batches.push_back(Structure::Tuple(
        {WholeNumbers(1000 + step, {size}, {.count = model.users}),
         WholeNumbers(1100 + step, {size}, {.count = model.items}),
         labels.Cast(DType::kFloat32), OnesAbove(1300 + step, {size}, 0.2)}));
    ++step;
  }
  return small;
}

Workload SmallNcfFor(const WorkloadOptions& options) {
  return AsWorkload(SmallNcf(), options);
}

Structure SmallNcfCandidates() {
  const Tensor users = WholeNumbers(1400, {12, 1}, {.count = 50});
  std::vector<int64_t> each;
  for (const int64_t user : users.ToVector<int64_t>()) {
    each.insert(each.end(), 31, user);
  }
  return Structure::Tuple({Tensor::FromVector(each, Shape{12, 31}),
                           WholeNumbers(1401, {12, 31}, {.count = 80}),
                           Tensor::FromVector(std::vector<int64_t>(12, 30))});
}

}  // namespace lockstep::benchmarks
