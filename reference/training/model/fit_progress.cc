#include "reference/training/model/fit_progress.h"

#include <nlohmann/json.hpp>

#include "reference/base/json.h"

namespace lockstep {
namespace {

using training_internal::CountAt;
using training_internal::kMostSteps;

constexpr int kFormat = 1;
constexpr int64_t kMostEpochs = 1 << 30;

}  // namespace

void FitProgress::BatchDone() {
  ++step_;
  place_->BatchDone();
}

void FitProgress::EpochDone(bool ends_pass) {
  ++epoch_;
  step_ = 0;
  if (ends_pass) place_->EndPass();
}

std::vector<Trackable::Value> FitProgress::values() {
  return {{.attribute = "PROGRESS",
           .full_name = "progress",
           .spec = {.shape = Shape{}, .dtype = DType::kString},
           .save = [this] { return Tensor::Scalar(Save()); },
           .restore =
               [this](const Tensor& saved) {
                 Restore(saved.item<std::string>());
               }}};
}

std::string FitProgress::Save() const {
  Json saved = place_->Save();
  saved.update({{"format", kFormat}, {"epoch", epoch_}, {"step", step_}});
  return saved.dump();
}

void FitProgress::Restore(const std::string& saved) {
  const Json progress = training_internal::ParseProgress(saved, kFormat);
  const int64_t epoch = CountAt(progress, "epoch", kMostEpochs);
  const int64_t step = CountAt(progress, "step", kMostSteps);
  place_->Restore(progress);
  epoch_ = static_cast<int>(epoch);
  step_ = step;
}

}  // namespace lockstep
