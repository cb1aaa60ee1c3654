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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"

namespace lockstep {

class FitProgress : public Trackable {
 public:
  FitProgress(DistributedDataset data, int initial_epoch)
      : data_(std::move(data)), epoch_(initial_epoch) {}

  // What is trained next: the epoch, and the batch of it.
  int epoch() const { return epoch_; }
  int64_t step() const { return step_; }
  // Training ends behind this batch, its epoch with validation and OnEpochEnd.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  // The next batch of the pass, of a new one where none is open; false at its
  // end. REQUIRES: behind a restore FindPlace was called.
  bool NextBatch(PerReplica<Structure>* batch);
  // Reads the batches of a restored pass that were trained; `last` is the last
  // of them. False, and nothing happens, where there are none. Errors:
  // InvalidArgument for data that ends before.
  bool FindPlace(PerReplica<Structure>* last);
  // The batch that was read last was trained.
  void BatchDone();
  // With `ends_pass` the next epoch reads anew.
  void EpochDone(bool ends_pass);

  // One string. Errors of restoring it, which then changes nothing:
  // InvalidArgument for what another version wrote, and for other data
  // (DistributedDataset::RestorePasses); DataLoss for what no version did.
  std::vector<Value> values() override;

 private:
  std::string Save() const;
  void Restore(const std::string& saved);
  void OpenPass();

  DistributedDataset data_;
  int epoch_;
  int64_t step_ = 0;
  bool stopped_ = false;
  std::optional<DistributedIterator> pass_;
  std::vector<uint64_t> pass_start_;  // SavePasses before it
  int64_t trained_of_pass_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_PROGRESS_H_
