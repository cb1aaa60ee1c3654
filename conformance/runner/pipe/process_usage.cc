#include "conformance/runner/pipe/process_usage.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

fs::path FolderOf(pid_t process) { return "/proc/" + std::to_string(process); }

// Each thread has its own children; a process that has just ended has none.
// `threads`: how many threads may still be visited.
std::vector<pid_t> ChildrenOf(pid_t process, int64_t& threads) {
  std::vector<pid_t> children;
  std::error_code gone;
  fs::directory_iterator thread(FolderOf(process) / "task", gone);
  for (; !gone && threads > 0 && thread != fs::directory_iterator();
       thread.increment(gone)) {
    --threads;
    std::ifstream list(thread->path() / "children");
    for (pid_t child; list >> child;) children.push_back(child);
  }
  return children;
}

int64_t OwnMemory(pid_t process) {
  int64_t size = 0, resident = 0, shared = 0;  // in pages
  std::ifstream(FolderOf(process) / "statm") >> size >> resident >> shared;
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

}  // namespace

ProcessUsage UsageOfDescendants(pid_t process, int64_t most_processes) {
  ProcessUsage usage;
  int64_t threads =
      std::min(most_processes, ProcessLimits::kNone / kThreadsPerProcess) *
      kThreadsPerProcess;
  std::vector<pid_t> to_visit = ChildrenOf(process, threads);
  while (!to_visit.empty() && usage.processes <= most_processes) {
    const pid_t next = to_visit.back();
    to_visit.pop_back();
    ++usage.processes;
    usage.memory += OwnMemory(next);
    for (const pid_t child : ChildrenOf(next, threads)) {
      to_visit.push_back(child);
    }
    if (threads == 0) usage.processes = most_processes + 1;
  }
  return usage;
}

int64_t HalfOfAllMemory() {
  int64_t all = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  // A container's limit, if it has one: otherwise the file contains "max".
  for (const char* file : {"/sys/fs/cgroup/memory.max",
                           "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t limit = 0;
    if (std::ifstream(file) >> limit) all = std::min(all, limit);
  }
  return all / 2;
}

}  // namespace lockstep
