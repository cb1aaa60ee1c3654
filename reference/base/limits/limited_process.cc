#include "reference/base/limits/limited_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string_view>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr unsigned kSecondsToEnd = 60;
constexpr int kRefused = 1;
constexpr int kSomethingElse = 2;

void Tell(int pipe, std::string_view text) {
  [[maybe_unused]] const ssize_t told = write(pipe, text.data(), text.size());
}

[[noreturn]] void Work(const std::function<void()>& work, int pipe) {
  alarm(kSecondsToEnd);
  try {
    work();
    _exit(0);
  } catch (const Error& error) {
    Tell(pipe, CodeName(error.code()));
    Tell(pipe, ": ");
    Tell(pipe, error.what());
    _exit(kRefused);
  } catch (const std::bad_alloc&) {
    Tell(pipe, "std::bad_alloc");
    _exit(kRefused);
  } catch (const std::exception& error) {
    Tell(pipe, error.what());
    _exit(kSomethingElse);
  }
}

// Reads the pipe to its end and closes it.
std::string ReadAll(int pipe) {
  std::string text;
  char piece[512];
  for (ssize_t got; (got = read(pipe, piece, sizeof(piece))) > 0;) {
    text.append(piece, static_cast<size_t>(got));
  }
  close(pipe);
  return text;
}

}  // namespace

std::string EndOf(const std::function<void()>& work) {
  int ends[2] = {};
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) Work(work, ends[1]);
  close(ends[1]);
  const std::string text = ReadAll(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
  EXPECT_NE(WEXITSTATUS(status), kSomethingElse) << text;
  EXPECT_EQ(text.empty(), status == 0) << text;
  return text;
}

void LimitResource(int resource, uint64_t most) {
  const auto which = static_cast<__rlimit_resource>(resource);
  rlimit limit = {};
  EXPECT_EQ(getrlimit(which, &limit), 0);
  limit.rlim_cur = most;
  EXPECT_EQ(setrlimit(which, &limit), 0);
}

uint64_t OpenFiles() {
  // Without the descriptor that lists them.
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       {}) -
         1;
}

uint64_t AddressSpace() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace lockstep
