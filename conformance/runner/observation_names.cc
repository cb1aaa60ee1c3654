#include "conformance/runner/observation_names.h"

namespace lockstep {
namespace {

void Collect(const Json& program, std::vector<std::string>& names) {
  for (const Json& step : program) {
    if (step.contains("observe")) names.push_back(step["observe"]);
    if (step.contains("program")) Collect(step["program"], names);
  }
}

}  // namespace

std::vector<std::string> ObservationNamesOf(const Json& program) {
  std::vector<std::string> names;
  Collect(program, names);
  return names;
}

}  // namespace lockstep
