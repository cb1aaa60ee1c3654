// Writes event files as two runs of a program do, the second of which resumes
// the first: benchmarks/peers/files/read_events.py reads them with TensorBoard.
//
//   write_events /tmp/events
//
// Steps 0 to 4, then 3 to 6: a scalar `loss`, which is 1 / (step + run), a
// histogram `weights` of 0, 1, ..., 59 times the step, and a text.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "reference/tensor/tensor.h"
#include "reference/training/summary/summary_writer.h"

namespace lockstep::examples {
namespace {

void WriteRun(const std::string& folder, int run, int begin, int end) {
  SummaryWriter writer(folder);
  for (int step = begin; step < end; ++step) {
    writer.Scalar("loss", step, 1.0 / (step + run));
    std::vector<float> weights;
    for (int i = 0; i < 60; ++i) weights.push_back(i * step);
    writer.Histogram("weights", step, Tensor::FromVector(weights));
  }
  writer.Text("notes", end, fmt::format("run **{}**", run));
  writer.Flush();
  Print("{}\n", writer.path());
}

int Main(int argc, char** argv) {
  std::string folder;
  CLI::App app("Writes event files for TensorBoard.", "write_events");
  app.add_option("folder", folder, "where they go")->required();
  if (const auto status = ParseCommandLine(app, argc, argv)) return *status;
  EnterUsersFolder();
  WriteRun(folder, 1, 0, 5);
  WriteRun(folder, 2, 3, 7);
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  return lockstep::RunProgram(
      [&] { return lockstep::examples::Main(argc, argv); });
}
