// How it works. A dataset of choices draws each one as TensorFlow does: two
// numbers of Dataset::Random are the seed of a stateless draw, which finds a
// uniform number in the sums of the weights. ChooseFromDatasets does the rest.
#include <algorithm>
#include <bit>
#include <cmath>
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

// The number of a dataset, drawn with a seed of two numbers.
Structure Draw(const std::vector<double>& sums, const Structure& seed) {
  const auto seeds = seed.leaf().ToVector<int64_t>();
  Random random = StatelessRandom(static_cast<uint64_t>(seeds[0]),
                                  static_cast<uint64_t>(seeds[1]));
  const double place = UniformDouble(random) * sums.back();
  const auto found = std::ranges::upper_bound(sums, place);
  return Tensor::Scalar<int64_t>(found - sums.begin(), CurrentHost());
}

NodePtr MakeChoices(const std::vector<float>& weights,
                    std::optional<int64_t> seed) {
  return MakeMap(MakeBatch(MakeRandom(seed, !seed.has_value()), 2,
                           /*drop_remainder=*/false),
                 [sums = SumsOf(weights)](const Structure& seeds) {
                   return Draw(sums, seeds);
                 },
                 {.output_spec = TensorSpec{Shape{}, DType::kInt64}});
}

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
  return MakeChooseFrom(std::move(chosen), MakeChoices(weights, options.seed),
                        options.stop_on_empty);
}

}  // namespace lockstep::data_internal
