#include "command_line/users_folders.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "reference/base/error.h"

namespace lockstep {

namespace fs = std::filesystem;

void EnterUsersFolder() {
  if (const char* folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
    fs::current_path(folder);
  }
}

std::string ResultsFolder() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return fs::path(workspace == nullptr ? "" : workspace) / "results";
}

void MakeFolder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    throw Unavailable("[MakeFolder] cannot make {}: {}", folder,
                      problem.message());
  }
}

}  // namespace lockstep
