// One round of killing and stopping workers at random moments while they count.
//
//   const RoundOutcome outcome = RunKillRound({.seed = 7});
//   outcome.counted;      // as many as were scheduled
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_KILL_ROUND_TESTING_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_KILL_ROUND_TESTING_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace lockstep {

struct KillRoundOptions {
  uint64_t seed = 0;
  int workers = 3;
  int servers = 2;
  int functions = 300;
  // Afterwards a server is killed while as many functions again run.
  bool kills_server = false;
};

struct RoundOutcome {
  int scheduled = 0;
  // The two variables, on two servers, to which each function adds 1.
  double counted = 0;
  double counted_too = 0;
  int kills = 0;
  int stops = 0;
  bool server_was_noticed = false;
  std::chrono::duration<double> notice{0};  // of the killed server
  // What was left afterwards: processes that did not end well, ports in use.
  std::string leftovers;

  // What is wrong with it; empty: nothing.
  std::string Problem(const KillRoundOptions& options) const;
};

RoundOutcome RunKillRound(const KillRoundOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_KILL_ROUND_TESTING_H_
