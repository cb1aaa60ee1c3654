// How it works. A source of choices draws each one as TensorFlow does: two numbers
// of Dataset::Random are the seed of a stateless draw, which finds a uniform
// number in the sums of the weights. ChooseFromDatasets does the rest.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/random/stateless_random.h"
#include "reference/data/mixing/mixing.h"
#include "reference/data/sources/sources.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

constexpr auto kOperation = "SampleFromDatasets";

// Uniform in [0, 1), as TensorFlow makes a double of 52 random bits.
double UniformDouble(Random& random) {
  constexpr uint64_t kExponentOfOne = uint64_t{1023} << 52;
  const uint64_t high = random.Next32() & 0xfffff;
  const uint64_t bits = kExponentOfOne | high << 32 | random.Next32();
  return std::bit_cast<double>(bits) - 1;
}

// The sums of the first weights, by way of float32 logarithms.
std::vector<double> SumsOf(const std::vector<float>& weights) {
  std::vector<float> logs;
  for (const float weight : weights) logs.push_back(std::log(weight));
  const float largest = *std::ranges::max_element(logs);
  std::vector<double> sums;
  double sum = 0;
  for (const float log : logs) {
    if (std::isfinite(log)) sum += std::exp(static_cast<double>(log) - largest);
    sums.push_back(sum);
  }
  return sums;
}

class ChoicesReader final : public Reader<Structure> {
 public:
  ChoicesReader(const std::vector<double>& sums, ReaderPtr<Structure> seeds)
      : sums_(sums), seeds_(std::move(seeds)) {}

  int64_t Next(std::span<Structure> out) override {
    const uint64_t seed0 = NextSeed();
    Random random = StatelessRandom(seed0, NextSeed());
    const double place = UniformDouble(random) * sums_.back();
    const auto found = std::ranges::upper_bound(sums_, place);
    out.front() = Tensor::Scalar<int64_t>(found - sums_.begin(), CurrentHost());
    return 1;
  }

 private:
  uint64_t NextSeed() {
    Structure seed;
    seeds_->Next({&seed, 1});
    return static_cast<uint64_t>(seed.leaf().item<int64_t>());
  }

  const std::vector<double> sums_;
  ReaderPtr<Structure> seeds_;  // has no end
};

// Its input is Dataset::Random, which has the seed of the choices.
class ChoicesNode final : public DatasetNode {
 public:
  ChoicesNode(NodePtr random, std::vector<double> sums)
      : DatasetNode("Choices", {std::move(random)}), sums_(std::move(sums)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ChoicesNode>(std::move(inputs.front()), sums_);
  }
  SpecStructure MakeSpec() const override {
    return TensorSpec{Shape{}, DType::kInt64};
  }
  bool DeclaresSpec() const override { return true; }
  int64_t CountElements() const override { return kInfiniteCardinality; }
  bool IsLight() const override { return true; }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<ChoicesReader>(sums_, input().OpenElements(pass));
  }

 private:
  std::vector<double> sums_;
};

std::vector<float> CheckedWeights(const SampleOptions& options,
                                  size_t datasets) {
  if (options.weights.empty()) return std::vector<float>(datasets, 1);
  if (options.weights.size() != datasets) {
    throw InvalidArgument(
        "[{}] wanted a weight for each of {} datasets, got {}", kOperation,
        datasets, options.weights.size());
  }
  for (const float weight : options.weights) {
    if (weight >= 0 && std::isfinite(weight)) continue;
    throw InvalidArgument(
        "[{}] a weight must be finite and not negative, got {}", kOperation,
        weight);
  }
  return options.weights;
}

}  // namespace

NodePtr MakeSampleFrom(std::vector<NodePtr> inputs,
                       const SampleOptions& options) {
  if (inputs.empty()) {
    throw InvalidArgument("[{}] there are no datasets", kOperation);
  }
  const std::vector<float> given = CheckedWeights(options, inputs.size());
  // Datasets of weight 0 would never end.
  std::vector<NodePtr> chosen;
  std::vector<float> weights;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (given[i] == 0) continue;
    chosen.push_back(inputs[i]);
    weights.push_back(given[i]);
  }
  if (chosen.empty()) return MakeTake(inputs.front(), 0);
  if (chosen.size() == 1) return chosen.front();
  return MakeChooseFrom(
      std::move(chosen),
      std::make_shared<ChoicesNode>(MakeRandom(options.seed), SumsOf(weights)),
      options.stop_on_empty);
}

}  // namespace lockstep::data_internal
