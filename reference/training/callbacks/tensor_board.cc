#include "reference/training/callbacks/tensor_board.h"

#include <string_view>
#include <utility>

#include "reference/base/error.h"
#include "reference/training/model/fit_progress.h"
#include "reference/training/model/model.h"
#include "reference/training/summary/summary_writer.h"

namespace lockstep {
namespace {

constexpr std::string_view kValidation = "val_";

}  // namespace

TensorBoard::TensorBoard(std::string folder, const TensorBoardOptions& options)
    : folder_(std::move(folder)), options_(options) {
  if (folder_.empty())
    throw InvalidArgument("[TensorBoard] the folder is empty");
  if (options.histogram_freq < 0 || options.update_freq < 0) {
    throw InvalidArgument(
        "[TensorBoard] frequencies cannot be negative, got {} and {}",
        options.histogram_freq, options.update_freq);
  }
}

TensorBoard::~TensorBoard() = default;

void TensorBoard::OnTrainBegin() {
  if (!parameters().is_chief) return;
  train_ = std::make_unique<SummaryWriter>(folder_ + "/train");
}

void TensorBoard::OnEpochBegin(int /*epoch*/) {
  epoch_start_ = Clock::now();
  first_batch_ = last_batch_ = progress().step();
}

void TensorBoard::OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) {
  const int64_t done = batch + 1;
  const bool due =
      options_.update_freq > 0 &&
      done / options_.update_freq > last_batch_ / options_.update_freq;
  last_batch_ = done;
  if (!due) return;
  const int64_t step = model().optimizer().iterations();
  for (const auto& [name, value] : logs.Get().items()) {
    if (train_) train_->Scalar("batch_" + name, step, value);
  }
}

void TensorBoard::OnEpochEnd(int epoch, Logs& logs) {
  const int every = options_.histogram_freq;
  if (every > 0 && epoch % every == 0) WriteHistograms(epoch);
  if (train_) WriteEpoch(epoch, logs);
}

double TensorBoard::StepsPerSecond() const {
  const std::chrono::duration<double> time = Clock::now() - epoch_start_;
  return static_cast<double>(last_batch_ - first_batch_) / time.count();
}

void TensorBoard::WriteEpoch(int epoch, const Logs& logs) {
  train_->Scalar("epoch_learning_rate", epoch,
                 model().optimizer().learning_rate());
  for (const auto& [name, value] : logs.items()) {
    if (name == "lr") continue;  // an earlier callback added it
    if (!name.starts_with(kValidation)) {
      train_->Scalar("epoch_" + name, epoch, value);
      continue;
    }
    if (!validation_) {
      validation_ = std::make_unique<SummaryWriter>(folder_ + "/validation");
    }
    validation_->Scalar("epoch_" + name.substr(kValidation.size()), epoch,
                        value);
  }
  if (options_.write_steps_per_second) {
    train_->Scalar("epoch_steps_per_second", epoch, StepsPerSecond());
  }
  train_->Flush();
  if (validation_) validation_->Flush();
}

// Reading some variables takes part on all workers.
void TensorBoard::WriteHistograms(int epoch) {
  for (const VariablePtr& variable : model().variables()) {
    const Tensor value = variable->Read();
    if (!train_) continue;
    train_->Histogram(variable->name() + "/histogram", epoch, value);
  }
}

void TensorBoard::OnClose() {
  const auto train = std::move(train_), validation = std::move(validation_);
  if (train) train->Flush();
  if (validation) validation->Flush();
}

}  // namespace lockstep
