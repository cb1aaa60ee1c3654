#include "reference/base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "reference/base/system_error.h"

namespace lockstep {

FolderLock::FolderLock(const std::string& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw SystemError(errno, "[FolderLock] cannot open {}", folder);
  }
  int status = 0;
  do {
    status = flock(descriptor_, LOCK_EX);
  } while (status != 0 && errno == EINTR);
  if (status != 0) {
    const int error_number = errno;
    close(descriptor_);
    throw SystemError(error_number, "[FolderLock] cannot lock {}", folder);
  }
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace lockstep
