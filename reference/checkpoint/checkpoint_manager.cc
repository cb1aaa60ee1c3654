#include "reference/checkpoint/checkpoint_manager.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/checkpoint/save_count.h"
#include "reference/tensor_bundle/bundle_files.h"

namespace lockstep {
namespace {

constexpr double kSecondsPerHour = 3600;

double SystemClock() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void RemoveFile(const std::string& file) {
  std::error_code code;
  std::filesystem::remove(file, code);
  if (code) {
    LogWarning("[CheckpointManager] cannot remove {}: {}", file,
               code.message());
  }
}

void DeleteCheckpoint(const std::string& path) {
  for (const std::string& file : tensor_bundle_internal::ExistingFiles(path)) {
    RemoveFile(file);
  }
}

int64_t CurrentStep(const Variable& counter) {
  return counter.Read().Cast(DType::kInt64).item<int64_t>();
}

}  // namespace

CheckpointManager::CheckpointManager(Checkpoint& checkpoint,
                                     const std::string& directory,
                                     CheckpointManagerOptions options)
    : checkpoint_(checkpoint),
      directory_(directory),
      options_(std::move(options)) {
  if (options_.max_to_keep && *options_.max_to_keep < 1) {
    throw InvalidArgument(
        "[CheckpointManager] max_to_keep must be positive or nullopt, got {}",
        *options_.max_to_keep);
  }
  if (options_.checkpoint_interval && options_.step_counter == nullptr) {
    throw InvalidArgument(
        "[CheckpointManager] checkpoint_interval {} needs a step_counter",
        *options_.checkpoint_interval);
  }
  if (!options_.clock) options_.clock = SystemClock;
  AdoptState();
}

void CheckpointManager::AdoptState() {
  const double now = options_.clock();
  const std::optional<CheckpointState> state = ReadCheckpointState(directory_);
  if (!state) {
    last_preserved_timestamp_ = now - 1;
    return;
  }
  latest_checkpoint_ = state->model_checkpoint_path;
  last_preserved_timestamp_ = state->last_preserved_timestamp;
  if (now < last_preserved_timestamp_) {
    LogWarning(
        "[CheckpointManager] the clock is {} s before the time of the last "
        "preserved checkpoint",
        last_preserved_timestamp_ - now);
    last_preserved_timestamp_ = now;
  }
  const auto& paths = state->all_model_checkpoint_paths;
  const auto& timestamps = state->all_model_checkpoint_timestamps;
  for (size_t i = 0; i < paths.size(); ++i) {
    const double written =
        i < timestamps.size() ? timestamps[i] : last_preserved_timestamp_;
    // The preserved ones are not listed; older than the last means preserved.
    if (std::min(written, now) > last_preserved_timestamp_) {
      kept_.push_back({paths[i], std::min(written, now)});
    }
  }
}

bool CheckpointManager::IsTooEarly(bool check_interval) const {
  if (!options_.checkpoint_interval || !last_checkpoint_step_) return false;
  const int64_t step = CurrentStep(*options_.step_counter);
  if (step == *last_checkpoint_step_) return true;
  return check_interval &&
         step < *last_checkpoint_step_ + *options_.checkpoint_interval;
}

std::optional<std::string> CheckpointManager::Save(
    CheckpointManagerSaveOptions options) {
  checkpoint_internal::CheckOutsideRun("CheckpointManager.Save");
  if (IsTooEarly(options.check_interval)) return std::nullopt;
  checkpoint_internal::SaveCount count(checkpoint_.save_counter());
  const std::string prefix =
      std::filesystem::path(directory_) / options_.checkpoint_name;
  const std::string path = checkpoint_.Write(fmt::format(
      "{}-{}", prefix, options.checkpoint_number.value_or(count.value())));
  Record(path);
  count.Keep();
  Sweep();
  if (options_.checkpoint_interval) {
    last_checkpoint_step_ = CurrentStep(*options_.step_counter);
  }
  return path;
}

// Writes the state file with the new checkpoint, before Sweep deletes old ones.
void CheckpointManager::Record(const std::string& path) {
  const std::vector<Kept> kept_before = kept_;
  const std::optional<std::string> latest_before = latest_checkpoint_;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.path == path; });
  kept_.push_back({path, options_.clock()});
  latest_checkpoint_ = path;
  try {
    WriteState();
  } catch (const Error&) {
    kept_ = kept_before;
    latest_checkpoint_ = latest_before;
    throw;
  }
}

void CheckpointManager::Sweep() {
  if (!options_.max_to_keep) return;
  const size_t limit = static_cast<size_t>(*options_.max_to_keep);
  if (kept_.size() <= limit) return;
  while (kept_.size() > limit) {
    const Kept oldest = kept_.front();
    kept_.erase(kept_.begin());
    const auto& hours = options_.keep_checkpoint_every_n_hours;
    if (hours && oldest.timestamp - *hours * kSecondsPerHour >=
                     last_preserved_timestamp_) {
      last_preserved_timestamp_ = oldest.timestamp;
    } else {
      DeleteCheckpoint(oldest.path);
    }
  }
  WriteState();
}

void CheckpointManager::DeleteAll() {
  RemoveFile(std::filesystem::path(directory_) / kCheckpointStateFile);
  for (const Kept& kept : kept_) DeleteCheckpoint(kept.path);
  kept_.clear();
  latest_checkpoint_.reset();
}

void CheckpointManager::WriteState() const {
  CheckpointState state;
  state.model_checkpoint_path = *latest_checkpoint_;
  for (const Kept& kept : kept_) {
    state.all_model_checkpoint_paths.push_back(kept.path);
    state.all_model_checkpoint_timestamps.push_back(kept.timestamp);
  }
  state.last_preserved_timestamp = last_preserved_timestamp_;
  WriteCheckpointState(directory_, state);
}

std::optional<std::string> CheckpointManager::RestoreOrInitialize() {
  if (latest_checkpoint_) {
    checkpoint_.Restore(*latest_checkpoint_);
    if (options_.checkpoint_interval) {
      last_checkpoint_step_ = CurrentStep(*options_.step_counter);
    }
    return latest_checkpoint_;
  }
  if (options_.init_fn) options_.init_fn();
  return std::nullopt;
}

std::vector<std::string> CheckpointManager::checkpoints() const {
  std::vector<std::string> paths;
  for (const Kept& kept : kept_) paths.push_back(kept.path);
  return paths;
}

}  // namespace lockstep
