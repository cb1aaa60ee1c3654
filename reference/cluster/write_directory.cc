#include "reference/cluster/write_directory.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/log.h"

namespace lockstep {
namespace {

constexpr std::string_view kTemporary = "workertemp_";

// The worker whose temporary folder has this name; -1 for any other name.
int OwnerOf(const std::string& name) {
  if (!name.starts_with(kTemporary)) return -1;
  int worker = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] =
      std::from_chars(name.data() + kTemporary.size(), end, worker);
  return error == std::errc() && rest == end ? worker : -1;
}

// Removes the folder, if it exists. Returns why it could not.
std::error_code Remove(const std::string& path) {
  std::error_code code;
  std::filesystem::remove_all(path, code);
  return code;
}

void RemoveOrThrow(const std::string& path) {
  if (const std::error_code code = Remove(path)) {
    throw Unavailable("[WriteDirectory] cannot remove {}: {}", path,
                      code.message());
  }
}

// Removes the folders of workers that this job does not have.
void RemoveOfWorkersFrom(int num_workers, const std::string& directory) {
  std::vector<std::string> left;
  std::error_code none;  // the folder may not exist yet
  for (const auto& entry :
       std::filesystem::directory_iterator(directory, none)) {
    if (OwnerOf(entry.path().filename()) >= num_workers) {
      left.push_back(entry.path());
    }
  }
  for (const std::string& path : left) RemoveOrThrow(path);
}

}  // namespace

WriteDirectory::WriteDirectory(const Topology& topology,
                               const std::string& directory)
    : path_(directory), is_temporary_(!topology.is_chief()) {
  if (!is_temporary_) {
    RemoveOfWorkersFrom(topology.num_workers(), directory);
    return;
  }
  path_ =
      fmt::format("{}/{}{}", directory, kTemporary, topology.worker().value());
  RemoveOrThrow(path_);
}

WriteDirectory::~WriteDirectory() {
  if (!is_temporary_) return;
  if (const std::error_code code = Remove(path_)) {
    LogWarning("[WriteDirectory] cannot remove {}: {}", path_, code.message());
  }
}

}  // namespace lockstep
