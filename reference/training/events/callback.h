// Callbacks observe training, and may change it.
//
//   class PrintRate : public Callback {
//     void OnEpochEnd(int epoch, Logs& logs) override {
//       fmt::print("{} {}\n", epoch, model().optimizer().learning_rate());
//     }
//   };
//   model.Fit(dataset, {.epochs = 3, .callbacks = {MakeCallback<PrintRate>()}});
//
// The order of calls in a fit with one epoch of two batches and validation:
//
//   train begin
//     epoch begin 0
//       train batch begin 0, end 0, begin 1, end 1
//       test begin, test batch begin 0, end 0, ..., test end
//     epoch end 0
//   train end
//
// Callbacks are called in the order in which they were given, on the thread that
// called Fit, in cross-replica context. An exception ends training; then only
// OnClose is called.
//
// Each worker calls its callbacks. A callback that reads the logs or the model's
// variables must do so on all workers.
#ifndef LOCKSTEP_REFERENCE_TRAINING_EVENTS_CALLBACK_H_
#define LOCKSTEP_REFERENCE_TRAINING_EVENTS_CALLBACK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "reference/training/events/logs.h"

namespace lockstep {

class FitProgress;
class Model;

// Parameters of the training, set before the first call.
struct CallbackParameters {
  int epochs = 1;
  std::optional<int64_t> steps;  // per epoch, if known
  bool is_chief = true;          // one of several workers
};

class Callback {
 public:
  Callback() = default;
  virtual ~Callback() = default;
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  // Called before the other methods. `progress` is nullptr outside of fit.
  void Attach(const Model& model, const CallbackParameters& parameters,
              FitProgress* progress);

  virtual void OnTrainBegin() {}
  virtual void OnTrainEnd(const Logs& /*logs*/) {}
  virtual void OnEpochBegin(int /*epoch*/) {}
  // Values that are added to `logs` are passed to later callbacks and to the
  // history.
  virtual void OnEpochEnd(int /*epoch*/, Logs& /*logs*/) {}
  virtual void OnTrainBatchBegin(int64_t /*batch*/) {}
  // `logs` are the means of the epoch so far.
  virtual void OnTrainBatchEnd(int64_t /*batch*/, const LazyLogs& /*logs*/) {}
  virtual void OnTestBegin() {}
  virtual void OnTestEnd(const Logs& /*logs*/) {}
  virtual void OnTestBatchBegin(int64_t /*batch*/) {}
  virtual void OnTestBatchEnd(int64_t /*batch*/, const LazyLogs& /*logs*/) {}
  virtual void OnPredictBegin() {}
  virtual void OnPredictEnd() {}
  virtual void OnPredictBatchBegin(int64_t /*batch*/) {}
  virtual void OnPredictBatchEnd(int64_t /*batch*/) {}
  // Always the last call, also after an error; close files here. An exception that
  // it throws after another error is dropped.
  virtual void OnClose() {}

 protected:
  // REQUIRES: attached.
  const Model& model() const { return *model_; }
  const CallbackParameters& parameters() const { return parameters_; }
  // The position of fit. REQUIRES: called in fit.
  FitProgress& progress() const { return *progress_; }

 private:
  const Model* model_ = nullptr;
  FitProgress* progress_ = nullptr;
  CallbackParameters parameters_;
};

using CallbackPtr = std::shared_ptr<Callback>;

template <typename Kind, typename... Args>
CallbackPtr MakeCallback(Args&&... args) {
  return std::make_shared<Kind>(std::forward<Args>(args)...);
}

// Calls several callbacks.
class CallbackList {
 public:
  explicit CallbackList(std::vector<CallbackPtr> callbacks)
      : callbacks_(std::move(callbacks)) {}

  template <typename... Parameters, typename... Args>
  void Tell(void (Callback::*event)(Parameters...), Args&&... args) const {
    for (const CallbackPtr& callback : callbacks_) (*callback.*event)(args...);
  }
  void Attach(const Model& model, const CallbackParameters& parameters,
              FitProgress* progress) const;
  // Calls OnClose of all, even if one throws. Then rethrows the first exception,
  // unless `quietly`.
  void Close(bool quietly) const;

 private:
  std::vector<CallbackPtr> callbacks_;
};

// A callback that calls functions.
//
//   LambdaCallback::Functions f{.on_epoch_begin = [](int epoch) { ... }};
//   MakeCallback<LambdaCallback>(f)
class LambdaCallback : public Callback {
 public:
  struct Functions {
    std::function<void()> on_train_begin = nullptr;
    std::function<void(const Logs&)> on_train_end = nullptr;
    std::function<void(int)> on_epoch_begin = nullptr;
    std::function<void(int, Logs&)> on_epoch_end = nullptr;
    std::function<void(int64_t)> on_train_batch_begin = nullptr;
    std::function<void(int64_t, const LazyLogs&)> on_train_batch_end = nullptr;
  };

  explicit LambdaCallback(Functions functions)
      : functions_(std::move(functions)) {}

  void OnTrainBegin() override;
  void OnTrainEnd(const Logs& logs) override;
  void OnEpochBegin(int epoch) override;
  void OnEpochEnd(int epoch, Logs& logs) override;
  void OnTrainBatchBegin(int64_t batch) override;
  void OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) override;

 private:
  const Functions functions_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_EVENTS_CALLBACK_H_
