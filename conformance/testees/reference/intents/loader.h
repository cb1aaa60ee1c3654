// What loader.create makes: the reference's dataset of examples, divided among
// the replicas of the strategy in force, with a place in its passes.
//
// A loader whose shares are padded has its examples once for who does not train:
// the reference measures shares of any size.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_LOADER_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "conformance/testees/reference/value.h"
#include "reference/data/dataset.h"
#include "reference/training/batches/input_place.h"

namespace lockstep::conformance {

struct LoaderOptions {
  Structure examples;      // inputs, labels, weights: a row an example
  int64_t batch_size = 1;  // of all replicas
  bool shuffle = false;
  int64_t shuffle_buffer = 0;  // examples; 0: all of them
  uint64_t seed = 0;
  bool drop_last = false;
  bool draws = false;   // inputs, each time that an example is read
  int64_t workers = 0;  // batches that a thread of its own reads ahead; 0: none
  bool padded = false;  // to equal shares
  bool dropped = false;  // the same by leaving examples out
};

class Loader {
 public:
  explicit Loader(const LoaderOptions& options);

  const DistributedDataset& inputs() const { return place_->data(); }
  // Where training reads on.
  const std::shared_ptr<InputPlace>& place() const { return place_; }
  // For who reads a pass and trains on nothing: what is left of a pass that
  // nobody has begun to read, else a pass of its own.
  std::shared_ptr<InputPlace> PassToRead() const;
  // The same without what was added to make shares equal.
  std::shared_ptr<InputPlace> PassOfExamples() const;

  // The number of the next pass; one that is under way goes on.
  void SetEpoch(int64_t epoch) const;
  // Nobody has read from it, or said which pass is next.
  bool is_new() const;
  std::shared_ptr<Loader> Skip(int64_t batches) const;

 private:
  const LoaderOptions options_;
  std::shared_ptr<InputPlace> place_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_LOADER_H_
