// The position of fit in its epochs and its data. With it another process, with any
// number of replicas, can resume with the next batch.
//
//   FitProgress progress(inputs, /*initial_epoch=*/0);
//   Checkpoint checkpoint({..., {"progress", &progress}});
//   checkpoint.Write(path);      // in the middle of an epoch
//   ...
//   checkpoint.Restore(path);    // then reads the batch that was next
//
// To find the position, it reads again the batches of the pass that were trained.
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
  // The first epoch continues the pass of `place`. REQUIRES: not nullptr.
  FitProgress(std::shared_ptr<InputPlace> place, int initial_epoch)
      : place_(std::move(place)),
        epoch_(initial_epoch),
        step_(place_->trained()) {}

  // The epoch that is trained next, and the batch of the epoch.
  int epoch() const { return epoch_; }
  int64_t step() const { return step_; }
  // Ends training after this batch. The epoch still has validation and OnEpochEnd.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  // As InputPlace's.
  bool NextBatch(PerReplica<Batch>* batch) { return place_->NextBatch(batch); }
  bool FindPlace(PerReplica<Structure>* last) {
    return place_->FindPlace(last);
  }
  // The batch that was read last was trained.
  void BatchDone();
  // With `ends_pass`, the next epoch starts a new pass.
  void EpochDone(bool ends_pass);

  // One string. Errors of restoring it: as InputPlace's.
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
