#include "reference/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "reference/base/check.h"
#include "reference/base/system_error.h"

namespace lockstep {
namespace {

std::string TemporaryName(const std::string& path) {
  static std::atomic<int> counter{0};
  return fmt::format("{}.tmp-{}-{}", path, getpid(), counter.fetch_add(1));
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path)
    : path_(path), temporary_path_(TemporaryName(path)) {
  descriptor_ = open(temporary_path_.c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) Fail("create", errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_path_.c_str());
}

void AtomicFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      Fail("write", errno);
    }
    bytes_written_ += written;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void AtomicFile::Sync() {
  LOCKSTEP_CHECK(descriptor_ >= 0);
  if (fsync(descriptor_) != 0) Fail("fsync", errno);
}

void AtomicFile::Commit() {
  Sync();
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    Fail("rename", errno);
  }
  visible_ = true;
  close(descriptor_);
  descriptor_ = -1;
  // The rename itself lasts only once the folder is on disk.
  std::string folder = std::filesystem::path(path_).parent_path();
  if (folder.empty()) folder = ".";
  const int folder_descriptor =
      open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_descriptor < 0) Fail("open the folder of", errno);
  const int synced = fsync(folder_descriptor);
  const int error_number = errno;
  close(folder_descriptor);
  if (synced != 0) Fail("fsync the folder of", error_number);
}

void AtomicFile::Fail(std::string_view action, int error_number) const {
  throw SystemError(error_number, "[AtomicFile] cannot {} {} after {} bytes",
                    action, path_, bytes_written_);
}

}  // namespace lockstep
