#include "conformance/runner/probe/content_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Said(const Mistakes& mistakes) {
  std::vector<std::string> said;
  for (const Mistake& mistake : mistakes) {
    said.push_back(mistake.what);
    EXPECT_FALSE(mistake.advice.empty()) << mistake.what;
  }
  return said;
}

// What is wrong with a reply, to seq 3, that comes with this seq.
std::vector<std::string> InReply(Answer answer, int64_t seq = 3) {
  const Json program = Json::parse(R"([{"step": "a.a", "observe": "x",
    "program": [{"step": "a.b", "observe": "y"}]}])");
  return Said(MistakesIn({seq, std::move(answer)}, 3, program));
}

const Observations kRight{{{"x", 1}, {"y", Json::array()}}};

TEST(ReplyContentTest, RightRepliesPass) {
  EXPECT_THAT(InReply(kRight), IsEmpty());
  EXPECT_THAT(InReply(Failure{"Internal", "", "a.b"}), IsEmpty());
  EXPECT_THAT(InReply(Unsupported{"a.b", "no b"}), IsEmpty());
}

TEST(ReplyContentTest, ChecksSeq) {
  EXPECT_THAT(InReply(kRight, 2),
              ElementsAre("at $.seq: 2, but the program came with 3"));
}

TEST(ReplyContentTest, ChecksObservations) {
  EXPECT_THAT(
      InReply(Observations{{{"x", 1}, {"z", 2}}}),
      ElementsAre("at $.observations: 'y' is missing, though the program ran "
                  "to its end",
                  "at $.observations: no step of the program observes 'z'"));
}

TEST(ReplyContentTest, ChecksSteps) {
  EXPECT_THAT(InReply(Failure{"Internal", "", "a.c"}),
              ElementsAre("at $.error.at_step: the program has no step 'a.c'"));
  EXPECT_THAT(
      InReply(Unsupported{"b", "no b"}),
      ElementsAre("at $.unsupported.step: the program has no step 'b'"));
}

TEST(ReplyContentTest, ReportsErrorOfTheTestee) {
  EXPECT_THAT(InReply(Failure{"Internal", "no key 'x'", "testee"}),
              ElementsAre("the testee itself failed: Internal: no key 'x'"));
}

class DeclarationContentTest : public testing::Test {
 protected:
  std::vector<std::string> Mistakes() const {
    static const Operations operations =
        Operations::Load({"conformance/operations.md"});
    static const Conventions conventions =
        Conventions::Load("conformance/conventions.json");
    return Said(MistakesIn(declaration_, operations, conventions));
  }

  TesteeDeclaration declaration_{.name = "mini",
                                 .implementation = "Mini 1",
                                 .language = "c++",
                                 .devices = {"CPU"},
                                 .conventions = {{"end_of_data", "drop"}},
                                 .steps = {"value.show", "value.fail"}};
};

TEST_F(DeclarationContentTest, RightDeclarationPasses) {
  EXPECT_THAT(Mistakes(), IsEmpty());
}

TEST_F(DeclarationContentTest, ChecksDeclaredSteps) {
  declaration_.steps = {"range", "value.show", "value.show"};
  EXPECT_THAT(Mistakes(),
              ElementsAre("at $.steps[0]: no document describes a step "
                          "'range'",
                          "at $.steps[2]: duplicate step 'value.show'"));
  declaration_.steps = {};
  EXPECT_THAT(Mistakes(),
              ElementsAre("at $.steps: wanted at least one step, got none"));
}

TEST_F(DeclarationContentTest, ChecksNameAndDevices) {
  declaration_.name = "My testee";
  declaration_.devices = {};
  EXPECT_THAT(
      Mistakes(),
      ElementsAre("at $.name: 'My testee' is not a name in lower snake case",
                  "at $.devices: wanted at least one device, got none"));
}

TEST_F(DeclarationContentTest, ReportsEveryWrongConvention) {
  declaration_.conventions = {{"end_of_data", "lost"}, {"no_such", "x"}};
  EXPECT_THAT(
      Mistakes(),
      ElementsAre(
          testing::StartsWith(
              "at $.conventions.end_of_data: the convention 'end_of_data' has "
              "no value 'lost', wanted one of: split, "),
          "at $.conventions.no_such: unknown convention 'no_such', not in "
          "conventions.json"));
}

}  // namespace
}  // namespace lockstep
