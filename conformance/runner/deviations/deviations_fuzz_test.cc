// Any list of deviations is read or refused with an Error. A list that is read
// round-trips, and can be compared with a run and updated.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/runner/deviations/case_testing.h"
#include "conformance/runner/deviations/deviation_check.h"
#include "conformance/runner/deviations/update_deviations.h"
#include "reference/base/check.h"
#include "reference/base/error.h"

namespace {

using namespace lockstep;  // NOLINT: a test

const Records& ARun() {
  static const auto* const kRecords = new Records(
      {{"loss/average/zero_batch_size_gives_zero", Observe(1)},
       {"loss/average/mean", Observe(2)},
       {"gradient/tape/none", Unsupported{"gradient.tape", "no tape"}},
       {"gradient/tape/twice", ProtocolError{"no JSON", ""}}});
  return *kRecords;
}

Deviations Read(const Json& json) {
  std::string path;
  if (json.is_object() && json.contains("implementation") &&
      json["implementation"].is_string()) {
    path = json["implementation"].get<std::string>() + ".json";
  }
  return ReadDeviations(json, path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Deviations deviations = Read(ParseJson(text, "fuzzed.json"));
    LOCKSTEP_CHECK(Read(deviations.ToJson()).ToJson() == deviations.ToJson());
    for (const bool is_partial : {false, true}) {
      const CaseIds ids{.all = ARun().ids(), .is_partial = is_partial};
      FindUnexpected(ARun().records, deviations, ids);
      for (const CaseRecord& record : ARun().records) {
        deviations.FindFor(record.result());
      }
      UpdateDeviations(deviations, ARun().records, ids);
    }
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument) throw;
  }
  return 0;
}
