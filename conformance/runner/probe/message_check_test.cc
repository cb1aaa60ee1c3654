#include "conformance/runner/probe/message_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

using testing::HasSubstr;

const MessageCheck& Check() {
  static const auto* const check = new MessageCheck("conformance/schemas/pipe");
  return *check;
}

// What is wrong with it; nothing where it is right.
template <typename Message>
Mistakes MistakesOf(const std::variant<Message, Mistakes>& read) {
  const auto* mistakes = std::get_if<Mistakes>(&read);
  return mistakes ? *mistakes : Mistakes();
}

Mistakes InDeclaration(const Json& message) {
  return MistakesOf(Check().ReadDeclaration(message.dump()));
}

Mistakes InReply(const Json& message) {
  return MistakesOf(Check().ReadReply(message.dump()));
}

void ExpectRefused(const Mistakes& mistakes, const std::string& what,
                   const std::string& advice = "") {
  ASSERT_EQ(mistakes.size(), 1u) << what;
  EXPECT_THAT(mistakes[0].what, HasSubstr(what));
  EXPECT_THAT(mistakes[0].advice, HasSubstr(advice));
  EXPECT_FALSE(mistakes[0].advice.empty());
}

void ExpectNoMessage(const std::string& line, const std::string& what,
                     const std::string& advice = "") {
  ExpectRefused(MistakesOf(Check().ReadReply(line)), what, advice);
  ExpectRefused(MistakesOf(Check().ReadDeclaration(line)), what, advice);
}

// A reply that observes what the text says.
std::string Observing(const std::string& value) {
  return R"({"seq": 1, "observations": {"x": )" + value + "}}";
}

TEST(MessageTextTest, ReadsJson) {
  const auto read = Check().ReadReply(Observing("[1]"));
  const Reply& reply = std::get<Reply>(read);
  EXPECT_EQ(reply.seq, 1);
  EXPECT_EQ(std::get<Observations>(reply.answer).values.dump(), R"({"x":[1]})");
}

TEST(MessageTextTest, WhatIsNoJsonIsRefused) {
  ExpectNoMessage("Epoch 1/10", "the line is not JSON: ", kKeepStdoutClean);
  ExpectNoMessage("", "the line is not JSON: ");
  ExpectNoMessage("\"gr\xfcn\"", "UTF-8");
  ExpectNoMessage(Observing("\"gr\xfcn\""), "UTF-8", "a message is UTF-8");
  ExpectNoMessage(std::string(100'000, '['), "nested deeper than 100 levels");
}

TEST(MessageTextTest, RefusesNonFiniteNumbers) {
  ExpectNoMessage(Observing("NaN"),
                  "the line is not JSON: ", "is a text such as \"NaN\"");
  ExpectNoMessage(Observing("-Infinity"), "the line is not JSON: ");
}

TEST(MessageTextTest, RefusesDuplicateField) {
  ExpectNoMessage(R"({"seq": 1, "seq": 2})", "duplicate field 'seq'",
                  "has no field twice");
}

TEST(MessageTextTest, RefusesTooLargeNumbers) {
  ExpectNoMessage(Observing("1e400"), "1e400");
  ExpectNoMessage(Observing("-1" + std::string(400, '0')), "-1000");
  const auto read =
      Check().ReadReply(Observing("[1.7e308, 18446744073709551616, 5e-400]"));
  const auto& values =
      std::get<Observations>(std::get<Reply>(read).answer).values;
  EXPECT_EQ(values["x"], Json({1.7e308, 18446744073709551616.0, 0.0}));
}

TEST(MessageTextTest, RefusesTooDeepNesting) {
  const auto nested = [](int levels) {
    return Observing(std::string(levels - 2, '[') +
                     std::string(levels - 2, ']'));
  };
  EXPECT_TRUE(MistakesOf(Check().ReadReply(nested(100))).empty());
  ExpectNoMessage(nested(101), "nested deeper than 100 levels");
  std::string objects;
  for (int i = 0; i < 99; ++i) objects += R"({"x":)";
  ExpectNoMessage(Observing(objects + "1" + std::string(99, '}')),
                  "nested deeper than 100 levels");
}

TEST(MessageTextTest, RefusesTooManyFields) {
  std::string fields;
  for (int i = 0; i < 1001; ++i) {
    fields += (i > 0 ? ",\"x" : "\"x") + std::to_string(i) + "\":1";
  }
  ExpectNoMessage("{" + fields + "}", "more than 1000 fields");
}

TEST(MessageTextTest, RefusesHalfACharacter) {
  ExpectNoMessage(Observing(R"("\ud800")"), "surrogate");
  EXPECT_TRUE(
      MistakesOf(Check().ReadReply(Observing(R"("\ud83d\ude00")"))).empty());
}

const Json kReply = {
    {"seq", 1}, {"observations", {{"x", {1, "NaN", nullptr, {{"y", true}}}}}}};
const Json kError = {
    {"class", "NotFound"}, {"message", "no file"}, {"at_step", "data.open"}};
const Json kDeclaration = {{"version", 1},
                           {"name", "minimal"},
                           {"implementation", "Minimal 1"},
                           {"language", "python"},
                           {"devices", {"CPU"}},
                           {"conventions", {{"end_of_data", "split"}}},
                           {"steps", {"value.show"}}};

// `message` with another value of a field.
Json With(Json message, const std::string& field, const Json& value) {
  message[field] = value;
  return message;
}

Json Without(Json message, const std::string& field) {
  message.erase(field);
  return message;
}

TEST(MessageFieldsTest, RightMessagesPass) {
  EXPECT_TRUE(InDeclaration(kDeclaration).empty());
  EXPECT_TRUE(
      InDeclaration(With(kDeclaration, "conventions", Json::object())).empty());
  EXPECT_TRUE(InReply(kReply).empty());
  EXPECT_TRUE(InReply({{"seq", 1}, {"error", kError}}).empty());
  EXPECT_TRUE(InReply({{"seq", 1},
                       {"unsupported", {{"step", "a.b"}, {"reason", "no b"}}}})
                  .empty());
}

TEST(MessageFieldsTest, EveryFieldIsRequired) {
  for (const auto& [field, unused] : kDeclaration.items()) {
    ExpectRefused(InDeclaration(Without(kDeclaration, field)),
                  "at $: the field '" + field + "' is missing", "wanted: ");
  }
  for (const auto& [field, unused] : kReply.items()) {
    EXPECT_FALSE(InReply(Without(kReply, field)).empty()) << field;
  }
  for (const auto& [field, unused] : kError.items()) {
    ExpectRefused(InReply({{"seq", 1}, {"error", Without(kError, field)}}),
                  "at $.error: the field '" + field + "' is missing",
                  "wanted: a step failed: its class, a message");
  }
}

TEST(MessageFieldsTest, ReportsAllMissingFields) {
  const Mistakes mistakes = InDeclaration({{"version", 1}, {"name", "mini"}});
  ASSERT_EQ(mistakes.size(), 5u);
  EXPECT_EQ(mistakes[0].what, "at $: the field 'implementation' is missing");
  EXPECT_THAT(mistakes[4].advice, HasSubstr("the steps of operations.md that"));
}

TEST(MessageFieldsTest, RefusesUnknownFields) {
  ExpectRefused(InDeclaration(With(kDeclaration, "os", "Linux")),
                "unknown field 'os'", "docs/protocol.md, 'Messages'");
  ExpectRefused(InReply(With(kReply, "time", 1)), "unknown field 'time'");
}

TEST(MessageFieldsTest, ReportsPlaceAndAdvice) {
  ExpectRefused(
      InReply({{"seq", 1}, {"error", With(kError, "class", "ValueError")}}),
      "at $.error.class: unknown error class 'ValueError'",
      "wanted: one of the error classes of operations.md");
  ExpectRefused(InDeclaration(With(kDeclaration, "steps", {1})),
                "at $.steps[0]: wanted a string, got 1",
                "wanted: the steps of operations.md");
  ExpectRefused(InDeclaration(With(kDeclaration, "version", 2)),
                "at $.version: wanted version 1, got 2",
                "wanted: 1, the version that start asked for");
  ExpectRefused(InReply(With(kReply, "seq", "1")),
                "at $.seq: wanted an integer, got \"1\"",
                "wanted: the number that run came with");
  ExpectRefused(
      InDeclaration(With(kDeclaration, "conventions", {{"end_of_data", 1}})),
      "at $.conventions.end_of_data: wanted a string", "wanted: an object:");
}

TEST(MessageFieldsTest, ReplyHasOneAnswer) {
  ExpectRefused(InReply(With(kReply, "error", kError)),
                "wanted seq and one of observations, error and unsupported",
                "wanted: seq and exactly one of observations, error");
  ExpectRefused(InReply({{"seq", 1}}), "wanted seq and one of");
}

TEST(MessageFieldsTest, RefusesOtherTypes) {
  ExpectRefused(InReply({1, 2}), "at $: wanted an object, got [1,2]");
}

}  // namespace
}  // namespace lockstep
