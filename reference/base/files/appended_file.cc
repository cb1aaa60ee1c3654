#include "reference/base/files/appended_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "reference/base/error.h"
#include "reference/base/files/folder.h"
#include "reference/base/files/write_all.h"

namespace lockstep {

std::unique_ptr<AppendedFile> AppendedFile::MakeNew(const std::string& path) {
  const int descriptor = open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor >= 0) {
    return std::unique_ptr<AppendedFile>(new AppendedFile(path, descriptor));
  }
  if (errno == EEXIST) return nullptr;
  throw SystemError(errno, "[AppendedFile] cannot create {}", path);
}

AppendedFile::~AppendedFile() { close(descriptor_); }

void AppendedFile::Append(std::string_view bytes) {
  if (damaged_) {
    throw FailedPrecondition("[AppendedFile] {} ends in a part of a write",
                             path_);
  }
  const WriteResult result = WriteAll(descriptor_, bytes);
  if (result.error_number == 0) {
    bytes_ += result.bytes;
    return;
  }
  damaged_ = ftruncate(descriptor_, bytes_) != 0;
  throw SystemError(result.error_number,
                    "[AppendedFile] cannot write to {} after {} bytes", path_,
                    bytes_);
}

void AppendedFile::Sync() {
  if (synced_ == bytes_) return;
  struct stat state = {};
  if (fsync(descriptor_) != 0 || fstat(descriptor_, &state) != 0) {
    throw SystemError(errno, "[AppendedFile] cannot sync {}", path_);
  }
  if (state.st_nlink == 0) {
    throw NotFound("[AppendedFile] {} was removed, with {} bytes", path_,
                   bytes_);
  }
  if (synced_ < 0) SyncFolder(FolderOf(path_));
  synced_ = bytes_;
}

}  // namespace lockstep
