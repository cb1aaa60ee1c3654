#include "conformance/runner/commands/user_paths.h"

#include <cstdlib>
#include <filesystem>

namespace lockstep {
namespace {

// `path` below the folder that the variable names; absolute paths stay.
std::string Below(const char* variable, const std::string& path) {
  const char* folder = std::getenv(variable);
  return folder ? (std::filesystem::path(folder) / path).string() : path;
}

}  // namespace

std::string InputPath(const std::string& path) {
  const std::string theirs = Below("BUILD_WORKING_DIRECTORY", path);
  return std::filesystem::exists(theirs) ? theirs : path;
}

std::string OutputPath(const std::string& path) {
  return Below("BUILD_WORKING_DIRECTORY", path);
}

std::string SourcePath(const std::string& path) {
  return Below("BUILD_WORKSPACE_DIRECTORY", path);
}

}  // namespace lockstep
