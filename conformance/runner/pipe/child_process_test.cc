#include "conformance/runner/pipe/child_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "reference/base/error.h"

namespace lockstep {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr auto kLong = 60s;  // never reached

std::vector<std::string> Shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

// What the process writes until its stdout is closed, or until `size` bytes.
std::string ReadOut(const ChildProcess& child, size_t size = -1) {
  std::string text;
  while (text.size() < size) {
    pollfd readable{.fd = child.out(), .events = POLLIN, .revents = 0};
    poll(&readable, 1, -1);
    char buffer[256];
    const ssize_t got = read(child.out(), buffer, sizeof(buffer));
    if (got <= 0) break;
    text.append(buffer, got);
  }
  return text;
}

// A zombie that is not reaped yet does not run.
bool Runs(pid_t process) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + std::to_string(process) + "/stat").rdbuf();
  const size_t name_end = text.str().rfind(')');
  return name_end != std::string::npos && text.str()[name_end + 2] != 'Z';
}

// Waits for a condition that the system makes true eventually. False after a
// timeout.
template <typename Condition>
bool Eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

// The process ids that a script prints, one per line.
std::vector<pid_t> Processes(const std::string& lines) {
  std::istringstream stream(lines);
  return {std::istream_iterator<pid_t>(stream), {}};
}

TEST(ChildProcessTest, HasPipes) {
  ChildProcess child(Shell("read line; echo got $line; echo oh >&2"));
  ASSERT_EQ(write(child.in(), "it\n", 3), 3);
  EXPECT_EQ(ReadOut(child), "got it\n");
  EXPECT_EQ(child.Wait(kLong), (ProcessEnd{.by_signal = false, .value = 0}));
  char complaint[4] = "";
  EXPECT_EQ(read(child.err(), complaint, 3), 3);
  EXPECT_STREQ(complaint, "oh\n");
}

TEST(ChildProcessTest, DescribesItsEnd) {
  EXPECT_EQ(ChildProcess(Shell("exit 3")).Wait(kLong)->Describe(),
            "exit status 3");
  EXPECT_EQ(ChildProcess(Shell("kill -SEGV $$")).Wait(kLong)->Describe(),
            "SIGSEGV");
}

TEST(ChildProcessTest, WaitReturnsWhileItRuns) {
  ChildProcess child(Shell("read line; exit 5"));
  EXPECT_EQ(child.Wait(1ms), std::nullopt);
  ASSERT_EQ(write(child.in(), "\n", 1), 1);
  EXPECT_EQ(child.Wait(kLong)->value, 5);
  EXPECT_EQ(child.Wait(0ms)->value, 5) << "the same result again";
}

TEST(ChildProcessTest, MissingProgramIsNotFound) {
  try {
    ChildProcess child({"lockstep-no-such-program"});
    FAIL() << "it started";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_STREQ(error.what(),
                 "[ChildProcess] cannot start lockstep-no-such-program: No "
                 "such file or directory");
  }
}

TEST(ChildProcessTest, StartsInTemporaryFolder) {
  std::string folder;
  {
    ChildProcess child(Shell("pwd; ls -A | wc -l; echo $TMPDIR; echo x > x"));
    std::istringstream said(ReadOut(child));
    std::string files, temporary;
    said >> folder >> files >> temporary;
    EXPECT_EQ(files, "0");
    EXPECT_EQ(temporary, folder);
    EXPECT_NE(folder, std::filesystem::current_path());
    EXPECT_TRUE(Eventually([&] { return child.BytesInFolder(5ms) > 0; }));
  }
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
}

TEST(ChildProcessTest, ResolvesFilesOfCommand) {
  const std::string files = std::getenv("TEST_TMPDIR");
  std::ofstream(files + "/a.txt") << "a";
  std::ofstream(files + "/plain") << "p";
  ChildProcess child({"/bin/echo", "a.txt", "./a.txt", "plain", "b.txt", "."},
                     {.files = files});
  EXPECT_EQ(ReadOut(child), files + "/a.txt " + files +
                                "/./a.txt plain b.txt " + files + "/.\n");
}

TEST(ChildProcessTest, PythonFindsModules) {
  const std::string files = std::getenv("TEST_TMPDIR");
  std::filesystem::create_directory(files + "/own");
  std::ofstream(files + "/own/module.py") << "print('found')";
  ChildProcess child({"python3", "-m", "own.module"}, {.files = files});
  EXPECT_EQ(ReadOut(child), "found\n");
}

TEST(ChildProcessTest, PythonSearchesFolderOfUserFirst) {
  setenv("PYTHONPATH", "/opt/theirs", 1);
  ChildProcess child(Shell("echo $PYTHONPATH"), {.files = "/opt/ours"});
  unsetenv("PYTHONPATH");
  EXPECT_EQ(ReadOut(child), "/opt/theirs:/opt/ours\n");
}

TEST(ChildProcessTest, LimitsFileSize) {
  const ChildProcessOptions options{.files = ".", .longest_file = 4096};
  ChildProcess child(Shell("head -c 4096 /dev/zero > a && echo one;"
                           "exec head -c 4097 /dev/zero > b"),
                     options);
  EXPECT_EQ(ReadOut(child), "one\n");
  EXPECT_EQ(child.Wait(kLong)->Describe(), "SIGXFSZ");
}

TEST(ChildProcessTest, CountsProcesses) {
  ChildProcess child(Shell("sleep 1000 & (sleep 1000 & wait) & read line"));
  EXPECT_TRUE(Eventually([&] { return child.Usage().processes == 4; }))
      << child.Usage().processes;
}

TEST(ChildProcessTest, StopsCountingProcesses) {
  ChildProcess child(Shell("sleep 1000 & sleep 1000 & sleep 1000 & read line"));
  EXPECT_TRUE(Eventually([&] { return child.Usage().processes == 4; }));
  EXPECT_EQ(child.Usage(1).processes, 2);
}

TEST(ChildProcessTest, ManyThreadsCountAsProcesses) {
  ChildProcess child({"/usr/bin/python3", "-Sc",
                      "import threading\n"
                      "for _ in range(2 * 40):\n"
                      "  threading.Thread(target=input).start()"});
  EXPECT_TRUE(Eventually([&] { return child.Usage(1).processes == 2; }));
  EXPECT_EQ(child.Usage(3).processes, 1);
}

TEST(ChildProcessTest, InheritsNoOtherDescriptors) {
  ChildProcess first(Shell("read line"));
  const FileDescriptor inheritable(dup(STDERR_FILENO));
  ChildProcess child({"/bin/ls", "/proc/self/fd"});
  EXPECT_EQ(ReadOut(child), "0\n1\n2\n3\n") << "3 is the folder being listed";
}

TEST(ChildProcessTest, HasItsOwnProcessGroup) {
  ChildProcess child(Shell("echo $$; read line"));
  const std::vector<pid_t> shell = Processes(ReadOut(child, 2));
  ASSERT_EQ(shell.size(), 1u);
  EXPECT_EQ(getpgid(shell[0]), shell[0]);
}

// A child that ignores signals, one in its group and one that left it. Prints
// their process ids.
constexpr const char* kFamily =
    "trap '' TERM INT HUP; echo $$; sleep 1000 & echo $!;"
    "setsid sh -c 'trap \"\" TERM HUP; echo $$; exec sleep 1000 >&- 2>&-' &"
    "wait";

std::vector<pid_t> ReadFamily(const ChildProcess& child) {
  std::string lines;
  while (std::ranges::count(lines, '\n') < 3) lines += ReadOut(child, 1);
  return Processes(lines);
}

bool AnyRuns(const std::vector<pid_t>& family) {
  return std::ranges::any_of(family, Runs);
}

TEST(ChildProcessTest, DescendantsEndWithTheObject) {
  std::vector<pid_t> family;
  {
    ChildProcess child(Shell(kFamily));
    family = ReadFamily(child);
    ASSERT_EQ(family.size(), 3u);
    EXPECT_TRUE(std::ranges::all_of(family, Runs));
  }
  EXPECT_FALSE(AnyRuns(family));
}

TEST(ChildProcessTest, GroupEndsWithTheProgram) {
  ChildProcess child(Shell("sleep 1000 & echo $!"));
  const std::vector<pid_t> left = Processes(ReadOut(child));
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(child.Wait(kLong)->value, 0);
  EXPECT_TRUE(Eventually([&] { return !Runs(left[0]); }));
}

// Forks a process that starts the family and reports its process ids; the
// caller must end it.
struct Runner {
  pid_t process;
  std::vector<pid_t> family;
};

Runner StartRunner() {
  int report[2];
  EXPECT_EQ(pipe(report), 0);
  const pid_t process = fork();
  if (process == 0) {
    ChildProcess child(Shell(kFamily));
    const std::vector<pid_t> family = ReadFamily(child);
    (void)!write(report[1], family.data(), family.size() * sizeof(pid_t));
    pause();
  }
  close(report[1]);
  std::vector<pid_t> family(3);
  EXPECT_EQ(read(report[0], family.data(), 3 * sizeof(pid_t)),
            static_cast<ssize_t>(3 * sizeof(pid_t)));
  close(report[0]);
  EXPECT_TRUE(std::ranges::all_of(family, Runs));
  return {process, family};
}

TEST(ChildProcessTest, DescendantsEndWithTheRunner) {
  const Runner runner = StartRunner();
  const std::filesystem::path folder = std::filesystem::read_symlink(
      "/proc/" + std::to_string(runner.family[0]) + "/cwd");
  EXPECT_NE(folder, std::filesystem::current_path());
  ASSERT_EQ(kill(runner.process, SIGKILL), 0);
  waitpid(runner.process, nullptr, 0);
  EXPECT_TRUE(Eventually([&] { return !AnyRuns(runner.family); }));
  EXPECT_TRUE(Eventually([&] { return !std::filesystem::exists(folder); }));
}

// The guard of the only child of `runner`: its own only child.
pid_t GuardOf(pid_t runner) {
  const std::string number = std::to_string(runner);
  pid_t guard = 0;
  std::ifstream("/proc/" + number + "/task/" + number + "/children") >> guard;
  return guard;
}

TEST(ChildProcessTest, ProgramEndsWithTheGuard) {
  const Runner runner = StartRunner();
  const pid_t guard = GuardOf(runner.process);
  ASSERT_GT(guard, 0);
  ASSERT_EQ(kill(guard, SIGKILL), 0);
  EXPECT_TRUE(Eventually([&] { return !Runs(runner.family[0]); }));
  // What the guard would have killed is the test's to clean up.
  for (pid_t process : {runner.family[1], runner.family[2], runner.process}) {
    kill(process, SIGKILL);
  }
  waitpid(runner.process, nullptr, 0);
}

}  // namespace
}  // namespace lockstep
