#include "reference/training/model/fit_progress.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reference/base/error.h"
#include "reference/base/json.h"

namespace lockstep {
namespace {

constexpr int kFormat = 1;
// More than any run has, and less than overflows.
constexpr int64_t kMostEpochs = 1 << 30;
constexpr int64_t kMostSteps = int64_t{1} << 53;

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

namespace {

// What damage made of the text is no progress; what says its format is another
// version's.
Json ParseProgress(const std::string& saved) {
  try {
    return ParseJson(saved, "saved progress");
  } catch (const Error& error) {
    throw DataLoss("[Fit] {}", error.what());
  }
}

// Errors: DataLoss for no number from 0 to `most`.
int64_t CountAt(const Json& progress, const char* key, int64_t most) {
  const auto count = IntegerIn(progress.value(key, Json()));
  if (count && *count >= 0 && *count <= most) return *count;
  throw DataLoss("[Fit] saved progress has no '{}' from 0 to {}", key, most);
}

// The states of shuffles. Errors: DataLoss.
std::vector<uint64_t> PassesIn(const Json& progress) {
  const Json passes = progress.value("passes", Json());
  const auto is_state = [](const Json& p) { return p.is_number_unsigned(); };
  if (!passes.is_array() || !std::ranges::all_of(passes, is_state)) {
    throw DataLoss("[Fit] saved progress has no 'passes'");
  }
  return passes.get<std::vector<uint64_t>>();
}

}  // namespace

void FitProgress::Restore(const std::string& saved) {
  const Json progress = ParseProgress(saved);
  if (!progress.is_object()) {
    throw DataLoss("[Fit] saved progress is no object");
  }
  const Json format = progress.value("format", Json());
  if (format != kFormat) {
    throw InvalidArgument("[Fit] saved progress of format {}, wanted {}",
                          format.dump(), kFormat);
  }
  const int64_t epoch = CountAt(progress, "epoch", kMostEpochs);
  const int64_t step = CountAt(progress, "step", kMostSteps);
  const int64_t trained = CountAt(progress, "trained_of_pass", kMostSteps);
  data_.RestorePasses(PassesIn(progress));
  pass_.reset();
  epoch_ = static_cast<int>(epoch);
  step_ = step;
  trained_of_pass_ = trained;
}

}  // namespace lockstep
