// The processes of a job of several workers, kept for one program after another:
// to start them takes longer than most programs.
//
//   WorkerJob job(2);
//   job.Run(request);    // {worker 0's answer, worker 1's}
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_JOB_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_JOB_H_

#include <memory>
#include <string_view>
#include <vector>

#include "conformance/runner/pipe/pipe_testee.h"
#include "conformance/runner/testee.h"
#include "conformance/testees/reference/program_folder.h"

namespace lockstep::conformance {

// What makes this program a worker; the folder for programs' files follows.
inline constexpr std::string_view kWorkerFlag = "--reference-worker=";

class WorkerJob {
 public:
  // The processes start with the first program.
  explicit WorkerJob(int workers);

  int workers() const { return static_cast<int>(processes_.size()); }

  // Each worker's answer. Every program finds an empty folder.
  std::vector<Answer> Run(const Request& request);

  void Stop();
  // Of a program before the last one, or of any after Stop.
  std::vector<LateProblem> TakeLateProblems();

 private:
  const ProgramFolder folder_;
  std::vector<std::unique_ptr<PipeTestee>> processes_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_JOB_H_
