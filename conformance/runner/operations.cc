#include "conformance/runner/operations.h"

#include <fstream>

#include "reference/base/error.h"

namespace lockstep {

StepNames LoadStepNames(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw NotFound("[LoadStepNames] cannot read {}", path);
  constexpr std::string_view kLead = "### `";
  StepNames names;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kLead) || !line.ends_with('`')) continue;
    const std::string name =
        line.substr(kLead.size(), line.size() - kLead.size() - 1);
    if (!names.insert(name).second) {
      throw InvalidArgument("[LoadStepNames] {} describes '{}' twice", path,
                            name);
    }
  }
  if (names.empty()) {
    throw InvalidArgument("[LoadStepNames] {} describes no step", path);
  }
  return names;
}

}  // namespace lockstep
