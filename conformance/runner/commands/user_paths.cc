#include "conformance/runner/commands/user_paths.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "conformance/runner/text/shell_word.h"

namespace lockstep {
namespace {

// `path` below the folder that the variable names; absolute paths stay.
std::string Below(const char* variable, const std::string& path) {
  const char* folder = std::getenv(variable);
  return folder ? (std::filesystem::path(folder) / path).string() : path;
}

std::string CommandOr(const char* variable, const std::string& target,
                      const std::string& path) {
  namespace fs = std::filesystem;
  if (const char* command = std::getenv(variable)) return command;
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (!workspace) return ShellWord(path);
  const char* here = std::getenv("BUILD_WORKING_DIRECTORY");
  const fs::path bazelw =
      fs::path(workspace).lexically_relative(here ? here : workspace) /
      "bazelw";
  return fmt::format("{} run {} --", ShellWord(bazelw.string()), target);
}

}  // namespace

void ChangeToRunfiles(const std::string& file) {
  namespace fs = std::filesystem;
  if (fs::exists(file)) return;
  std::error_code unknown;
  fs::path files = fs::read_symlink("/proc/self/exe", unknown);
  files += ".runfiles/lockstep";
  if (unknown || !fs::exists(files / file, unknown)) return;
  setenv("BUILD_WORKING_DIRECTORY", fs::current_path().c_str(),
         /*overwrite=*/0);
  fs::current_path(files);
}

std::string CommandForUser(const std::string& target, const std::string& path) {
  return CommandOr("LOCKSTEP_COMMAND", target, path);
}

std::string ExplainCommandForUser(const std::string& path) {
  const std::filesystem::path beside(path);
  return CommandOr("LOCKSTEP_EXPLAIN_COMMAND", "//conformance:explain",
                   (beside.parent_path() / "explain").string());
}

std::string InputPath(const std::string& path) {
  const std::string of_user = Below("BUILD_WORKING_DIRECTORY", path);
  return std::filesystem::exists(of_user) ? of_user : path;
}

std::vector<std::string> InputPaths(std::vector<std::string> paths) {
  for (std::string& path : paths) path = InputPath(path);
  return paths;
}

std::string OutputPath(const std::string& path) {
  return Below("BUILD_WORKING_DIRECTORY", path);
}

std::string SourcePath(const std::string& path) {
  return Below("BUILD_WORKSPACE_DIRECTORY", path);
}

}  // namespace lockstep
