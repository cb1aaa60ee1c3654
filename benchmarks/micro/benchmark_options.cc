#include "benchmarks/micro/benchmark_options.h"

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "benchmarks/measurement/machine_context.h"
#include "command_line/parse.h"
#include "command_line/program.h"

namespace lockstep::benchmarks {

bool ReadBenchmarkOptions(const std::vector<std::string>& defaults, int argc,
                          char** argv) {
  std::vector<std::string> own(defaults);
  std::vector<char*> words(argv, argv + 1);  // whose name the library keeps
  for (std::string& word : own) words.push_back(word.data());
  words.insert(words.end(), argv + 1, argv + argc);
  int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  benchmark::Initialize(&count, words.data());
  return !benchmark::ReportUnrecognizedArguments(count, words.data());
}

void AddMachineContext() {
  const Json context = MachineContext();
  for (const char* key :
       {"cpu_model", "onednn", "operating_system", "compiler", "commit"}) {
    benchmark::AddCustomContext(key, context.at(key).get<std::string>());
  }
}

int RunBenchmarks(int argc, char** argv,
                  const std::function<void()>& register_all) {
  return RunProgram([&] {
    if (!ReadBenchmarkOptions({}, argc, argv)) return kWrongUsage;
    AddMachineContext();
    register_all();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
  });
}

}  // namespace lockstep::benchmarks
