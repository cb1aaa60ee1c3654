// The session and the testee of docs/protocol.md follow the protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/pipe/protocol.h"
#include "conformance/runner/probe/content_check.h"
#include "conformance/runner/probe/message_check.h"
#include "conformance/runner/probe/programs.h"

namespace lockstep {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The text between the first `start` and the next `end`.
std::string Between(const std::string& text, const std::string& start,
                    const std::string& end) {
  const size_t from = text.find(start) + start.size();
  return text.substr(from, text.find(end, from) - from);
}

struct SessionLine {
  bool is_command = false;  // "->", and not "<-"
  std::string text;
};

// Lines of a message are indented further than its arrow.
std::vector<SessionLine> Session() {
  const std::string section =
      Between(Read("docs/protocol.md"), "## A session\n", "\n## ");
  std::istringstream lines(section);
  std::vector<SessionLine> session;
  for (std::string line; std::getline(lines, line);) {
    const bool is_command = line.starts_with("    -> ");
    if (is_command || line.starts_with("    <- ")) {
      session.push_back({is_command, line.substr(7)});
    } else if (line.starts_with("        ")) {
      session.back().text += line;
    }
  }
  return session;
}

class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    const MessageCheck check("conformance/schemas/pipe");
    for (const SessionLine& line : Session()) {
      if (line.is_command) {
        commands_.push_back(DecodeCommand(line.text));
      } else if (commands_.size() == 1) {
        const auto read = check.ReadDeclaration(line.text);
        declares_ = std::holds_alternative<TesteeDeclaration>(read);
      } else {
        replies_.push_back(std::get<Reply>(check.ReadReply(line.text)));
      }
    }
    for (const Command& command : commands_) {
      if (const auto* run = std::get_if<RunCommand>(&command)) {
        runs_.push_back(*run);
      }
    }
  }

  std::vector<Command> commands_;
  bool declares_ = false;
  std::vector<RunCommand> runs_;
  std::vector<Reply> replies_;
};

TEST_F(SessionTest, FollowsTheProtocol) {
  ASSERT_EQ(commands_.size(), 5u);
  EXPECT_TRUE(std::holds_alternative<StartCommand>(commands_.front()));
  EXPECT_TRUE(declares_);
  EXPECT_EQ(runs_.size(), 3u);
  EXPECT_EQ(replies_.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<StopCommand>(commands_.back()));
}

TEST_F(SessionTest, RunsBuiltInCases) {
  const CaseLoader loader = CaseLoader::OfFolder("conformance");
  for (const RunCommand& run : runs_) {
    const bool is_built_in =
        std::ranges::any_of(loader.cases(), [&](const Case& one) {
          const ProbeProgram program = ProgramOf(one);
          return program.program == run.request.program &&
                 program.given == run.request.given;
        });
    EXPECT_TRUE(is_built_in) << run.request.program.dump();
  }
}

TEST_F(SessionTest, RepliesAnswerTheirPrograms) {
  ASSERT_EQ(runs_.size(), replies_.size());
  for (size_t i = 0; i < runs_.size(); ++i) {
    EXPECT_TRUE(
        MistakesIn(replies_[i], runs_[i].seq, runs_[i].request.program).empty())
        << runs_[i].seq;
  }
}

TEST(DocumentTest, ShowsTheMinimalTestee) {
  EXPECT_EQ(Between(Read("docs/protocol.md"), "```python\n", "```"),
            Read("conformance/testees/miniatures/minimal.py"));
}

}  // namespace
}  // namespace lockstep
