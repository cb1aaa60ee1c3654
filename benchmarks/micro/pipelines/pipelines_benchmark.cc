// Input pipelines, to be compared with other frameworks:
//
//   ./bazelw run //benchmarks/peers:compare_pipelines
//
// runs this program and theirs in turns. Alone:
//
//   ./bazelw run //benchmarks/micro/pipelines:pipelines_benchmark
//
// items_per_second is what pipelines.h says. Every run is checked.
#include "benchmarks/micro/benchmark_options.h"
#include "benchmarks/micro/pipelines/pipelines.h"

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return RunBenchmarks(argc, argv, [] {
    RegisterBatches();
    RegisterRecords();
    RegisterAdaptations();
    RegisterSleeps();
  });
}
