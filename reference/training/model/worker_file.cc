#include "reference/training/model/worker_file.h"

#include <filesystem>
#include <system_error>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// "." for a file of the current one.
std::string FolderOf(const std::filesystem::path& path) {
  const std::string folder = path.parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

WorkerFile::WorkerFile(const Topology& topology, const std::string& path)
    : directory_(topology, FolderOf(path)),
      path_(std::filesystem::path(directory_.path()) /
            std::filesystem::path(path).filename()) {
  std::error_code code;
  std::filesystem::create_directories(directory_.path(), code);
  if (code) {
    throw Unavailable("[Save] cannot make the folder {}: {}", directory_.path(),
                      code.message());
  }
}

}  // namespace lockstep
