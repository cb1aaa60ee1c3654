// The reference as a job of several workers: each a process of its own, which
// runs every program as one worker of the cluster that TF_CONFIG tells it of.
//
//   int main(int argc, char** argv) {
//     if (const auto status = ServeIfWorker(argc, argv)) return *status;
//     ReferenceTestee alone;
//     WorkersTestee testee(alone);    // programs without workers: alone
//
// The processes are this program again, so that what is tested in it, a planted
// bug too, is tested in all of them.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKERS_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKERS_TESTEE_H_

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "conformance/runner/testee.h"
#include "conformance/testees/reference/workers/worker_job.h"

namespace lockstep::conformance {

class WorkersTestee : public Testee {
 public:
  // REQUIRES: main called ServeIfWorker first; `alone` outlives the testee.
  explicit WorkersTestee(Testee& alone);

  const TesteeDeclaration& Start() override { return declaration_; }
  // Errors: what is no answer, e.g. a program that operations.md forbids;
  // Unavailable or ResourceExhausted when processes cannot be started.
  Answer Run(const Request& request) override;

  void Stop() override;
  std::vector<LateProblem> TakeLateProblems() override;

 private:
  Answer RunOnWorkers(const Request& request, int workers);
  void StartJob(int workers);
  // Whether there were any.
  bool TakeOverLateProblems();

  Testee& alone_;
  TesteeDeclaration declaration_;
  // That of the program before, which the next one of so many workers finds.
  std::unique_ptr<WorkerJob> job_;
  std::vector<LateProblem> late_problems_;
};

// One answer of those of all workers: a list with an entry a worker for each
// observation, null for one of `ended` that was killed. Where one has failed, the
// lowest worker's error that is no consequence of another's; any other that gave
// no answer has failed by Internal. REQUIRES: at least one.
Answer MergeAnswers(const std::vector<Answer>& workers,
                    const std::set<int>& ended = {});

// Serves the reference as the worker that the command line makes of this
// process; nothing where it makes none. Returns the exit status.
std::optional<int> ServeIfWorker(int argc, char** argv);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKERS_TESTEE_H_
