// Child processes and their pipes.
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

// Owns a file descriptor and closes it.
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
  // The folder of the files and Python modules that the command names.
  std::string files = ".";
  // In bytes. A longer write fails with SIGXFSZ or EFBIG.
  int64_t longest_file = ProcessLimits::kNone;
};

// A program with pipes to its stdin, stdout and stderr.
//
//   ChildProcess child({"/usr/bin/python3", "testee.py"});
//   write(child.in(), ...);
//   read(child.out(), ...);
//   child.Wait(100ms);  // how it ended; nullopt while it runs
//
// It has its own process group, and its own empty folder, which is its working
// directory and TMPDIR. Therefore a word of the command that contains a dot or
// a slash and names a file is replaced by the full path of the file, and the
// folder of these files is appended to PYTHONPATH, for `python3 -m`. When this
// object is destroyed, or our process ends for any reason, the program and all
// its descendants are killed and the folder is removed, even if it was moved
// (process_guard.h).
class ChildProcess {
 public:
  // Searches PATH for command[0] if it contains no slash. Errors: NotFound if
  // there is no such program, or no folder for temporary files; Unavailable or
  // ResourceExhausted if it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command,
                        const ChildProcessOptions& options = {});
  ~ChildProcess() { Kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Our non-blocking ends of its pipes.
  int in() const { return in_.number(); }
  int out() const { return out_.number(); }
  int err() const { return err_.number(); }
  // Ends the stdin of the program; in() is -1 then.
  void CloseIn() { in_.Close(); }
  // Readable once the program has ended; for poll only.
  int end() const { return control_.number(); }

  // The usage of the program and its descendants; counts at most so many
  // (UsageOfDescendants).
  ProcessUsage Usage(int64_t most_processes = ProcessLimits::kNone) const {
    return UsageOfDescendants(guard_, most_processes);
  }
  // The size of the files in its folder, after counting for this long
  // (folder_size.h).
  int64_t BytesInFolder(std::chrono::milliseconds time) {
    size_.CountFor(time);
    return size_.bytes();
  }

  // How it ended; nullopt if it still runs after `timeout`.
  std::optional<ProcessEnd> Wait(std::chrono::milliseconds timeout);

  // Kills it and its descendants and waits for their end, for seconds at most:
  // a process may hang in the kernel, and a large folder takes time to remove.
  void Kill();

 private:
  void MakeFolder();
  void ReadStartReport(const std::string& program);
  // Ends the guard, and waits for it. Returns whether it completed its work.
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
