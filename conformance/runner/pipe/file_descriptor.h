// A file descriptor with one owner, closed when that goes.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FILE_DESCRIPTOR_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace lockstep {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  // -1 when there is none.
  int number() const { return number_; }

  void Close() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FILE_DESCRIPTOR_H_
