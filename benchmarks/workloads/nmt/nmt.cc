#include "benchmarks/workloads/nmt/nmt.h"

#include <memory>
#include <vector>

#include "benchmarks/workloads/nmt/nmt_task.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::benchmarks {
namespace {

constexpr NmtModel kSmall{.source = 60, .target = 50};
constexpr int64_t kFirstWord = kEndWord + 1;

void AddGru(std::vector<WeightSpec>& weights, int64_t inputs, int64_t units) {
  weights.push_back({{inputs, 3 * units}, WeightKind::kMatrix});
  weights.push_back({{units, 3 * units}, WeightKind::kMatrix});
  weights.push_back({{2, 3 * units}, WeightKind::kBias});
}

void AddDense(std::vector<WeightSpec>& weights, int64_t inputs,
              int64_t outputs) {
  weights.push_back({{inputs, outputs}, WeightKind::kMatrix});
  weights.push_back({{outputs}, WeightKind::kBias});
}

std::vector<WeightSpec> WeightsOf(const NmtModel& model) {
  const int64_t units = model.units;
  std::vector<WeightSpec> weights;
  weights.push_back({{model.source, model.embedding}, WeightKind::kTable});
  AddGru(weights, model.embedding, units);
  weights.push_back({{model.target, model.embedding}, WeightKind::kTable});
  AddGru(weights, model.embedding + units, units);
  AddDense(weights, units, model.target);
  AddDense(weights, units, units);  // attention to the outputs
  AddDense(weights, units, units);  // attention of the state
  AddDense(weights, units, 1);
  return weights;
}

// [size, longest]: sentences of 4 words and more.
Tensor Sentences(uint32_t variable, int64_t size, int64_t longest,
                 int64_t vocabulary) {
  const std::vector<int64_t> lengths =
      WholeNumbers(variable, {size}, {.count = longest - 3, .first = 4})
          .ToVector<int64_t>();
  std::vector<int64_t> words =
      WholeNumbers(variable + 10, {size, longest},
                   {.count = vocabulary - kFirstWord, .first = kFirstWord})
          .ToVector<int64_t>();
  for (int64_t row = 0; row < size; ++row) {
    int64_t* sentence = words.data() + row * longest;
    sentence[0] = kBeginWord;
    sentence[lengths[row] - 1] = kEndWord;
    for (int64_t i = lengths[row]; i < longest; ++i) sentence[i] = 0;
  }
  return Tensor::FromVector(words, Shape{size, longest});
}

}  // namespace

SmallWorkload SmallNmt(NmtDivisor divisor) {
  NmtModel model = kSmall;
  model.divisor = divisor;
  SmallWorkload small{
      .name = "nmt_small",
      .description = "the small NMT",
      .item = "pair",
      .optimizer = "adam",
      .weights = WeightsOf(model),
      .batches = {},
      .make_task = [model] { return MakeNmtTask(model); },
      .make_optimizer = [] { return std::make_unique<Adam>(); }};
  uint32_t step = 0;
  for (const int64_t size : {8, 8, 8, 8, 5}) {
    small.batches.push_back(
        Structure::Tuple({Sentences(1000 + step, size, 7, model.source),
                          Sentences(1100 + step, size, 6, model.target)}));
    ++step;
  }
  return small;
}

Workload SmallNmtFor(const WorkloadOptions& options) {
  return AsWorkload(SmallNmt(), options);
}

}  // namespace lockstep::benchmarks
