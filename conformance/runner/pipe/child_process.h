// Processes that we start: how they are fed, read and ended.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_CHILD_PROCESS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_CHILD_PROCESS_H_

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/pipe/folder_size.h"
#include "conformance/runner/pipe/process_usage.h"

namespace lockstep {

// A file descriptor with one owner, closed when that goes.
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

// "exit status 3", "SIGSEGV".
struct ProcessEnd {
  bool by_signal = false;
  int value = 0;  // the signal, or the exit status

  std::string Describe() const;
  bool operator==(const ProcessEnd&) const = default;
};

struct ChildProcessOptions {
  // Where the files and Python's modules that the command names are.
  std::string files = ".";
  // In bytes; what would make one longer gets SIGXFSZ, or EFBIG.
  int64_t longest_file = ProcessLimits::kNone;
};

// A program with its stdin, stdout and stderr in our hands.
//
//   ChildProcess child({"/usr/bin/python3", "testee.py"});
//   write(child.in(), ...);
//   read(child.out(), ...);
//   child.Wait(100ms);  // how it ended; nothing while it lives
//
// It has a process group of its own, and an empty folder of its own, in which it
// starts and which is its TMPDIR. So a word of the command that has a dot or a
// slash in it and names a file is replaced by the file's full path, and PYTHONPATH
// ends with the folder of these files, as `python3 -m` would search it there.
// When this object goes, or the whole of our process in whatever way, the
// program and all its descendants are killed and the folder is removed
// (process_guard.h), wherever it was moved to.
class ChildProcess {
 public:
  // Looks for command[0] on PATH when it names no folder.
  // Errors: NotFound when there is no such program, or no folder for temporary
  // files; Unavailable or ResourceExhausted when it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command,
                        const ChildProcessOptions& options = {});
  ~ChildProcess() { Kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Our ends of its pipes; none of them blocks.
  int in() const { return in_.number(); }
  int out() const { return out_.number(); }
  int err() const { return err_.number(); }
  // The program sees the end of its stdin; in() is -1 then.
  void CloseIn() { in_.Close(); }
  // Can be read once the program has ended; for poll only.
  int end() const { return control_.number(); }

  // Of the program and its descendants, with how many of them we may stop looking.
  ProcessUsage Usage(int64_t most_processes = ProcessLimits::kNone) const {
    return UsageOfDescendants(guard_, most_processes);
  }
  // What the files in its folder take, counted on for this long (folder_size.h).
  int64_t BytesInFolder(std::chrono::milliseconds time) {
    size_.CountFor(time);
    return size_.bytes();
  }

  // How it ended, at the latest after `patience`.
  std::optional<ProcessEnd> Wait(std::chrono::milliseconds patience);

  // Kills it and its descendants, and waits until they are gone, but not for ever:
  // seconds, for what hangs in the kernel and for a folder that holds much.
  void Kill();

 private:
  void MakeFolder();
  void ReadStartReport(const std::string& program);
  // Until it has ended, of itself or by us; whether its work is done then.
  bool EndGuard();

  std::string folder_;
  FileDescriptor opened_folder_;
  FolderSize size_;
  FileDescriptor in_, out_, err_, control_;
  pid_t guard_ = -1;
  std::optional<ProcessEnd> end_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_CHILD_PROCESS_H_
