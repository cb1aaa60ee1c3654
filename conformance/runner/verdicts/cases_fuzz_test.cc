// Any file of cases is read or refused with an Error. A case that is read is
// described, run against a testee and judged.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/text/name_forms.h"
#include "conformance/runner/verdicts/explain.h"
#include "conformance/runner/verdicts/run_case.h"
#include "reference/base/error.h"

namespace {

using namespace lockstep;  // NOLINT: a test

// Takes the prefix of ids from the first one, so that any file of cases is a
// valid seed.
std::filesystem::path PathFor(const Json& json) {
  constexpr const char* kAnyPath = "cases/input/rebatch.json";
  if (!json.is_object() || !json.contains("cases")) return kAnyPath;
  const Json& cases = json["cases"];
  if (!cases.is_array() || cases.empty() || !cases[0].is_object() ||
      !cases[0].contains("id") || !cases[0]["id"].is_string()) {
    return kAnyPath;
  }
  const std::string id = cases[0]["id"];
  if (!IsCaseId(id)) return kAnyPath;
  return "cases/" + id.substr(0, id.rfind('/')) + ".json";
}

// Observes the expected values, so that every relation is judged.
Answer AnswerAsExpected(const Case& conformance_case) {
  Json values = Json::object();
  for (const Expectation& expectation : conformance_case.expect) {
    if (expectation.relation == Relation::kError) {
      return Failure{expectation.value, "as expected", "data.x"};
    }
    values[expectation.observation] = expectation.value;
  }
  return Observations{values};
}

void Use(const Case& conformance_case, const CaseLoader& loader) {
  MiniatureTestee testee(
      [&](const Request&) { return AnswerAsExpected(conformance_case); });
  DescribeCase(conformance_case, loader.sources());
  const CaseResult result =
      RunCase(conformance_case, testee, loader.conventions().Complete({}));
  ExplainResult(result, loader.sources(), "");
}

const CaseLoader& Empty() {
  static const auto* const kEmpty =
      new CaseLoader(Sources::Load("conformance/sources.json"),
                     Operations::Load({"conformance/operations.md"}),
                     Conventions::Load("conformance/conventions.json"));
  return *kEmpty;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Json json = ParseJson(text, "fuzzed.json");
    CaseLoader loader = Empty();
    loader.Read(json, PathFor(json));
    for (const Case& conformance_case : loader.cases()) {
      Use(conformance_case, loader);
    }
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument) throw;
  }
  return 0;
}
