#include "reference/base/output_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

#include "reference/base/system_error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as Linux follows

[[noreturn]] void Fail(const std::string& path, int error_number) {
  throw SystemError(error_number, "[OutputTarget] cannot write to {}", path);
}

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// The number of an entry of the folder that lists this process's descriptors.
std::optional<int> DescriptorOf(const fs::path& path) {
  std::error_code absent;
  const fs::path folder = fs::canonical(FolderOf(path), absent);
  const fs::path listed = fs::canonical("/proc/self/fd", absent);
  if (absent || folder != listed) return std::nullopt;
  const std::string name = path.filename();
  int number = -1;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc{} && end == name.data() + name.size();
  return whole ? std::optional(number) : std::nullopt;
}

OutputTarget Opened(int descriptor, const std::string& path) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) Fail(path, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) Fail(path, EBADF);
  return {.descriptor = descriptor};
}

OutputTarget Special(const std::string& path, mode_t mode) {
  if (S_ISDIR(mode)) Fail(path, EISDIR);
  if (S_ISSOCK(mode)) Fail(path, ENXIO);
  if (access(path.c_str(), W_OK) != 0) Fail(path, errno);
  return {.special = path};
}

bool IsLink(const fs::path& path) {
  std::error_code absent;
  return fs::is_symlink(fs::symlink_status(path, absent));
}

}  // namespace

OutputTarget FindOutputTarget(const std::string& path) {
  if (path.empty()) throw InvalidArgument("[OutputTarget] the path is empty");
  struct stat there;
  const bool exists = stat(path.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) Fail(path, errno);
  fs::path place = path;
  for (int links = 0;; ++links) {
    if (const auto number = DescriptorOf(place)) return Opened(*number, path);
    if (!IsLink(place) || links == kMostLinks) break;
    place = FolderOf(place) / fs::read_symlink(place);
  }
  if (exists && !S_ISREG(there.st_mode)) return Special(path, there.st_mode);
  return {.file = place};
}

}  // namespace lockstep
