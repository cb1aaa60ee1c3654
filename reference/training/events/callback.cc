#include "reference/training/events/callback.h"

#include <exception>

#include "reference/base/error.h"

namespace lockstep {

void Callback::Attach(const Model& model, const CallbackParameters& parameters,
                      FitProgress* progress) {
  model_ = &model;
  parameters_ = parameters;
  progress_ = progress;
}

void CallbackList::Attach(const Model& model,
                          const CallbackParameters& parameters,
                          FitProgress* progress) const {
  for (const CallbackPtr& callback : callbacks_) {
    if (!callback) throw InvalidArgument("[Fit] a callback is nullptr");
    callback->Attach(model, parameters, progress);
  }
}

void CallbackList::Close(bool quietly) const {
  std::exception_ptr first;
  for (const CallbackPtr& callback : callbacks_) {
    try {
      callback->OnClose();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first && !quietly) std::rethrow_exception(first);
}

namespace {

template <typename Function, typename... Args>
void CallIfGiven(const Function& function, Args&&... args) {
  if (function) function(args...);
}

}  // namespace

void LambdaCallback::OnTrainBegin() { CallIfGiven(functions_.on_train_begin); }

void LambdaCallback::OnTrainEnd(const Logs& logs) {
  CallIfGiven(functions_.on_train_end, logs);
}

void LambdaCallback::OnEpochBegin(int epoch) {
  CallIfGiven(functions_.on_epoch_begin, epoch);
}

void LambdaCallback::OnEpochEnd(int epoch, Logs& logs) {
  CallIfGiven(functions_.on_epoch_end, epoch, logs);
}

void LambdaCallback::OnTrainBatchBegin(int64_t batch) {
  CallIfGiven(functions_.on_train_batch_begin, batch);
}

void LambdaCallback::OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) {
  CallIfGiven(functions_.on_train_batch_end, batch, logs);
}

}  // namespace lockstep
