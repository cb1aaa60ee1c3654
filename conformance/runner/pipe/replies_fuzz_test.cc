// Any line of a testee is a message or refused with an Error. A message
// round-trips, and can be judged and explained.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/pipe/protocol.h"
#include "conformance/runner/verdicts/explain.h"
#include "conformance/runner/verdicts/run_case.h"
#include "reference/base/check.h"
#include "reference/base/error.h"

namespace {

using namespace lockstep;  // NOLINT: a test

void AllowErrors(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument) throw;
  }
}

Expectation Expect(Relation relation, const char* observation, Json value) {
  Expectation expectation;
  expectation.relation = relation;
  expectation.observation = observation;
  expectation.other_observation = "values";
  expectation.value = std::move(value);
  return expectation;
}

// A case with every relation.
Case MakeCase() {
  Case result{.id = "input/rebatch/split",
              .topic = "Splitting",
              .level = Level::kRequired,
              .states = "Batches are split.",
              .cites = {},
              .given = {{"strategy", "mirrored"}, {"replicas", 2}},
              .program = Json::parse(
                  R"([{"observe": "sizes", "step": "data.x"},
              {"observe": "values", "step": "data.y"}])"),
              .expect = {}};
  const Json sizes = Json::parse("[[2, 2], [1, 1]]");
  for (const Relation relation :
       {Relation::kEquals, Relation::kClose, Relation::kSameMultiset}) {
    result.expect.push_back(Expect(relation, "sizes", sizes));
  }
  result.expect.push_back(Expect(Relation::kMultipleOf, "sizes", 2));
  result.expect.push_back(Expect(Relation::kSameOnAllReplicas, "sizes", true));
  result.expect.push_back(
      Expect(Relation::kSameOnAllReplicas, "sizes", "in_each_round"));
  result.expect.push_back(Expect(Relation::kSameAs, "sizes", nullptr));
  return result;
}

void Judge(const Answer& answer) {
  static const Case kCase = MakeCase();
  MiniatureTestee testee([&](const Request&) { return answer; });
  const CaseResult result = RunCase(kCase, testee, {});
  ExplainResult(result, Sources(), "");
}

void ReadReply(std::string_view line) {
  const Reply reply = DecodeReply(line);
  const Reply again = DecodeReply(EncodeReply(reply));
  LOCKSTEP_CHECK(again.seq == reply.seq);
  LOCKSTEP_CHECK(AnswerToJson(again.answer) == AnswerToJson(reply.answer));
  Judge(reply.answer);
}

void ReadDeclaration(std::string_view line) {
  const TesteeDeclaration declaration = DecodeDeclaration(line);
  LOCKSTEP_CHECK(DecodeDeclaration(EncodeDeclaration(declaration)) ==
                 declaration);
}

void ReadCommand(std::string_view line) {
  const Command command = DecodeCommand(line);
  const auto* run = std::get_if<RunCommand>(&command);
  if (!run) return;
  CheckObservations(Observations{}, run->request.program);
  const std::string again = EncodeRun(run->seq, run->request);
  const auto same = std::get<RunCommand>(DecodeCommand(again));
  LOCKSTEP_CHECK(same.request.program == run->request.program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  AllowErrors([&] { ReadReply(line); });
  AllowErrors([&] { ReadDeclaration(line); });
  AllowErrors([&] { ReadCommand(line); });
  return 0;
}
