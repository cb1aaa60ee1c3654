#include "reference/parameter_server/coordinator/processes/kill_round_testing.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/processes/cluster_processes_testing.h"
#include "reference/parameter_server/coordinator/processes/counting_program_testing.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class Chance {
 public:
  explicit Chance(uint64_t seed) : engine_(seed) {}
  // 0 .. below - 1.
  int Below(int below) {
    return std::uniform_int_distribution<int>(0, below - 1)(engine_);
  }

 private:
  std::mt19937_64 engine_;
};

void Sleep(int count) { std::this_thread::sleep_for(milliseconds(count)); }

// Faults of workers until it is destroyed. At its end all workers run.
class Faults {
 public:
  Faults(ClusterProcesses& processes, int workers, uint64_t seed)
      : processes_(processes),
        workers_(workers),
        chance_(seed),
        thread_([this] { Run(); }) {}
  ~Faults() { End(); }

  void End() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int kills() const { return kills_; }
  int stops() const { return stops_; }

 private:
  void Run() {
    while (!ends_) {
      Sleep(chance_.Below(60));
      const int worker = chance_.Below(workers_);
      if (chance_.Below(2) == 0) {
        Kill(worker);
      } else {
        Stop(worker);
      }
    }
  }
  void Kill(int worker) {
    ++kills_;
    processes_.KillWorker(worker);
    Sleep(chance_.Below(30));
    processes_.StartWorker(worker);
  }
  // Sometimes for longer than it takes to be found lost. Then it may end.
  void Stop(int worker) {
    ++stops_;
    const bool is_long = chance_.Below(20) == 0;
    processes_.worker(worker).Send(SIGSTOP);
    Sleep(is_long ? 4000 : chance_.Below(100));
    processes_.worker(worker).Send(SIGCONT);
    if (!is_long) return;
    Sleep(chance_.Below(1000));
    Kill(worker);
  }

  ClusterProcesses& processes_;
  const int workers_;
  Chance chance_;
  std::atomic<bool> ends_{false};
  std::atomic<int> kills_{0};
  std::atomic<int> stops_{0};
  std::thread thread_;  // last: it uses the others
};

bool IsInUse(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool fails =
      bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0;
  close(socket);
  return fails;
}

std::string LeftoversOf(ClusterProcesses& processes,
                        const KillRoundOptions& options) {
  std::string leftovers;
  const auto wait_for = [&](const char* role, int index, WorkerProcess& it) {
    const int status = it.Wait();
    if (status == 0) return;
    leftovers +=
        fmt::format("{} {} ended with status {}; ", role, index, status);
  };
  for (int w = 0; w < options.workers; ++w) {
    wait_for("worker", w, processes.worker(w));
  }
  for (int s = 0; s < options.servers - (options.kills_server ? 1 : 0); ++s) {
    wait_for("server", s, processes.server(s));
  }
  for (const auto* addresses :
       {&processes.cluster().workers, &processes.cluster().servers}) {
    for (const WorkerAddress& address : *addresses) {
      if (!IsInUse(address.port)) continue;
      leftovers += fmt::format("port {} is in use; ", address.port);
    }
  }
  return leftovers;
}

void KillAServer(ClusterProcesses& processes, ClusterCoordinator& coordinator,
                 const KillRoundOptions& options, RoundOutcome* outcome) {
  const auto start = Clock::now();
  processes.KillServer(options.servers - 1);
  try {
    coordinator.Join();
  } catch (const Error& error) {
    outcome->server_was_noticed = error.code() == Code::kUnavailable;
    outcome->notice = Clock::now() - start;
  }
}

void Schedule(CountingProgram& program, ClusterCoordinator& coordinator,
              int functions, Chance& chance) {
  for (int i = 0; i < functions; ++i) {
    coordinator.Schedule(
        program.slow,
        {{"ms", Tensor::Scalar(static_cast<int64_t>(chance.Below(4)))}});
  }
}

// The coordinator's program.
void Count(ClusterProcesses& processes, const KillRoundOptions& options,
           RoundOutcome* outcome) {
  // Any function may run on several workers that are killed.
  CountingProgram program(processes.cluster(), CountingOptions(),
                          /*allowed_worker_losses=*/1000);
  ClusterCoordinator coordinator(program.strategy);
  Chance chance(options.seed + 1);
  {
    Faults faults(processes, options.workers, options.seed);
    Schedule(program, coordinator, options.functions, chance);
    coordinator.Join();
    faults.End();
    outcome->kills = faults.kills();
    outcome->stops = faults.stops();
  }
  outcome->scheduled = options.functions;
  outcome->counted = program.counter->Read().item<float>();
  outcome->counted_too = program.other->Read().item<float>();
  // A worker that starts when the job ends would wait for the servers.
  for (int w = 0; w < options.workers; ++w) processes.worker(w).ReadLine();
  if (!options.kills_server) return;
  Schedule(program, coordinator, options.functions, chance);
  Sleep(chance.Below(100));
  KillAServer(processes, coordinator, options, outcome);
}

}  // namespace

std::string RoundOutcome::Problem(const KillRoundOptions& options) const {
  if (!leftovers.empty()) return leftovers;
  if (options.kills_server && !server_was_noticed) {
    return "the killed server was not noticed";
  }
  if (counted == scheduled && counted_too == scheduled) return "";
  return fmt::format("{} functions were scheduled, {} and {} applied",
                     scheduled, counted, counted_too);
}

RoundOutcome RunKillRound(const KillRoundOptions& options) {
  RoundOutcome outcome;
  ClusterProcesses processes(
      {.workers = options.workers, .servers = options.servers});
  Count(processes, options, &outcome);
  outcome.leftovers = LeftoversOf(processes, options);
  return outcome;
}

}  // namespace lockstep
