// For tests: a worker in its own process.
//
//   WorkerProcess worker("reference/cluster/control/control_plane_worker",
//                        {"1", "2", "4321", "wait"});
//   worker.Send(SIGKILL);
//   worker.ReadLine();     // a line that it prints, "" at the end
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_PROCESS_TESTING_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_PROCESS_TESTING_H_

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/check.h"

extern char** environ;

namespace lockstep {

// The destructor kills the process, unless it has ended.
class WorkerProcess {
 public:
  WorkerProcess(const std::string& program,
                std::vector<std::string> arguments) {
    int ends[2];
    LOCKSTEP_CHECK(pipe(ends) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    arguments.insert(arguments.begin(), program);
    std::vector<char*> raw;
    for (std::string& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    LOCKSTEP_CHECK(posix_spawn(&process_, program.c_str(), &actions, nullptr,
                               raw.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
  }
  ~WorkerProcess() {
    if (process_ != 0) {
      kill(process_, SIGKILL);
      Wait();
    }
    std::fclose(output_);
  }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void Send(int signal) { LOCKSTEP_CHECK(kill(process_, signal) == 0); }
  // Waits for its end, and returns what waitpid says. REQUIRES: called once, and
  // no Send afterwards.
  int Wait() {
    int status = 0;
    waitpid(std::exchange(process_, 0), &status, 0);
    return status;
  }
  std::string ReadLine() {
    char line[1000] = "";
    return std::fgets(line, sizeof(line), output_) ? line : "";
  }

 private:
  pid_t process_ = 0;
  FILE* output_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_PROCESS_TESTING_H_
