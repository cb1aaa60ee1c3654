// For any bytes, a saved_model.pb is loaded and run, or refused with an Error.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "reference/base/fuzzing/fuzzed_files.h"
#include "reference/export/saved_model/loading/load_saved_model.h"
#include "reference/export/saved_model/loading/run_on_ones.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: a test
  static const std::string folder = [] {
    std::string name = FuzzedFile("fuzzed_saved_model");
    std::filesystem::create_directories(name);
    return name;
  }();
  WriteFuzzed(folder + "/saved_model.pb",
              std::string(reinterpret_cast<const char*>(data), size));
  AllowErrors(
      [] { RunOnOnes(LoadSavedModel(folder, {.memory_limit = 1 << 16})); });
  return 0;
}
