// The reference with several workers: each is a separate process, which runs
// every program as one worker of the cluster in TF_CONFIG.
//
//   int main(int argc, char** argv) {
//     if (const auto status = ServeIfWorker(argc, argv)) return *status;
//     ReferenceTestee alone;
//     WorkersTestee testee(alone);    // programs without workers: alone
//
// The processes run this same program, so that they contain the same code,
// including planted bugs.
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
  // Throws ProgramError for a program that operations.md does not allow.
  // Errors: Unavailable or ResourceExhausted if processes cannot be started.
  Answer Run(const Request& request) override;

  void Stop() override;
  std::vector<LateProblem> TakeLateProblems() override;

 private:
  Answer RunOnWorkers(const Request& request, int workers);
  void StartJob(int workers);
  // Returns whether there were any.
  bool CollectLateProblems();

  Testee& alone_;
  TesteeDeclaration declaration_;
  // The job of the previous program. The next program reuses it if it has the
  // same number of workers.
  std::unique_ptr<WorkerJob> job_;
  std::vector<LateProblem> late_problems_;
};

// Merges the answers of all workers: each observation is a list of one entry
// per worker, null for a worker of `ended` that was killed. If workers failed,
// returns the first error that is not a consequence of another; an answer that
// is not a reply counts as the error Internal. REQUIRES: `workers` is not
// empty.
Answer MergeAnswers(const std::vector<Answer>& workers,
                    const std::set<int>& ended = {});

// If the command line starts this process as a worker, or as a task of a cluster
// with parameter servers, serves the reference and returns the exit status;
// otherwise returns nullopt.
std::optional<int> ServeIfWorker(int argc, char** argv);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKERS_TESTEE_H_
