#include "conformance/runner/commands/case_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr int kMostShards = 1000;

// "2/4". Errors: CLI::ValidationError.
void ReadShard(const std::string& text, CaseSelection& selection) {
  const char* end = text.data() + text.size();
  const auto shard = std::from_chars(text.data(), end, selection.shard);
  const bool divided =
      shard.ec == std::errc{} && shard.ptr != end && *shard.ptr == '/';
  const auto shards =
      divided ? std::from_chars(shard.ptr + 1, end, selection.shards) : shard;
  if (!divided || shards.ec != std::errc{} || shards.ptr != end ||
      selection.shard < 1 || selection.shards > kMostShards ||
      selection.shard > selection.shards) {
    throw CLI::ValidationError(
        "--shard", fmt::format("wanted I/N with I from 1 to N and N at most "
                               "{}, got '{}'",
                               kMostShards, text));
  }
}

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

void DescribeSelection(CLI::App& app, CaseSelection& selection) {
  app.add_option("--filter", selection.filter, "ids to run, with * and ?")
      ->capture_default_str();
  app.add_option("--level", selection.levels,
                 "levels to run, separated by commas [all]")
      ->delimiter(',')
      ->check(CLI::IsMember({"required", "recommended", "observed"}));
  app.add_option("--area", selection.areas,
                 "areas to run, as input or loss, separated by commas [all]")
      ->delimiter(',');
  app.add_option_function<std::string>(
         "--shard",
         [&selection](const std::string& text) { ReadShard(text, selection); },
         "run a part of them: 2/4 is the second of four, which together run "
         "all")
      ->type_name("I/N");
}

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
