// Where fit is, and what it reads from there on: enough for another process,
// with as many replicas or others, to go on with the very next batch.
//
//   FitProgress progress(inputs, /*initial_epoch=*/0);
//   Checkpoint checkpoint({..., {"progress", &progress}});
//   checkpoint.Write(path);      // in the middle of an epoch
//   ...
//   checkpoint.Restore(path);    // the next batch is the one that came next
//
// A restore reads the batches of the pass that were trained once more, to find
// the place.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_PROGRESS_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_PROGRESS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/per_replica.h"
#include "reference/training/batches/batch.h"
#include "reference/training/batches/input_place.h"

namespace lockstep {

class FitProgress : public Trackable {
 public:
  FitProgress(DistributedDataset data, int initial_epoch)
      : FitProgress(std::make_shared<InputPlace>(std::move(data)),
                    initial_epoch) {}
  // Reads on at a place, whose pass is then that of the first epoch. REQUIRES:
  // not nullptr.
  FitProgress(std::shared_ptr<InputPlace> place, int initial_epoch)
      : place_(std::move(place)),
        epoch_(initial_epoch),
        step_(place_->trained()) {}

  // What is trained next: the epoch, and the batch of it.
  int epoch() const { return epoch_; }
  int64_t step() const { return step_; }
  // Training ends behind this batch, its epoch with validation and OnEpochEnd.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  // As of an InputPlace.
  bool NextBatch(PerReplica<Batch>* batch) { return place_->NextBatch(batch); }
  bool FindPlace(PerReplica<Structure>* last) {
    return place_->FindPlace(last);
  }
  // The batch that was read last was trained.
  void BatchDone();
  // With `ends_pass` the next epoch reads anew.
  void EpochDone(bool ends_pass);

  // One string. Errors of restoring it: as of an InputPlace.
  std::vector<Value> values() override;

 private:
  std::string Save() const;
  void Restore(const std::string& saved);

  std::shared_ptr<InputPlace> place_;
  int epoch_;
  int64_t step_;
  bool stopped_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_PROGRESS_H_
