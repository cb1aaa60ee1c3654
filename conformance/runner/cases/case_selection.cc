#include "conformance/runner/cases/case_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "conformance/runner/text/similar_names.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

std::string AreaOf(const Case& conformance_case) {
  return conformance_case.id.substr(0, conformance_case.id.find('/'));
}

bool IsSelected(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

void CheckAreas(const std::vector<Case>& cases,
                const std::vector<std::string>& requested) {
  std::set<std::string> areas;
  for (const Case& conformance_case : cases) {
    areas.insert(AreaOf(conformance_case));
  }
  for (const std::string& area : requested) {
    if (areas.contains(area)) continue;
    throw NotFound("[Run] there is no area '{}', wanted one of {}{}", area,
                   fmt::join(areas, ", "),
                   SuggestNames(area, {areas.begin(), areas.end()}));
  }
}

std::vector<std::string> IdsOf(const std::vector<Case>& cases) {
  std::vector<std::string> ids;
  for (const Case& conformance_case : cases) ids.push_back(conformance_case.id);
  return ids;
}

}  // namespace

std::vector<const Case*> SelectCases(const std::vector<Case>& cases,
                                     const CaseSelection& selection) {
  CheckAreas(cases, selection.areas);
  std::vector<const Case*> selected;
  int matching = 0;
  for (const Case& conformance_case : cases) {
    const bool matches =
        fnmatch(selection.filter.c_str(), conformance_case.id.c_str(), 0) ==
            0 &&
        IsSelected(selection.levels, LevelName(conformance_case.level)) &&
        IsSelected(selection.areas, AreaOf(conformance_case));
    if (!matches) continue;
    if (matching++ % selection.shards == selection.shard - 1) {
      selected.push_back(&conformance_case);
    }
  }
  if (!selected.empty()) return selected;
  if (matching > 0) {
    throw NotFound("[Run] shard {}/{} of {} cases is empty", selection.shard,
                   selection.shards, matching);
  }
  throw NotFound("[Run] no case matches '{}'{}{}", selection.filter,
                 selection.levels.empty() && selection.areas.empty()
                     ? ""
                     : " and has the requested level and area",
                 SuggestNames(selection.filter, IdsOf(cases)));
}

}  // namespace lockstep
