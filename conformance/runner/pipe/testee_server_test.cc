#include "conformance/runner/pipe/testee_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "conformance/runner/miniature_testee.h"

namespace lockstep {
namespace {

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
    return ServeTestee(testee, in, reply, complaints_);
  }

  std::vector<std::string> replies_;
  std::ostringstream complaints_;
};

constexpr const char* kRun =
    R"({"cmd": "run", "seq": 4, "case": "a/b/c",)"
    R"( "given": {"strategy": "default"}, "program": [{"step": "data.x"}]})"
    "\n";
constexpr const char* kStop = "{\"cmd\": \"stop\"}\n";

TEST_F(TesteeServerTest, AnswersUntilItIsStopped) {
  EXPECT_EQ(Serve("{\"cmd\": \"start\", \"version\": 1}\n" + std::string(kRun) +
                  kStop + kRun),
            0);
  EXPECT_THAT(replies_, ElementsAre(HasSubstr(R"("name":"miniature")"),
                                    R"({"seq":4,"observations":{"x":1}})"));
  EXPECT_EQ(complaints_.str(), "");
}

TEST_F(TesteeServerTest, AnExceptionIsAnInternalError) {
  const auto throws = [](const Request&) -> Answer {
    throw std::runtime_error("broken");
  };
  EXPECT_EQ(Serve(std::string(kRun) + kStop, throws), 0);
  EXPECT_THAT(replies_,
              ElementsAre(R"({"seq":4,"error":{"class":"Internal",)"
                          R"("message":"broken","at_step":"testee"}})"));
}

TEST_F(TesteeServerTest, EndsWithAWordAtWhatIsNoCommand) {
  EXPECT_EQ(Serve(std::string("{\"cmd\": \"jump\"}\n") + kRun), 1);
  EXPECT_THAT(complaints_.str(), HasSubstr("unknown command 'jump'"));
  EXPECT_TRUE(replies_.empty());
}

TEST_F(TesteeServerTest, EndsWithAWordWhenTheRunnerIsGone) {
  EXPECT_EQ(Serve(kRun), 1);
  EXPECT_THAT(complaints_.str(), HasSubstr("wanted stop, got the end"));
}

}  // namespace
}  // namespace lockstep
