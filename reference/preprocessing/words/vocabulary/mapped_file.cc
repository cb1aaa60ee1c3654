#include "reference/preprocessing/words/vocabulary/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::words_internal {
namespace {

// Closes a descriptor unless it is released.
class OpenDescriptor {
 public:
  explicit OpenDescriptor(const std::string& path)
      // Without O_NONBLOCK a named pipe would wait for its writer.
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) {
      throw SystemError(errno, "[MappedFile] cannot read {}", path);
    }
  }
  ~OpenDescriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenDescriptor(const OpenDescriptor&) = delete;
  OpenDescriptor& operator=(const OpenDescriptor&) = delete;

  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

void CheckIsFile(int descriptor, const std::string& path) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) {
    throw SystemError(errno, "[MappedFile] cannot read {}", path);
  }
  if (!S_ISREG(status.st_mode)) {
    throw InvalidArgument("[MappedFile] {} is not a file", path);
  }
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  OpenDescriptor file(path);
  CheckIsFile(file.get(), path);
  descriptor_ = file.get();
  opened_ = ReadState();
  size_ = static_cast<size_t>(opened_.size);
  if (size_ > 0) {  // nothing cannot be mapped
    address_ =
        mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, /*offset=*/0);
    if (address_ == MAP_FAILED) {
      throw SystemError(errno, "[MappedFile] cannot map {}", path);
    }
  }
  file.Release();
}

MappedFile::~MappedFile() {
  if (size_ > 0) munmap(address_, size_);
  close(descriptor_);
}

MappedFile::State MappedFile::ReadState() const {
  struct stat status = {};
  if (fstat(descriptor_, &status) != 0) {
    throw SystemError(errno, "[MappedFile] cannot read {}", path_);
  }
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void MappedFile::CheckUnchanged() const {
  const State now = ReadState();
  if (now == opened_) return;
  throw FailedPrecondition(
      "[MappedFile] {} was changed after it was read ({} bytes then, {} now); "
      "read it again, and replace files by renaming new ones over them",
      path_, opened_.size, now.size);
}

}  // namespace lockstep::words_internal
