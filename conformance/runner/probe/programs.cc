#include "conformance/runner/probe/programs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/runner/cases/parameters.h"
#include "conformance/runner/cases/program.h"

namespace lockstep {

std::vector<ProbeProgram> FirstPrograms() {
  const Json given = {{"strategy", "default"}};
  return {{"first/constant", given, Json::parse(R"([
            {"observe": "x", "step": "value.constant", "value": [1, 2.5]}])")},
          {"first/name", given, Json::parse(R"([
            {"let": "x", "step": "value.constant", "value": [[1], [2]]},
            {"observe": "y", "step": "value.show", "of": "x"}])")},
          {"first/failure", given, Json::parse(R"([{"step": "value.fail"}])")}};
}

ProbeProgram ProgramOf(const Case& conformance_case) {
  SplitGiven split = SplitOff(conformance_case.given);
  if (HasSeveralReplicaCounts(split.given)) {
    split.given["replicas"] = Json(split.given["replicas"][0]);
  }
  return {conformance_case.id, std::move(split.given),
          WithParameters(conformance_case.program, split.parameters)};
}

ChosenPrograms ChoosePrograms(std::vector<ProbeProgram> programs,
                              const std::vector<std::string>& declared) {
  const std::set<std::string> may_use(declared.begin(), declared.end());
  const auto steps_of = [](const ProbeProgram& one) {
    return StepNamesOf(one.program);
  };
  std::erase_if(programs, [&](const ProbeProgram& one) {
    return one.given.contains("workers") ||
           std::ranges::any_of(steps_of(one), [&](const std::string& step) {
             return !may_use.contains(step);
           });
  });
  std::ranges::stable_sort(programs, {}, [&](const ProbeProgram& one) {
    return steps_of(one).size();
  });
  ChosenPrograms chosen;
  std::set<std::string> used;
  for (const std::string& step : may_use) {
    if (used.contains(step)) continue;
    const auto found =
        std::ranges::find_if(programs, [&](const ProbeProgram& one) {
          const std::vector<std::string> steps = steps_of(one);
          return std::ranges::find(steps, step) != steps.end();
        });
    if (found == programs.end()) {
      chosen.left_over.push_back(step);
      continue;
    }
    const std::vector<std::string> steps = steps_of(*found);
    used.insert(steps.begin(), steps.end());
    chosen.programs.push_back(*found);
  }
  return chosen;
}

}  // namespace lockstep
