// Writes event files for TensorBoard during training.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_TENSOR_BOARD_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_TENSOR_BOARD_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "reference/training/events/callback.h"

namespace lockstep {

class SummaryWriter;

struct TensorBoardOptions {
  // Writes a histogram of each weight every n epochs; 0: never.
  int histogram_freq = 0;
  bool write_steps_per_second = false;
  // Writes "batch_loss" and the other numbers every n batches; 0: only epochs. All
  // workers wait for it.
  int64_t update_freq = 0;
};

// Writes event files with Keras' names: "epoch_loss" in the runs "train" and
// "validation", and so on for each number of the logs; "epoch_learning_rate",
// "epoch_steps_per_second"; "dense/kernel/histogram".
//
//   MakeCallback<TensorBoard>("logs")
//
//   tensorboard --logdir=logs
//
// The step of an epoch's number is the epoch; the step of a batch's number is the
// optimizer's. Files are flushed after each epoch. Only the chief writes.
// Errors, of fit: those of SummaryWriter.
class TensorBoard : public Callback {
 public:
  // Errors: InvalidArgument if the folder is empty or a frequency is negative.
  explicit TensorBoard(std::string folder,
                       const TensorBoardOptions& options = {});
  ~TensorBoard() override;

  void OnTrainBegin() override;
  void OnEpochBegin(int epoch) override;
  void OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) override;
  void OnEpochEnd(int epoch, Logs& logs) override;
  void OnClose() override;

 private:
  using Clock = std::chrono::steady_clock;

  void WriteHistograms(int epoch);
  void WriteEpoch(int epoch, const Logs& logs);
  double StepsPerSecond() const;

  const std::string folder_;
  const TensorBoardOptions options_;
  std::unique_ptr<SummaryWriter> train_;       // on the chief, while training
  std::unique_ptr<SummaryWriter> validation_;  // after the first validation
  Clock::time_point epoch_start_;
  int64_t first_batch_ = 0;  // in this epoch
  int64_t last_batch_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_TENSOR_BOARD_H_
