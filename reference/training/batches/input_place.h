// A distributed dataset with the place in it that was read last: who trains on
// it stops there and goes on, by Fit, batch by batch, or in another process with
// as many replicas or others.
//
//   auto place = std::make_shared<InputPlace>(inputs);
//   model.Fit(place, {.epochs = 2});          // reads on, pass by pass
//   Checkpoint checkpoint({{"place", place.get()}, ...});
//   checkpoint.Write(path);                   // in the middle of a pass
//   ...
//   checkpoint.Read(path);      // the next batch is the one that came next
//
// A restore reads the batches of the pass that are behind it once more, to find
// the place.
#ifndef LOCKSTEP_REFERENCE_TRAINING_BATCHES_INPUT_PLACE_H_
#define LOCKSTEP_REFERENCE_TRAINING_BATCHES_INPUT_PLACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/base/json.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"
#include "reference/training/batches/batch.h"

namespace lockstep {

class InputPlace : public Trackable {
 public:
  explicit InputPlace(DistributedDataset data) : data_(std::move(data)) {}

  const DistributedDataset& data() const { return data_; }
  // A pass is being read.
  bool is_open() const { return pass_.has_value(); }
  // Batches of this pass that were trained.
  int64_t trained() const { return trained_; }
  // No batch of this pass is left; false where their number is not known.
  bool is_at_end() const {
    return pass_ && skipped_ + trained_ == data_.cardinality();
  }

  // The next batch of the pass, of a new one where none is open; false at its
  // end. Errors: InvalidArgument for data that ends before what was trained.
  bool NextBatch(PerReplica<Structure>* batch);
  // The same, taken apart. Errors: as of TakeApart besides.
  bool NextBatch(PerReplica<Batch>* batch);
  // Opens a restored pass behind what was trained of it, the last of which is
  // `last`. False, and nothing happens, where there is nothing. Errors: as above.
  bool FindPlace(PerReplica<Structure>* last);
  // The batch that was read last was trained.
  void BatchDone() { ++trained_; }
  // The next batch is the first of a new pass.
  void EndPass();
  // The pass that is read next begins behind so many batches more; those after
  // it are whole. Errors: InvalidArgument for less than 0; FailedPrecondition
  // while one is being read.
  void Skip(int64_t batches);

  // One string. Errors of restoring it, which then changes nothing:
  // InvalidArgument for what another version wrote, and for other data
  // (DistributedDataset::RestorePasses); DataLoss for what no version did.
  std::vector<Value> values() override;

  // The same as an object's fields, and from it.
  Json Save() const;
  void Restore(const Json& saved);

 private:
  void OpenPass();

  DistributedDataset data_;
  std::optional<DistributedIterator> pass_;
  std::vector<uint64_t> pass_start_;  // SavePasses before it
  int64_t skipped_ = 0;               // of this pass, in front of it
  int64_t trained_ = 0;
};

}  // namespace lockstep

namespace lockstep::training_internal {

// More than any run has, and less than overflows.
inline constexpr int64_t kMostSteps = int64_t{1} << 53;

// What a place was saved as. Errors: DataLoss for what is no object,
// InvalidArgument for another format.
Json ParseProgress(const std::string& saved, int format);
// Errors: DataLoss for no number from 0 to `most`.
int64_t CountAt(const Json& progress, const char* key, int64_t most);

}  // namespace lockstep::training_internal

#endif  // LOCKSTEP_REFERENCE_TRAINING_BATCHES_INPUT_PLACE_H_
