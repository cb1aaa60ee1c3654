#include "benchmarks/process/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/process/memory_file.h"
#include "benchmarks/process/worker_process.h"
#include "reference/base/error_testing.h"

namespace lockstep::benchmarks {
namespace {

using std::chrono::milliseconds;

constexpr char kShell[] = "/bin/sh";

// {"sh", "-c", text}
std::vector<std::string> Shell(const std::string& text) {
  return {"sh", "-c", text};
}

TEST(ChildProcessTest, ReadsAndWritesTheFilesThatItIsGiven) {
  MemoryFile in("in"), out("out"), err("err");
  in.Fill("one\ntwo\n");
  ChildProcess child(kShell, Shell("read first; echo got $first; echo no >&2"),
                     {.in = in.descriptor(),
                      .out = out.descriptor(),
                      .err = err.descriptor()});
  EXPECT_TRUE(child.Wait().well());
  EXPECT_EQ(out.Content(), "got one\n");
  EXPECT_EQ(err.Content(), "no\n");
}

TEST(ChildProcessTest, TellsHowItEnded) {
  ChildProcess failing(kShell, Shell("exit 3"), {});
  EXPECT_EQ(failing.Wait().ToString(), "exit status 3");
  EXPECT_FALSE(failing.Wait().well());
  ChildProcess killed(kShell, Shell("kill -TERM $$"), {});
  EXPECT_EQ(killed.Wait().ToString(), "signal 15 (Terminated)");
  EXPECT_FALSE(killed.Wait().well());
}

TEST(ChildProcessTest, WaitForReturnsWhileTheChildRuns) {
  ChildProcess child(kShell, Shell("exec sleep 100"), {});
  EXPECT_EQ(child.WaitFor(milliseconds(20)), std::nullopt);
  kill(child.id(), SIGINT);
  EXPECT_EQ(child.WaitFor(std::chrono::seconds(5))->signal, SIGINT);
}

TEST(ChildProcessTest, GoesWithItsObject) {
  pid_t id = 0;
  {
    ChildProcess child(kShell, Shell("exec sleep 100"), {});
    id = child.id();
    EXPECT_NE(getpgid(id), getpgid(0));
    EXPECT_EQ(kill(id, 0), 0);
  }
  EXPECT_EQ(kill(id, 0), -1);
}

TEST(ChildProcessTest, WhatCannotBeStartedIsATypedError) {
  ExpectError([] { ChildProcess("/no/such/program", {"none"}, {}); },
              Code::kNotFound, "cannot start /no/such/program");
}

TEST(WorkerProcessTest, IsThisProgramOnceMore) {
  WorkerProcess worker(1, {"again", "end well"});
  EXPECT_NO_THROW(worker.Join());
  EXPECT_EQ(worker.Problem(milliseconds(0)), "");
}

TEST(WorkerProcessTest, ItsProblemIsWhatItSaidLast) {
  WorkerProcess worker(2, {"again", "say why"});
  ExpectError([&] { worker.Join(); }, Code::kUnavailable,
              "worker 2 ended with exit status 4: [Work] there is no data");
}

TEST(WorkerProcessTest, OneThatIsKilledHasSaidNothing) {
  WorkerProcess worker(3, {"again", "sleep"});
  EXPECT_EQ(worker.Problem(milliseconds(0)), "");
  kill(worker.id(), SIGKILL);
  EXPECT_EQ(worker.Problem(std::chrono::seconds(10)),
            "worker 3 ended with signal 9 (Killed)");
}

// What this program does as a worker.
int WorkAs(const std::string& worker) {
  if (worker == "sleep") std::this_thread::sleep_for(std::chrono::seconds(100));
  if (worker == "end well") return 0;
  std::fputs("I a log\n[Work] there is no data\n\n", stderr);
  return 4;
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  if (std::string(argv[0]) == "again") {
    return lockstep::benchmarks::WorkAs(argv[1]);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
