#include "reference/cluster/write_directory.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "reference/base/error.h"
#include "reference/base/log.h"

namespace lockstep {
namespace {

// The reason it could not be removed; none where it is not there.
std::error_code Remove(const std::string& path) {
  std::error_code code;
  std::filesystem::remove_all(path, code);
  return code;
}

}  // namespace

WriteDirectory::WriteDirectory(const Topology& topology,
                               const std::string& directory)
    : path_(directory), is_temporary_(!topology.is_chief()) {
  if (!is_temporary_) return;
  path_ = fmt::format("{}/workertemp_{}", directory, topology.worker().value());
  if (const std::error_code code = Remove(path_)) {
    throw Unavailable("[WriteDirectory] cannot remove {}: {}", path_,
                      code.message());
  }
}

WriteDirectory::~WriteDirectory() {
  if (!is_temporary_) return;
  if (const std::error_code code = Remove(path_)) {
    LogWarning("[WriteDirectory] cannot remove {}: {}", path_, code.message());
  }
}

}  // namespace lockstep
