#include "reference/training/batches/input_place.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reference/base/error.h"

namespace lockstep {
namespace training_internal {

// Text that is not an object is damaged; an object with another format is of
// another version.
Json ParseProgress(const std::string& saved, int format) {
  Json progress;
  try {
    progress = ParseJson(saved, "saved progress");
  } catch (const Error& error) {
    throw DataLoss("[Fit] {}", error.what());
  }
  if (!progress.is_object()) {
    throw DataLoss("[Fit] saved progress is not an object");
  }
  const Json found = progress.value("format", Json());
  if (found != format) {
    throw InvalidArgument("[Fit] saved progress of format {}, wanted {}",
                          found.dump(), format);
  }
  return progress;
}

int64_t CountAt(const Json& progress, const char* key, int64_t most) {
  const auto count = IntegerIn(progress.value(key, Json()));
  if (count && *count >= 0 && *count <= most) return *count;
  throw DataLoss("[Fit] saved progress has no '{}' from 0 to {}", key, most);
}

}  // namespace training_internal

using training_internal::CountAt;
using training_internal::kMostSteps;

namespace {

constexpr int kFormat = 1;

// The shuffles' states. Errors: DataLoss.
std::vector<uint64_t> PassesIn(const Json& progress) {
  const Json passes = progress.value("passes", Json());
  const auto is_state = [](const Json& p) { return p.is_number_unsigned(); };
  if (!passes.is_array() || !std::ranges::all_of(passes, is_state)) {
    throw DataLoss("[Fit] saved progress has no 'passes'");
  }
  return passes.get<std::vector<uint64_t>>();
}

// Older files do not have these fields: they count 0, and any pipeline will do.
int64_t LaterCountAt(const Json& progress, const char* key) {
  return progress.contains(key) ? CountAt(progress, key, kMostSteps) : 0;
}

// Errors: DataLoss; InvalidArgument.
void CheckPipeline(const Json& progress, const DistributedDataset& data) {
  if (!progress.contains("pipeline")) return;
  const Json& pipeline = progress.at("pipeline");
  if (!pipeline.is_string()) {
    throw DataLoss("[Fit] saved progress has no 'pipeline'");
  }
  distribute_internal::CheckSamePipeline("Fit", pipeline.get<std::string>(),
                                         *data.source());
}

}  // namespace

void InputPlace::OpenPass() {
  pass_start_ = data_.SavePasses();
  pass_.emplace(data_.MakeIterator());
  PerReplica<Structure> skipped;
  pass_->SkipTo(skipped_, errors_, &skipped);
}

bool InputPlace::NextBatch(PerReplica<Structure>* batch) {
  PerReplica<Structure> last;
  if (!pass_ && !FindPlace(&last)) OpenPass();
  return pass_->Next(batch);
}

bool InputPlace::NextBatch(PerReplica<Batch>* batch) {
  PerReplica<Structure> element;
  if (!NextBatch(&element)) return false;
  *batch = TakeApart(element);
  return true;
}

bool InputPlace::FindPlace(PerReplica<Structure>* last) {
  if (pass_ || trained_ == 0) return false;
  const std::vector<uint64_t> start = data_.SavePasses();
  DistributedIterator pass = data_.MakeIterator();
  try {
    if (!pass.SkipTo(skipped_ + trained_, errors_, last)) {
      throw InvalidArgument(
          "[Fit] {} batches were trained of data that has {} now",
          skipped_ + trained_, pass.place().steps);
    }
  } catch (...) {
    data_.RestorePasses(start);  // the next call begins the same pass
    throw;
  }
  pass_start_ = start;
  pass_.emplace(std::move(pass));
  return true;
}

void InputPlace::BatchDone() {
  ++trained_;
  if (pass_) errors_ = pass_->place().errors;
}

void InputPlace::EndPass() {
  pass_.reset();
  skipped_ = trained_ = errors_ = 0;
}

void InputPlace::Skip(int64_t batches) {
  if (batches < 0) {
    throw InvalidArgument("[Skip] batches must not be negative, got {}",
                          batches);
  }
  if (pass_) throw FailedPrecondition("[Skip] the pass has begun");
  skipped_ += batches;
}

std::vector<Trackable::Value> InputPlace::values() {
  const auto save = [this] {
    Json saved = Save();
    saved["format"] = kFormat;
    return Tensor::Scalar(saved.dump());
  };
  const auto restore = [this](const Tensor& saved) {
    Restore(
        training_internal::ParseProgress(saved.item<std::string>(), kFormat));
  };
  return {{.attribute = "PLACE",
           .full_name = "place",
           .spec = {.shape = Shape{}, .dtype = DType::kString},
           .save = save,
           .restore = restore}};
}

int64_t InputPlace::errors() const {
  const bool all_trained = pass_ && pass_->place().steps == skipped_ + trained_;
  return all_trained ? pass_->place().errors : errors_;
}

Json InputPlace::Save() const {
  return {{"trained_of_pass", trained_},
          {"skipped", skipped_},
          {"errors", errors()},
          {"pipeline", distribute_internal::PipelineOf(*data_.source())},
          {"passes", pass_ ? pass_start_ : data_.SavePasses()}};
}

void InputPlace::Restore(const Json& saved) {
  const int64_t trained = CountAt(saved, "trained_of_pass", kMostSteps);
  const int64_t skipped = LaterCountAt(saved, "skipped");
  const int64_t errors = LaterCountAt(saved, "errors");
  CheckPipeline(saved, data_);
  data_.RestorePasses(PassesIn(saved));
  pass_.reset();
  trained_ = trained;
  skipped_ = skipped;
  errors_ = errors;
}

}  // namespace lockstep
