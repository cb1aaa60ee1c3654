// The result of loader.create: a dataset of examples, distributed over the
// replicas of the current strategy, with a position in its passes.
//
// If shares are padded, only training sees the padding: evaluation reads each
// example once, in shares of any size.
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
  Structure examples;      // inputs, labels, weights: one row per example
  int64_t batch_size = 1;  // of all replicas
  bool shuffle = false;
  int64_t shuffle_buffer = 0;  // examples; 0: all of them
  uint64_t seed = 0;
  bool drop_last = false;
  bool draws = false;    // draws inputs each time an example is read
  int64_t workers = 0;   // batches that a thread prefetches; 0: none
  bool padded = false;   // to equal shares
  bool dropped = false;  // to equal shares, by dropping examples
};

class Loader {
 public:
  explicit Loader(const LoaderOptions& options);

  const DistributedDataset& inputs() const { return place_->data(); }
  // The position where training continues.
  const std::shared_ptr<InputPlace>& place() const { return place_; }
  // The pass to read without training: the current one if it has not begun,
  // else a new one.
  std::shared_ptr<InputPlace> PassToRead() const;
  // The same without padding.
  std::shared_ptr<InputPlace> PassOfExamples() const;

  // Sets the number of the next pass; does not affect the current one.
  void SetEpoch(int64_t epoch) const;
  // Whether it was never read, and SetEpoch was never called.
  bool is_new() const;
  std::shared_ptr<Loader> Skip(int64_t batches) const;

 private:
  const LoaderOptions options_;
  std::shared_ptr<InputPlace> place_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_LOADER_H_
