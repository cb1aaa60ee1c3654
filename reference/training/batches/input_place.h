// A distributed dataset with a position in it. Training can stop at a position and
// resume there: with Fit, batch by batch, or in another process with any number of
// replicas.
//
//   auto place = std::make_shared<InputPlace>(inputs);
//   model.Fit(place, {.epochs = 2});          // continues, pass by pass
//   Checkpoint checkpoint({{"place", place.get()}, ...});
//   checkpoint.Write(path);                   // in the middle of a pass
//   ...
//   checkpoint.Read(path);      // then reads the batch that was next
//
// To find the position, it reads again the batches of the pass before it. Errors
// that the input had thrown there are passed over.
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
  // Whether a pass is being read.
  bool is_open() const { return pass_.has_value(); }
  // The number of batches of this pass that were trained.
  int64_t trained() const { return trained_; }
  // Whether no batch of this pass is left; false if their number is not known.
  bool is_at_end() const {
    return pass_ && skipped_ + trained_ == data_.cardinality();
  }

  // Reads the next batch of the pass; opens a pass if none is open. Returns false at
  // its end. Errors: InvalidArgument if the data ends before the position; those of
  // the input, after which the next call continues.
  bool NextBatch(PerReplica<Structure>* batch);
  // The same, with the batch split. Errors: also as TakeApart.
  bool NextBatch(PerReplica<Batch>* batch);
  // Opens a restored pass at its position, and sets `last` to the last batch that was
  // trained. Returns false, and does nothing, if no batch was. Errors: as above,
  // after which no pass is open, and the next call tries the same one again.
  bool FindPlace(PerReplica<Structure>* last);
  // Counts the batch that was read last as trained.
  void BatchDone();
  // Ends the pass: the next batch is the first of a new one.
  void EndPass();
  // Skips batches at the begin of the next pass, but not of later passes. Errors:
  // InvalidArgument if `batches` is negative; FailedPrecondition while a pass is
  // being read.
  void Skip(int64_t batches);

  // One string. Errors of restoring it, after which nothing has changed:
  // InvalidArgument if another version wrote it, it is of another pipeline or of
  // other data (DistributedDataset::RestorePasses); DataLoss if it is damaged.
  std::vector<Value> values() override;

  // The same as fields of a JSON object.
  Json Save() const;
  void Restore(const Json& saved);

 private:
  // Begins a pass and skips what is skipped of it.
  void OpenPass();
  // The errors of the pass up to the last batch that was trained, and those thrown
  // since if no other batch was read.
  int64_t errors() const;

  DistributedDataset data_;
  std::optional<DistributedIterator> pass_;
  std::vector<uint64_t> pass_start_;  // SavePasses before this pass
  int64_t skipped_ = 0;               // batches at the begin of this pass
  int64_t trained_ = 0;
  int64_t errors_ = 0;  // of this pass, up to the last batch that was trained
};

}  // namespace lockstep

namespace lockstep::training_internal {

// More steps than any run has, but small enough not to overflow.
inline constexpr int64_t kMostSteps = int64_t{1} << 53;

// Parses a saved position. Errors: DataLoss if it is not an object;
// InvalidArgument if it has another format.
Json ParseProgress(const std::string& saved, int format);
// Errors: DataLoss if it is not a number from 0 to `most`.
int64_t CountAt(const Json& progress, const char* key, int64_t most);

}  // namespace lockstep::training_internal

#endif  // LOCKSTEP_REFERENCE_TRAINING_BATCHES_INPUT_PLACE_H_
