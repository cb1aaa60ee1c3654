// For any bytes, a saved state of training is read or refused with an Error. The
// input is used as fit's progress, and as the state file of a backup.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "reference/base/files/folder.h"
#include "reference/base/fuzzing/fuzzed_files.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/data/dataset.h"
#include "reference/distribute/strategy.h"
#include "reference/training/model/fit_progress.h"

namespace {

using namespace lockstep;  // NOLINT: a test

// What was restored is saved unchanged.
void RestoreProgress(const std::string& input) {
  FitProgress progress(GetStrategy().DistributeDataset(
                           Dataset::Range(4).Shuffle(4, /*seed=*/1).Batch(2)),
                       /*initial_epoch=*/0);
  const Trackable::Value value = progress.values().at(0);
  value.restore(Tensor::Scalar(input));
  const std::string saved = value.save().item<std::string>();
  value.restore(Tensor::Scalar(saved));
  if (value.save().item<std::string>() != saved) {
    throw std::logic_error("progress changed");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  AllowErrors([&] { RestoreProgress(input); });
  const std::string file = FuzzedFile(kCheckpointStateFile);
  WriteFuzzed(file, input);
  AllowErrors([&] { LatestCheckpoint(FolderOf(file)); });
  return 0;
}
