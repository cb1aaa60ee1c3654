#include "conformance/runner/deviations/update_deviations.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "conformance/runner/text/name_forms.h"

namespace lockstep {
namespace {

class DeviationUpdate {
 public:
  DeviationUpdate(const Deviations& deviations,
                  const std::vector<CaseRecord>& records, const CaseIds& ids)
      : deviations_(deviations), ids_(ids) {
    for (const CaseRecord& record : records) {
      results_.emplace(record.id(), &record.result());
    }
  }

  Deviations Run() {
    updated_.implementation = deviations_.implementation;
    for (const Deviation& entry : deviations_.entries) KeepEntry(entry);
    AddEntries();
    std::ranges::sort(updated_.entries, {}, &Deviation::cases);
    UpdateUnsupported();
    return std::move(updated_);
  }

 private:
  void KeepEntry(const Deviation& entry) {
    std::set<std::string> cases;
    for (const std::string& pattern : entry.cases) {
      for (std::string& kept : Keep(pattern)) cases.insert(std::move(kept));
    }
    if (cases.empty()) return;
    updated_.entries.push_back(entry);
    updated_.entries.back().cases.assign(cases.begin(), cases.end());
  }

  // What remains of a pattern: itself, or ids.
  std::vector<std::string> Keep(const std::string& pattern) const {
    std::vector<std::string> matched, kept;
    bool was_run = false;
    for (const std::string& id : ids_.all) {
      if (!PatternMatches(pattern, id)) continue;
      matched.push_back(id);
      was_run |= results_.contains(id);
      if (StaysListed(id)) kept.push_back(id);
    }
    if (ids_.is_partial && !was_run) return {pattern};
    const bool is_whole = kept.size() == matched.size() &&
                          matched.size() <= kMaxCasesPerPattern &&
                          !matched.empty();
    return is_whole ? std::vector{pattern} : kept;
  }

  bool StaysListed(const std::string& id) const {
    if (updated_.Find(id)) return false;
    const auto found = results_.find(id);
    if (found == results_.end()) return ids_.is_partial;
    return MayBeListed(found->second->verdict) &&
           UnsupportedIn(*found->second).empty();
  }

  void AddEntries() {
    // By verdict, class of error, step.
    std::map<std::tuple<Verdict, std::string, std::string>, Deviation> entries;
    for (const auto& [id, result] : results_) {
      const bool is_new = IsDeviation(result->verdict) &&
                          result->verdict != Verdict::kProtocolError &&
                          UnsupportedIn(*result).empty() && !updated_.Find(id);
      if (!is_new) continue;
      const Failure failure = FailureOf(*result);
      Deviation& entry =
          entries[{result->verdict, failure.error_class, failure.at_step}];
      entry.kind = "defect";
      entry.cases.push_back(id);
    }
    for (auto& [cause, entry] : entries) {
      updated_.entries.push_back(std::move(entry));
    }
  }

  // The first failure of its runs; empty if there is none.
  static Failure FailureOf(const CaseResult& result) {
    for (const RunResult& run : result.runs) {
      if (const auto* failure = std::get_if<Failure>(&run.answer)) {
        return *failure;
      }
    }
    return {};
  }

  void UpdateUnsupported() {
    std::set<std::string> unsupported;
    for (const auto& [id, result] : results_) {
      for (const Unsupported& one : UnsupportedIn(*result)) {
        if (!one.step.empty()) unsupported.insert(one.step);
      }
    }
    for (UnsupportedSteps known : deviations_.unsupported) {
      std::erase_if(known.steps, [&](const std::string& pattern) {
        return !ids_.is_partial &&
               std::ranges::none_of(unsupported, [&](const std::string& step) {
                 return PatternMatches(pattern, step);
               });
      });
      if (!known.steps.empty()) updated_.unsupported.push_back(known);
    }
    UnsupportedSteps added;
    for (const std::string& step : unsupported) {
      if (!updated_.FindStep(step)) added.steps.push_back(step);
    }
    if (!added.steps.empty()) updated_.unsupported.push_back(added);
    std::ranges::sort(updated_.unsupported, {}, &UnsupportedSteps::steps);
  }

  const Deviations& deviations_;
  const CaseIds& ids_;
  std::map<std::string, const CaseResult*> results_;
  Deviations updated_;
};

}  // namespace

Deviations UpdateDeviations(const Deviations& deviations,
                            const std::vector<CaseRecord>& records,
                            const CaseIds& ids) {
  return DeviationUpdate(deviations, records, ids).Run();
}

}  // namespace lockstep
