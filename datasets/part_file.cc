#include "datasets/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "reference/base/error.h"

namespace lockstep {
namespace {

[[noreturn]] void Fail(std::string_view action, const std::string& path,
                       int error_number) {
  const char* word = std::strerror(error_number);
  if (error_number == ENOSPC || error_number == EDQUOT ||
      error_number == EFBIG) {
    throw ResourceExhausted("[PartFile] cannot {} {}: {}", action, path, word);
  }
  throw Unavailable("[PartFile] cannot {} {}: {}", action, path, word);
}

}  // namespace

PartFile::PartFile(const std::string& path) : path_(path) {
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) Fail("open", path, errno);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error_number = errno;
    close(descriptor_);
    if (error_number != EWOULDBLOCK) Fail("lock", path, error_number);
    throw FailedPrecondition("[PartFile] another process is writing {}", path);
  }
  size_ = lseek(descriptor_, 0, SEEK_END);
}

PartFile::~PartFile() { close(descriptor_); }

void PartFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) Fail("write to", path_, errno);
    bytes.remove_prefix(written);
    size_ += written;
  }
}

void PartFile::Clear() {
  if (ftruncate(descriptor_, 0) != 0) Fail("empty", path_, errno);
  size_ = lseek(descriptor_, 0, SEEK_SET);
}

}  // namespace lockstep
