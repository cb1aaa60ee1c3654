#include "conformance/runner/pipe/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <stdexcept>

#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/pipe/testee_server.h"
#include "conformance/runner/testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using std::chrono_literals::operator""ms;

TEST(AnswerTest, IsDescribed) {
  EXPECT_EQ(DescribeAnswer(Observations{}), "the program ran to its end");
  EXPECT_EQ(DescribeAnswer(Failure{"NotFound", "[Open] no file", "data.open"}),
            "NotFound in data.open: [Open] no file");
  EXPECT_EQ(DescribeAnswer(Unsupported{"data.x", "no x here"}),
            "no support for data.x: no x here");
  EXPECT_EQ(DescribeAnswer(TimedOut{1500ms, "busy"}), "no answer in 1.5 s");
  EXPECT_EQ(DescribeAnswer(Crashed{"SIGSEGV", ""}), "crashed by SIGSEGV");
  EXPECT_EQ(DescribeAnswer(ProtocolError{"no JSON", ""}),
            "protocol error: no JSON");
}

TEST(AnswerTest, IsWrittenUnderItsVerdict) {
  EXPECT_EQ(AnswerToJson(Observations{{{"x", 1}}}).dump(),
            R"({"observations":{"x":1}})");
  EXPECT_EQ(
      AnswerToJson(Failure{"NotFound", "no", "data.x"}).dump(),
      R"({"error":{"class":"NotFound","message":"no","at_step":"data.x"}})");
  EXPECT_EQ(AnswerToJson(Unsupported{"data.x", "no x"}).dump(),
            R"({"unsupported":{"step":"data.x","reason":"no x"}})");
  EXPECT_EQ(AnswerToJson(TimedOut{250ms, "busy"}).dump(),
            R"({"timed_out":{"deadline_s":0.25,"stderr":"busy"}})");
  EXPECT_EQ(AnswerToJson(Crashed{"exit status 3", "bye"}).dump(),
            R"({"crashed":{"by":"exit status 3","stderr":"bye"}})");
  EXPECT_EQ(AnswerToJson(ProtocolError{"no JSON", ""}).dump(),
            R"({"protocol_error":{"what":"no JSON","stderr":""}})");
}

TEST(AnswerTest, OnlyMissingAnswersHaveStderr) {
  EXPECT_EQ(StderrTailOf(TimedOut{1ms, "a"}), "a");
  EXPECT_EQ(StderrTailOf(Crashed{"SIGBUS", "b"}), "b");
  EXPECT_EQ(StderrTailOf(ProtocolError{"no JSON", "c"}), "c");
  EXPECT_EQ(StderrTailOf(Failure{"Internal", "d", "data.x"}), "");
}

constexpr const char* kDeclaration =
    R"({"version":1,"name":"tensorflow","implementation":"TensorFlow 2.21.0",)"
    R"("language":"python","devices":["CPU"],)"
    R"("conventions":{"gradient_combination":"sum"},)"
    R"("steps":["dataset.range","input.next"]})";

// The error of decoding; "" when there is none.
template <typename Decode>
std::string ErrorOf(const Decode& decode, const std::string& line) {
  try {
    decode(line);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    return error.what();
  }
}

std::string ReplyError(const std::string& line) {
  return ErrorOf([](const std::string& text) { DecodeReply(text); }, line);
}

std::string DeclarationError(const std::string& line) {
  return ErrorOf([](const std::string& text) { DecodeDeclaration(text); },
                 line);
}

// `text` with `part` replaced.
std::string With(std::string text, const std::string& part,
                 const std::string& other) {
  const size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  return text.replace(place, part.size(), other);
}

TEST(ProtocolTest, CommandsAreLinesOfJson) {
  EXPECT_EQ(EncodeStart(), R"({"cmd":"start","version":1})");
  EXPECT_EQ(EncodeStop(), R"({"cmd":"stop"})");
  EXPECT_EQ(EncodeRun(3, {.token = "a1b2",
                          .given = {{"strategy", "default"}},
                          .program = Json::parse(R"([{"step": "data.x"}])")}),
            R"({"cmd":"run","seq":3,"token":"a1b2",)"
            R"("given":{"strategy":"default"},"program":[{"step":"data.x"}]})");
}

TEST(ProtocolTest, DecodesCommands) {
  EXPECT_EQ(std::get<StartCommand>(DecodeCommand(EncodeStart())),
            StartCommand{});
  EXPECT_EQ(std::get<StopCommand>(DecodeCommand(EncodeStop())), StopCommand{});
  const auto run = std::get<RunCommand>(DecodeCommand(
      R"({"program": [{"step": "data.x"}], "token": "a1b2", "seq": 7,
          "given": {"strategy": "mirrored", "replicas": 2}, "cmd": "run"})"));
  EXPECT_EQ(run.seq, 7);
  EXPECT_EQ(run.request.token, "a1b2");
  EXPECT_EQ(run.request.given["replicas"], 2);
  EXPECT_EQ(run.request.program.dump(), R"([{"step":"data.x"}])");
}

TEST(ProtocolTest, RefusesInvalidCommands) {
  const auto error = [](const char* line) {
    return ErrorOf(DecodeCommand, line);
  };
  EXPECT_EQ(error(R"({"cmd": "jump"})"),
            "[Protocol] command at $.cmd: unknown command 'jump', wanted "
            "start, run or stop");
  EXPECT_EQ(error(R"({"cmd": "start", "version": 2})"),
            "[Protocol] command at $.version: wanted version 1, got 2");
  EXPECT_NE(error(R"({"cmd": "stop", "now": true})"), "");
  EXPECT_NE(error(R"({"cmd": "run", "seq": 1, "token": "a1b2", "given": {}})"),
            "");
  EXPECT_NE(error("stop"), "");
}

TEST(ProtocolTest, DecodesDeclaration) {
  const TesteeDeclaration declaration = DecodeDeclaration(kDeclaration);
  EXPECT_EQ(declaration.name, "tensorflow");
  EXPECT_EQ(declaration.implementation, "TensorFlow 2.21.0");
  EXPECT_EQ(declaration.language, "python");
  EXPECT_EQ(declaration.devices, std::vector<std::string>{"CPU"});
  EXPECT_EQ(declaration.conventions.at("gradient_combination"), "sum");
  EXPECT_EQ(declaration.steps,
            (std::vector<std::string>{"dataset.range", "input.next"}));
  EXPECT_EQ(EncodeDeclaration(declaration), kDeclaration);
}

TEST(ProtocolTest, DeclarationMayHaveWorkers) {
  EXPECT_EQ(DecodeDeclaration(kDeclaration).workers, 0);
  Json with = Json::parse(kDeclaration);
  with["workers"] = 4;
  const TesteeDeclaration declaration = DecodeDeclaration(with.dump());
  EXPECT_EQ(declaration.workers, 4);
  EXPECT_EQ(Json::parse(EncodeDeclaration(declaration)), with);
  with["workers"] = 9;
  EXPECT_EQ(DeclarationError(with.dump()),
            "[Protocol] declaration at $.workers: wanted an integer from 1 to "
            "8, got 9");
}

TEST(ProtocolTest, DeclarationNeedsEveryField) {
  for (const char* field : {"version", "name", "implementation", "language",
                            "devices", "conventions", "steps"}) {
    const std::string line =
        With(kDeclaration, fmt::format("\"{}\"", field), "\"other\"");
    EXPECT_NE(DeclarationError(line).find("'other'"), std::string::npos);
    Json without = Json::parse(kDeclaration);
    without.erase(field);
    EXPECT_NE(DeclarationError(without.dump()).find(field), std::string::npos);
  }
}

TEST(ProtocolTest, RefusesWrongTypesInDeclaration) {
  const auto error = [](const char* part, const char* other) {
    return DeclarationError(With(kDeclaration, part, other));
  };
  EXPECT_EQ(error("\"sum\"", "1"),
            "[Protocol] declaration at $.conventions.gradient_combination: "
            "wanted a string, got 1");
  EXPECT_EQ(error("\"input.next\"", "\"\""),
            "[Protocol] declaration at $.steps[1]: wanted a non-empty string, "
            "got \"\"");
  EXPECT_NE(error("[\"CPU\"]", "\"CPU\""), "");
  EXPECT_NE(error("\"version\":1", "\"version\":2"), "");
}

TEST(ProtocolTest, DecodesReplies) {
  const Reply observed =
      DecodeReply(R"({"seq": 2, "observations": {"x": [1, "NaN"]}})");
  EXPECT_EQ(observed.seq, 2);
  EXPECT_EQ(std::get<Observations>(observed.answer).values.dump(),
            R"({"x":[1,"NaN"]})");
  const Reply failed = DecodeReply(
      R"({"seq": 3, "error": {"class": "OutOfRange", "message": "at the end",
          "at_step": "input.next"}})");
  const auto& failure = std::get<Failure>(failed.answer);
  EXPECT_EQ(failure.error_class, "OutOfRange");
  EXPECT_EQ(failure.message, "at the end");
  EXPECT_EQ(failure.at_step, "input.next");
  const Reply unsupported = DecodeReply(
      R"({"unsupported": {"step": "data.x", "reason": "no x"}, "seq": 4})");
  EXPECT_EQ(std::get<Unsupported>(unsupported.answer).step, "data.x");
  EXPECT_EQ(std::get<Unsupported>(unsupported.answer).reason, "no x");
}

TEST(ProtocolTest, RoundTripsReplies) {
  const Json values = {
      {"small", 0.1f}, {"third", 1.0 / 3}, {"whole", 2.0},
      {"zero", -0.0},  {"int", 1},         {"none", nullptr},
      {"odd", "NaN"},  {"tiny", 5e-324},   {"list", {1.5, true}}};
  const Reply reply = DecodeReply(EncodeReply({5, Observations{values}}));
  EXPECT_EQ(std::get<Observations>(reply.answer).values.dump(), values.dump());
}

TEST(ProtocolTest, MessagesMayQuoteAnyBytes) {
  const std::string line =
      EncodeReply({1, Failure{"Internal", "two\nlines, \xff", "data.x"}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(std::get<Failure>(DecodeReply(line).answer).message,
            "two\nlines, \xef\xbf\xbd");
}

TEST(ProtocolTest, RefusesInvalidReplies) {
  EXPECT_EQ(ReplyError(R"({"seq": 1, "error": {"class": "ValueError",
                           "message": "", "at_step": "data.x"}})"),
            "[Protocol] reply at $.error.class: unknown error class "
            "'ValueError'");
  EXPECT_EQ(ReplyError(R"({"observations": {}})"),
            "[Protocol] reply at $: the field 'seq' is missing");
  EXPECT_EQ(ReplyError(R"({"seq": 1})"),
            "[Protocol] reply at $: wanted seq and one of observations, error "
            "and unsupported, got 1 fields");
  EXPECT_NE(ReplyError(R"({"seq": "1", "observations": {}})"), "");
  EXPECT_NE(ReplyError(R"({"seq": 1.5, "observations": {}})"), "");
  EXPECT_NE(ReplyError(R"({"seq": 1, "observations": []})"), "");
  EXPECT_NE(ReplyError(R"({"seq": 1, "observation": {}})"), "");
  EXPECT_NE(ReplyError(R"({"seq": 1, "observations": {}, "unsupported":
                           {"step": "data.x", "reason": "no x"}})"),
            "");
  EXPECT_NE(ReplyError(R"({"seq": 1, "error": {"class": "Internal",
                           "message": ""}})"),
            "");
  EXPECT_NE(ReplyError(R"({"seq": 1, "unsupported": {"step": "data.x"}})"), "");
}

TEST(ProtocolTest, WhatIsNoJsonIsRefused) {
  for (const char* line : {"", "hello", "{\"seq\": 1", "[]", "null",
                           R"({"seq": 1, "observations": {"x": NaN}})",
                           "{\"seq\": 1, \"observations\": {\"x\": \"\xff\"}}",
                           R"({"seq": 1, "observations": {}} {})"}) {
    EXPECT_NE(ReplyError(line), "") << line;
  }
}

TEST(ProtocolTest, RefusesDeepNesting) {
  const auto nested = [](int levels) {
    return R"({"seq": 1, "observations": {"x": )" + std::string(levels, '[') +
           std::string(levels, ']') + "}}";
  };
  EXPECT_EQ(ReplyError(nested(90)), "");
  EXPECT_EQ(ReplyError(nested(1'000'000)),
            "[ParseJson] reply: nested deeper than 100 levels");
}

TEST(ProtocolTest, RefusesAmbiguousJson) {
  EXPECT_NE(ReplyError(R"({"seq": 1, "observations": {"x": 1e400}})"), "");
  EXPECT_EQ(ReplyError(R"({"seq": 1, "seq": 1, "observations": {}})"),
            "[ParseJson] reply: duplicate field 'seq'");
  EXPECT_NE(ReplyError(R"({"seq": 18446744073709551615, "observations": {}})"),
            "");
}

TEST(ProtocolTest, RefusesLongName) {
  EXPECT_EQ(DeclarationError(With(kDeclaration, "\"tensorflow\"",
                                  "\"" + std::string(101, 'x') + "\"")),
            "[Protocol] declaration at $.name: wanted a name of at most 100 "
            "bytes, got 101");
}

// A reply with as many items as a message can hold.
std::string ReplyOf(const std::string& item) {
  std::string line = R"({"seq": 1, "observations": {"x": [)" + item;
  const std::string end = "]}}";
  while (line.size() + 1 + item.size() + end.size() <= kMaxMessageBytes) {
    line += "," + item;
  }
  line += end;
  line.resize(kMaxMessageBytes, ' ');
  return line;
}

// An object of as many fields as there may be.
std::string WidestObject() {
  std::string object = "{";
  for (size_t i = 0; i < kMostJsonFields; ++i) {
    object += (i > 0 ? ",\"f" : "\"f") + std::to_string(i) + "\":1";
  }
  return object + "}";
}

// A second or two each; as many minutes where each item looks through those
// before it.
TEST(ProtocolTest, ReadsLongestReplyInTime) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& item : {std::string("{}"), WidestObject()}) {
    EXPECT_EQ(ReplyError(ReplyOf(item)), "");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{30});
}

TEST(ProtocolTest, DecodingEndsAtItsDeadline) {
  const std::string line = ReplyOf("1");
  const auto now = std::chrono::steady_clock::now();
  try {
    DecodeReply(line, now);
    FAIL() << "it was decoded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kDeadlineExceeded);
    EXPECT_STREQ(error.what(),
                 "[ParseJson] reply: not parsed before the deadline");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - now, std::chrono::seconds{1});
}

// The error that replaces `values` in a reply; "" if they fit.
std::string TooLarge(Json values) {
  const std::string line =
      EncodeReply({7, Observations{{{"x", std::move(values)}}}});
  EXPECT_LE(line.size(), kMaxMessageBytes);
  const Reply reply = DecodeReply(line);
  EXPECT_EQ(reply.seq, 7);
  const auto* failure = std::get_if<Failure>(&reply.answer);
  if (!failure) return "";
  EXPECT_EQ(failure->error_class, "ResourceExhausted");
  EXPECT_EQ(failure->at_step, "testee");
  return failure->message;
}

TEST(ProtocolTest, TooLargeReplyBecomesError) {
  // {"seq":7,"observations":{"x":""}} has 33 bytes.
  EXPECT_EQ(TooLarge(std::string(kMaxMessageBytes - 33, 'x')), "");
  EXPECT_EQ(TooLarge(std::string(kMaxMessageBytes - 32, 'x')),
            "[Protocol] the reply has 16777217 bytes, a message has at most "
            "16777216");
  const auto nested = [](int levels) {
    Json value = 1;
    for (int i = 0; i < levels; ++i) value = Json::array({std::move(value)});
    return value;
  };
  EXPECT_EQ(TooLarge(nested(98)), "");
  EXPECT_EQ(TooLarge(nested(99)),
            "[Protocol] the reply is nested deeper than 100 levels");
  Json wide = Json::object();
  for (int i = 0; i < 1001; ++i) wide["x" + std::to_string(i)] = i;
  EXPECT_EQ(TooLarge(wide),
            "[Protocol] an object of the reply has more than 1000 fields");
}

TEST(ProtocolTest, RefusesUnknownObservations) {
  const Json program = Json::parse(
      R"([{"step": "data.x", "observe": "x"},
          {"step": "data.each", "program": [{"step": "a.b", "observe": "y"}]}])");
  EXPECT_NO_THROW(CheckObservations({{{"y", 1}, {"x", 1}}}, program));
  EXPECT_NO_THROW(CheckObservations({}, program)) << "judged, not refused";
  EXPECT_THROW(CheckObservations({{{"z", 1}}}, program), Error);
}

using testing::ElementsAre;
using testing::HasSubstr;

class TesteeServerTest : public testing::Test {
 protected:
  int Serve(
      const std::string& commands,
      MiniatureTestee::Behaviour behaviour = [](const Request&) {
        return Observations{{{"x", 1}}};
      }) {
    MiniatureTestee testee(std::move(behaviour));
    std::istringstream in(commands);
    const auto reply = [&](const std::string& r) { replies_.push_back(r); };
    return ServeTestee(testee, in, reply, errors_);
  }

  std::vector<std::string> replies_;
  std::ostringstream errors_;
};

constexpr const char* kRun =
    R"({"cmd": "run", "seq": 4, "token": "a1b2",)"
    R"( "given": {"strategy": "default"}, "program": [{"step": "data.x"}]})"
    "\n";
constexpr const char* kStop = "{\"cmd\": \"stop\"}\n";

TEST_F(TesteeServerTest, AnswersUntilStop) {
  EXPECT_EQ(Serve("{\"cmd\": \"start\", \"version\": 1}\n" + std::string(kRun) +
                  kStop + kRun),
            0);
  EXPECT_THAT(replies_, ElementsAre(HasSubstr(R"("name":"miniature")"),
                                    R"({"seq":4,"observations":{"x":1}})"));
  EXPECT_EQ(errors_.str(), "");
}

TEST_F(TesteeServerTest, ExceptionIsInternalError) {
  const auto throws = [](const Request&) -> Answer {
    throw std::runtime_error("broken");
  };
  EXPECT_EQ(Serve(std::string(kRun) + kStop, throws), 0);
  EXPECT_THAT(replies_,
              ElementsAre(R"({"seq":4,"error":{"class":"Internal",)"
                          R"("message":"broken","at_step":"testee"}})"));
}

TEST_F(TesteeServerTest, ReportsInvalidCommand) {
  EXPECT_EQ(Serve(std::string("{\"cmd\": \"jump\"}\n") + kRun), 1);
  EXPECT_THAT(errors_.str(), HasSubstr("unknown command 'jump'"));
  EXPECT_TRUE(replies_.empty());
}

TEST_F(TesteeServerTest, ReportsEndOfInput) {
  EXPECT_EQ(Serve(kRun), 1);
  EXPECT_THAT(errors_.str(), HasSubstr("wanted stop, got the end"));
}

}  // namespace
}  // namespace lockstep
