// The processes of a job with several workers, which run one program after
// another, because starting them takes longer than most programs.
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

// The option that makes this program a worker, followed by the folder for the
// files of programs.
inline constexpr std::string_view kWorkerFlag = "--reference-worker=";

class WorkerJob {
 public:
  // The processes start with the first program.
  explicit WorkerJob(int workers);

  int workers() const { return static_cast<int>(processes_.size()); }

  // The answer of each worker. The folder is empty at the start of every
  // program.
  std::vector<Answer> Run(const Request& request);

  void Stop();
  // The late problems of earlier programs; after Stop, of all programs.
  std::vector<LateProblem> TakeLateProblems();

 private:
  const ProgramFolder folder_;
  std::vector<std::unique_ptr<PipeTestee>> processes_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_WORKERS_WORKER_JOB_H_
