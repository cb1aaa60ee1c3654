#include "benchmarks/workloads/bert/bert.h"

#include <memory>
#include <vector>

#include "benchmarks/workloads/bert/bert_optimizer.h"
#include "benchmarks/workloads/bert/bert_task.h"
#include "reference/autodiff/ops/math_ops.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kPredictions = 4;  // words of an example, at most
constexpr int64_t kSpecial = 5;      // words that no text has, padding first
constexpr BertModel kSmall{.vocabulary = 97};

class WeightList {
 public:
  void Dense(int64_t inputs, int64_t outputs) {
    all.push_back({{inputs, outputs}, WeightKind::kMatrix});
    all.push_back({{outputs}, WeightKind::kBias});
  }
  void Norm(int64_t size) {
    all.push_back({{size}, WeightKind::kGamma});
    all.push_back({{size}, WeightKind::kBias});
  }
  void Table(int64_t rows, int64_t size) {
    all.push_back({{rows, size}, WeightKind::kTable});
  }

  std::vector<WeightSpec> all;
};

std::vector<WeightSpec> WeightsOf(const BertModel& model) {
  const int64_t hidden = model.hidden;
  WeightList weights;
  for (const int64_t rows : {model.vocabulary, model.length, int64_t{2}}) {
    weights.Table(rows, hidden);
  }
  weights.Norm(hidden);
  for (int64_t layer = 0; layer < model.layers; ++layer) {
    // Query, key, value and output.
    for (int part = 0; part < 4; ++part) weights.Dense(hidden, hidden);
    weights.Norm(hidden);
    weights.Dense(hidden, model.inner);
    weights.Dense(model.inner, hidden);
    weights.Norm(hidden);
  }
  weights.Dense(hidden, hidden);  // pooler
  weights.Dense(hidden, 2);
  weights.Dense(hidden, hidden);  // transform
  weights.Norm(hidden);
  weights.all.push_back({{model.vocabulary}, WeightKind::kBias});
  return weights.all;
}

// [N, size]: 1 before the limit of each row, else 0.
std::vector<int64_t> Before(const Tensor& limits, int64_t size) {
  std::vector<int64_t> ones;
  for (const int64_t limit : limits.ToVector<int64_t>()) {
    for (int64_t i = 0; i < size; ++i) ones.push_back(i < limit ? 1 : 0);
  }
  return ones;
}

// 1 from half of each row's length on.
std::vector<int64_t> SecondSentence(const Tensor& lengths, int64_t size) {
  std::vector<int64_t> ones;
  for (const int64_t length : lengths.ToVector<int64_t>()) {
    for (int64_t i = 0; i < size; ++i) {
      ones.push_back(i >= length / 2 && i < length ? 1 : 0);
    }
  }
  return ones;
}

Structure BatchOf(uint32_t step, int64_t size) {
  const int64_t length = kSmall.length;
  const WholeNumberRange words{.count = kSmall.vocabulary - kSpecial,
                               .first = kSpecial};
  const Shape rows{size, length}, chosen{size, kPredictions};
  const Tensor lengths =
      WholeNumbers(1000 + step, {size}, {.count = length - 7, .first = 8});
  const Tensor counts =
      WholeNumbers(1200 + step, {size}, {.count = kPredictions, .first = 1});
  const Tensor mask = Tensor::FromVector(Before(lengths, length), rows);
  const Tensor real = Tensor::FromVector(Before(counts, kPredictions), chosen);
  return Structure::Tuple(
      {ops::Multiply(WholeNumbers(1100 + step, rows, words), mask), mask,
       Tensor::FromVector(SecondSentence(lengths, length), rows),
       ops::Multiply(WholeNumbers(1300 + step, chosen, {.count = 8}), real),
       ops::Multiply(WholeNumbers(1400 + step, chosen, words), real),
       real.Cast(DType::kFloat32),
       WholeNumbers(1500 + step, {size}, {.count = 2})});
}

}  // namespace

SmallWorkload SmallBert() {
  SmallWorkload small{
      .name = "bert_small",
      .description = "the small BERT",
      .item = "sequence",
      .optimizer = "adamw",
      .weights = WeightsOf(kSmall),
      .batches = {},
      .make_task = [] { return MakeBertTask(kSmall); },
      .make_optimizer = [] { return MakeBertOptimizer({.rate = 0.01}); }};
  uint32_t step = 0;
  for (const int64_t size : {8, 8, 8, 8, 5}) {
    small.batches.push_back(BatchOf(step++, size));
  }
  return small;
}

Workload SmallBertFor(const WorkloadOptions& options) {
  return AsWorkload(SmallBert(), options);
}

}  // namespace lockstep::benchmarks
