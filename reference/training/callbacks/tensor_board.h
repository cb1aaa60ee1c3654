// Training as TensorBoard shows it.
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
  // Every so many epochs the distribution of each weight; 0: never.
  int histogram_freq = 0;
  bool write_steps_per_second = false;
  // Every so many batches "batch_loss" and the others; 0: only epochs. Of
  // several workers all wait for it.
  int64_t update_freq = 0;
};

// Writes event files, under Keras' names: "epoch_loss" of the run "train" and of
// the run "validation", and so on for each number of the logs;
// "epoch_learning_rate", "epoch_steps_per_second"; "dense/kernel/histogram".
//
//   MakeCallback<TensorBoard>("logs")
//
//   tensorboard --logdir=logs
//
// The steps of an epoch's numbers are epochs, those of a batch's the
// optimizer's. Written after each epoch, on the chief of several workers.
// Errors, of fit: those of SummaryWriter.
class TensorBoard : public Callback {
 public:
  // Errors: InvalidArgument for an empty folder and negative frequencies.
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
  std::unique_ptr<SummaryWriter> validation_;  // once there is something
  Clock::time_point epoch_start_;
  int64_t first_batch_ = 0;  // of this epoch
  int64_t last_batch_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_TENSOR_BOARD_H_
