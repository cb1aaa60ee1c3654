#include "reference/base/fuzzing/fuzzed_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "reference/base/error.h"

namespace lockstep {

std::string FuzzedFile(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return std::filesystem::path(folder ? folder : "/tmp") / name;
}

void WriteFuzzed(const std::string& file, const std::string& bytes) {
  std::filesystem::remove(file);  // ext4 waits for the disk when it truncates
  std::ofstream(file, std::ios::binary) << bytes;
}

void AllowErrors(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.code() == Code::kInternal) throw;
  }
}

}  // namespace lockstep
