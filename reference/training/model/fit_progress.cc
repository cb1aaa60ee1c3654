#include "reference/training/model/fit_progress.h"

#include <nlohmann/json.hpp>

#include "reference/base/error.h"
#include "reference/base/json.h"

namespace lockstep {
namespace {

constexpr int kFormat = 1;

}  // namespace

void FitProgress::OpenPass() {
  pass_start_ = data_.SavePasses();
  pass_.emplace(data_.MakeIterator());
}

bool FitProgress::NextBatch(PerReplica<Structure>* batch) {
  if (!pass_) OpenPass();
  return pass_->Next(batch);
}

bool FitProgress::FindPlace(PerReplica<Structure>* last) {
  if (pass_ || trained_of_pass_ == 0) return false;
  OpenPass();
  for (int64_t read = 0; read < trained_of_pass_; ++read) {
    if (pass_->Next(last)) continue;
    throw InvalidArgument(
        "[Fit] {} batches were trained of data that has {} now",
        trained_of_pass_, read);
  }
  return true;
}

void FitProgress::BatchDone() {
  ++step_;
  ++trained_of_pass_;
}

void FitProgress::EpochDone(bool ends_pass) {
  ++epoch_;
  step_ = 0;
  if (!ends_pass) return;
  pass_.reset();
  trained_of_pass_ = 0;
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
  const Json saved = {{"format", kFormat},
                      {"epoch", epoch_},
                      {"step", step_},
                      {"trained_of_pass", trained_of_pass_},
                      {"passes", pass_ ? pass_start_ : data_.SavePasses()}};
  return saved.dump();
}

void FitProgress::Restore(const std::string& saved) {
  const Json progress = ParseJson(saved, "[Fit] saved progress");
  const int format = progress.value("format", 0);
  if (format != kFormat) {
    throw InvalidArgument("[Fit] saved progress of format {}, wanted {}",
                          format, kFormat);
  }
  const auto passes = progress.at("passes").get<std::vector<uint64_t>>();
  data_.RestorePasses(passes);
  pass_.reset();
  epoch_ = progress.at("epoch").get<int>();
  step_ = progress.at("step").get<int64_t>();
  trained_of_pass_ = progress.at("trained_of_pass").get<int64_t>();
}

}  // namespace lockstep
