#include "benchmarks/report_process.h"

#include <filesystem>
#include <memory>

#include "benchmarks/process/child_process.h"
#include "benchmarks/process/memory_file.h"
#include "reference/base/error.h"
#include "tools/cpp/runfiles/runfiles.h"

namespace lockstep::benchmarks {
namespace {

// The path of the report program. Errors: NotFound.
std::string FindReporter(const std::string& program) {
  using bazel::tools::cpp::runfiles::Runfiles;
  std::string problem;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(program, &problem));
  if (!runfiles) throw NotFound("[Report] no runfiles: {}", problem);
  const std::string path =
      runfiles->Rlocation("lockstep/reports/performance/performance");
  if (!std::filesystem::exists(path)) {
    throw NotFound("[Report] no report program at '{}'", path);
  }
  return path;
}

}  // namespace

std::string MakePerformanceReport(const std::string& program,
                                  const std::string& result,
                                  const std::string& name) {
  const std::string reporter = FindReporter(program);
  MemoryFile in("result"), out("page");
  in.Fill(result);
  ChildProcess process(reporter,
                       {reporter, "--result=-", "--html=-", "--name=" + name},
                       {.in = in.descriptor(), .out = out.descriptor()});
  if (const ProcessEnd end = process.Wait(); !end.well()) {
    throw Unavailable("[Report] {} ended with {}, wanted exit status 0",
                      reporter, end.ToString());
  }
  return out.Content();
}

}  // namespace lockstep::benchmarks
