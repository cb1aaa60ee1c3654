#include "reference/base/files/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "reference/base/error.h"

namespace lockstep {

namespace fs = std::filesystem;

std::string FolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

void MakeFolder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    throw SystemError(problem.value(), "[MakeFolder] cannot make {}", folder);
  }
}

void SyncFolder(const std::string& folder) {
  const int descriptor =
      open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  const int error_number = errno;
  if (descriptor >= 0) close(descriptor);
  if (!synced) {
    throw SystemError(error_number, "[SyncFolder] cannot sync {}", folder);
  }
}

}  // namespace lockstep
