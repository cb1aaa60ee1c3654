#include "conformance/testees/reference/environment.h"

#include <fmt/format.h>

#include "conformance/testees/reference/program_error.h"

namespace lockstep::conformance {
Value Environment::Find(std::string_view path) const {
  const size_t dot = path.find('.');
  const auto found = names_.find(path.substr(0, dot));
  if (found != names_.end()) {
    return dot == path.npos ? found->second
                            : PartOf(found->second, path.substr(dot + 1));
  }
  if (!outer_) {
    throw ProgramError(fmt::format("nothing is called '{}'", path));
  }
  return outer_->Find(path);
}

void Environment::ObserveRounds(const std::vector<std::string>& names,
                                const std::vector<Json>& rounds) {
  for (const std::string& name : names) {
    Json list = Json::array();
    for (const Json& round : rounds) {
      list.push_back(round.contains(name) ? round[name] : Json());
    }
    Observe(name, std::move(list));
  }
}

}  // namespace lockstep::conformance
