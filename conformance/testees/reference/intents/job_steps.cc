#include "conformance/testees/reference/intents/job_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "conformance/testees/reference/value.h"

namespace lockstep::conformance {
namespace {

constexpr char kJob[] = "job.run";

bool IsJob(const Json& step) {
  return step.is_object() && step.value("step", Json()) == kJob;
}

Request RequestOf(const Request& request, const Json& job) {
  const auto most = IntegerIn(request.given.value("replicas", Json(1)));
  const auto replicas = IntegerIn(job.value("replicas", Json()));
  if (!replicas || !most || *replicas < 1 || *replicas > *most) {
    throw ProgramError(fmt::format(
        "a job has 1 to {} replicas, got {}",
        request.given.value("replicas", Json(1)).dump(), job.dump()));
  }
  Request of_job = request;
  of_job.program = job.value("program", Json());
  // The machine keeps its devices.
  if (!of_job.given.contains("logical_devices")) {
    of_job.given["logical_devices"] = *most;
  }
  if (of_job.given.contains("replicas")) of_job.given["replicas"] = *replicas;
  return of_job;
}

}  // namespace

std::vector<Request> JobsOf(const Request& request) {
  const Json& program = request.program;
  if (!program.is_array() || std::ranges::none_of(program, IsJob)) {
    return {request};
  }
  if (!std::ranges::all_of(program, IsJob)) {
    throw ProgramError("a program with jobs consists of jobs");
  }
  std::vector<Request> requests;
  for (const Json& job : program) requests.push_back(RequestOf(request, job));
  return requests;
}

// A job is not a step of a program: it must not be inside another step.
void AddJobSteps(StepTable& table) {
  table.Add(kJob, [](const StepCall&) -> Value {
    throw ProgramError("a program with jobs consists of jobs");
  });
}

}  // namespace lockstep::conformance
