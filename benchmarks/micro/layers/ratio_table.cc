#include "benchmarks/micro/layers/ratio_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/measurement/run_error.h"

namespace lockstep::benchmarks {
namespace {

constexpr std::string_view kBy = "/by:";
constexpr std::string_view kByOwn = "/by:own";
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double TimeOf(const EntrySamples& entry) {
  return entry.error.empty() && !entry.seconds.empty() ? Median(entry.seconds)
                                                       : kNone;
}

// That of the same work by our own kernels.
double OwnTimeOf(const std::vector<EntrySamples>& entries,
                 std::string_view name) {
  std::string own(name.substr(0, name.rfind(kBy)));
  own += kByOwn;
  const auto found = std::ranges::find(entries, own, &EntrySamples::name);
  return found == entries.end() ? kNone : TimeOf(*found);
}

std::string Number(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

std::string Line(double own, double other, const EntrySamples& entry) {
  return fmt::format("{:>10} {:>11} {:>10}  {}{}{}\n", Number(own * 1e6, 2),
                     Number(other * 1e6, 2), Number(own / other, 3), entry.name,
                     entry.error.empty() ? "" : ": ", entry.error);
}

}  // namespace

std::string RatioTable(const std::vector<EntrySamples>& entries) {
  std::string table = fmt::format("#{:>9} {:>11} {:>10}  {}\n", "own (us)",
                                  "other (us)", "own/other", "entry");
  int pairs = 0;
  int slower = 0;
  for (const EntrySamples& entry : entries) {
    if (entry.name.ends_with(kByOwn)) continue;
    const double own = OwnTimeOf(entries, entry.name);
    const double other = TimeOf(entry);
    table += Line(own, other, entry);
    pairs += !std::isnan(own / other);
    slower += own > other;
  }
  return table + fmt::format("# own is the slower one in {} of {} pairs\n",
                             slower, pairs);
}

bool SampleCollector::ReportContext(const Context& context) {
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}

void SampleCollector::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    EntrySamples& entry = entries_[run.family_index];
    entry.name = run.run_name.function_name;
    entry.error = ErrorOf(run);
    if (entry.error.empty()) {
      entry.seconds.push_back(run.real_accumulated_time /
                              static_cast<double>(run.iterations));
    }
  }
}

std::vector<EntrySamples> SampleCollector::entries() const {
  std::vector<EntrySamples> list;
  for (const auto& [index, entry] : entries_) list.push_back(entry);
  return list;
}

}  // namespace lockstep::benchmarks
