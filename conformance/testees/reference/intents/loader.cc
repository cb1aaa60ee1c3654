#include "conformance/testees/reference/intents/loader.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "reference/base/random.h"
#include "reference/data/transformations/even_batches.h"
#include "reference/distribute/strategy.h"

namespace lockstep::conformance {
namespace {

int64_t ExamplesOf(const LoaderOptions& options) {
  return options.examples[0].leaf().dim(0);
}

// Replaces the inputs of examples by random numbers between 0 and 1. One pass
// reads the examples of all replicas, so one random stream is enough.
Dataset Drawing(const Dataset& examples, uint64_t seed) {
  struct Stream {
    explicit Stream(uint64_t seed) : random(seed) {}
    std::mutex mutex;
    Random random;
  };
  const auto stream = std::make_shared<Stream>(seed);
  return examples.Map([stream](const Structure& example) {
    std::vector<float> drawn(example[0].leaf().num_elements());
    const std::lock_guard lock(stream->mutex);
    for (float& number : drawn) number = stream->random.UniformFloat();
    std::vector<Structure> parts = {
        Tensor::FromVector(drawn, example[0].leaf().shape())};
    for (size_t i = 1; i < example.size(); ++i) parts.push_back(example[i]);
    return Structure::Tuple(std::move(parts));
  });
}

Dataset BatchesOf(const LoaderOptions& options) {
  Dataset examples = Dataset::FromTensorSlices(options.examples);
  if (options.shuffle) {
    const int64_t all = std::max<int64_t>(ExamplesOf(options), 1);
    examples = examples.Shuffle(
        options.shuffle_buffer > 0 ? options.shuffle_buffer : all,
        options.seed);
  }
  if (options.draws) examples = Drawing(examples, options.seed);
  if (!options.padded && !options.dropped) {
    const Dataset batches =
        examples.Batch(options.batch_size, options.drop_last);
    return options.workers > 0 ? batches.Prefetch(options.workers) : batches;
  }
  EvenBatchOptions even{.batch_size = options.batch_size,
                        .shares = GetStrategy().num_replicas_in_sync(),
                        .drop_remainder = options.drop_last};
  if (options.padded) even.padding = options.examples;
  return EvenBatches(examples, even);
}

}  // namespace

Loader::Loader(const LoaderOptions& options)
    : options_(options),
      place_(std::make_shared<InputPlace>(
          GetStrategy().DistributeDataset(BatchesOf(options)))) {}

std::shared_ptr<InputPlace> Loader::PassToRead() const {
  return place_->is_open() ? std::make_shared<InputPlace>(inputs()) : place_;
}

std::shared_ptr<InputPlace> Loader::PassOfExamples() const {
  if (!options_.padded) return PassToRead();
  LoaderOptions options = options_;
  options.padded = false;
  return Loader(options).place_;
}

void Loader::SetEpoch(int64_t epoch) const {
  std::vector<uint64_t> passes = inputs().SavePasses();
  // The seed of the shuffle, and the number of passes that it has begun.
  if (!passes.empty()) passes.back() = static_cast<uint64_t>(epoch);
  inputs().RestorePasses(passes);
}

bool Loader::is_new() const {
  const std::vector<uint64_t> passes = inputs().SavePasses();
  return !place_->is_open() && place_->trained() == 0 &&
         (passes.empty() || passes.back() == 0);
}

std::shared_ptr<Loader> Loader::Skip(int64_t batches) const {
  auto loader = std::make_shared<Loader>(options_);
  if (place_->is_open()) {
    loader->inputs().RestorePasses(inputs().SavePasses());
  } else {
    loader->place_->Restore(place_->Save());
  }
  loader->place_->Skip(batches);
  return loader;
}

}  // namespace lockstep::conformance
