// Kills and stops workers, and servers, at random moments while functions count,
// round after round.
//
//   ./bazelw run //benchmarks/faults:parameter_servers -- 200 1
//
// runs 200 rounds, every tenth of which kills a server, prints a line for each, and
// exits with 1 if a function was not applied exactly once, a lost server not
// noticed, or a process or port left over. The second argument is the first seed.
// Other arguments, --help too, print how to call it.
#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/processes/kill_round_testing.h"

namespace lockstep {
namespace {

// Whether all went well.
bool RunOne(int round, uint64_t seed) {
  const KillRoundOptions options{.seed = seed, .kills_server = round % 10 == 9};
  const RoundOutcome outcome = RunKillRound(options);
  const std::string problem = outcome.Problem(options);
  fmt::print("round {}, seed {}: {} kills, {} stops, {} of {} applied once",
             round, seed, outcome.kills, outcome.stops, outcome.counted,
             outcome.scheduled);
  if (options.kills_server) {
    fmt::print(", lost server noticed after {:.3f} s", outcome.notice.count());
  }
  fmt::print("{}\n", problem.empty() ? "" : "; WRONG: " + problem);
  std::fflush(stdout);
  return problem.empty();
}

int Run(int rounds, uint64_t first_seed) {
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    if (!RunOne(round, first_seed + round)) ++wrong;
  }
  fmt::print("{} rounds, {} wrong\n", rounds, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  if (rounds < 1 || argc > 3) {
    fmt::print(
        "usage: [ROUNDS [SEED]]: 10 rounds, and seed 1, unless said "
        "otherwise\nExit status: 0 all rounds passed, 1 one did not, 2 it "
        "could "
        "not run.\n");
    return 2;
  }
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  try {
    return lockstep::Run(rounds, seed);
  } catch (const lockstep::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
