#include "conformance/runner/cases/case_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "reference/base/error.h"

namespace lockstep {
namespace {

std::string AreaOf(const Case& conformance_case) {
  return conformance_case.id.substr(0, conformance_case.id.find('/'));
}

bool IsAmong(const std::vector<std::string>& wanted, std::string_view name) {
  return wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
}

void CheckAreas(const std::vector<Case>& cases,
                const std::vector<std::string>& wanted) {
  std::set<std::string> areas;
  for (const Case& conformance_case : cases) {
    areas.insert(AreaOf(conformance_case));
  }
  for (const std::string& area : wanted) {
    if (areas.contains(area)) continue;
    throw NotFound("[Run] no area is called '{}', there are: {}", area,
                   fmt::join(areas, ", "));
  }
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
        IsAmong(selection.levels, LevelName(conformance_case.level)) &&
        IsAmong(selection.areas, AreaOf(conformance_case));
    if (!matches) continue;
    if (matching++ % selection.shards == selection.shard - 1) {
      selected.push_back(&conformance_case);
    }
  }
  if (!selected.empty()) return selected;
  if (matching > 0) {
    throw NotFound("[Run] shard {}/{} of {} cases holds none", selection.shard,
                   selection.shards, matching);
  }
  throw NotFound("[Run] no case is called like '{}'{}", selection.filter,
                 selection.levels.empty() && selection.areas.empty()
                     ? ""
                     : " and has such a level and area");
}

}  // namespace lockstep
