// Each way to misbehave has its verdict, spoils no other case and leaves no
// process after.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "conformance/runner/pipe/pipe_testee.h"
#include "conformance/runner/verdicts/run_case.h"
#include "conformance/runner/verdicts/run_cases.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono_literals::operator""s;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// Of those that miss one: long enough for an honest answer on a busy machine.
const PipeTesteeOptions kShort{.start_deadline = milliseconds(10'000),
                               .case_deadline = milliseconds(1'500),
                               .stop_grace = milliseconds(200)};
// Of the others: never reached.
const PipeTesteeOptions kLong{.start_deadline = milliseconds(60'000),
                              .case_deadline = milliseconds(60'000),
                              .stop_grace = milliseconds(10'000)};

Case MakeCase(const std::string& id) {
  Expectation expectation;
  expectation.observation = "x";
  expectation.value = {1, 2};
  return {.id = id,
          .topic = "Numbers",
          .level = Level::kRequired,
          .states = "Numbers count.",
          .cites = {{"guide", "split"}},
          .given = {{"strategy", "default"}},
          .program = {{{"let", id.substr(id.rfind('/') + 1)},
                       {"observe", "x"},
                       {"step", "value.constant"},
                       {"value", {1, 2}}}},
          .expect = {expectation}};
}

// A zombie that is not reaped yet does not run.
bool Runs(pid_t process) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + std::to_string(process) + "/stat").rdbuf();
  const size_t name_end = text.str().rfind(')');
  return name_end != std::string::npos && text.str()[name_end + 2] != 'Z';
}

struct Suite {
  std::vector<std::string> verdicts;  // of the case before, in trouble, after
  std::string answer;                 // in trouble
  std::string stderr_tail;
  size_t processes;  // as many were started
};

class MiniaturesTest : public testing::Test {
 protected:
  MiniaturesTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info->name();
    std::ranges::replace(name, '/', '-');  // of a test with parameters
    file_ = std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
    std::filesystem::remove(file_);
  }

  std::vector<std::string> Command(const std::string& mode) const {
    const std::string folder = "conformance/testees/miniatures/";
    if (mode == "honest") {
      return {"/usr/bin/python3", "-S", folder + "minimal.py"};
    }
    return {"/usr/bin/python3", "-S", folder + "miniature.py", mode, file_};
  }

  // What the miniatures have noted so far, and the processes of it.
  std::vector<std::string> Notes() const {
    std::ifstream file(file_);
    return {std::istream_iterator<std::string>(file), {}};
  }
  std::vector<pid_t> Processes() const {
    std::vector<pid_t> processes;
    for (const std::string& note : Notes()) {
      if (note.find_first_not_of("0123456789") == std::string::npos) {
        processes.push_back(std::stoi(note));
      }
    }
    return processes;
  }

  Suite Run(const std::string& mode, const PipeTesteeOptions& options = kLong) {
    PipeTestee testee(Command(mode), options);
    const Case before = MakeCase("mini/cases/before");
    const Case trouble = MakeCase("mini/cases/trouble");
    const Case after = MakeCase("mini/cases/after");
    Suite suite;
    RunCases({&before, &trouble, &after}, {{&testee}}, {},
             [&](const CaseResult& result) {
               suite.verdicts.emplace_back(VerdictName(result.verdict));
               if (result.conformance_case == &trouble) {
                 suite.answer = DescribeAnswer(result.runs[0].answer);
                 suite.stderr_tail = StderrTailOf(result.runs[0].answer);
               }
             });
    const std::vector<pid_t> processes = Processes();
    suite.processes = processes.size();
    EXPECT_THAT(processes, Each(testing::ResultOf(Runs, false)));
    return suite;
  }

  std::string file_;
};

// The case in trouble has `verdict`, and its neighbours passed.
void ExpectOnlyTrouble(const Suite& suite, const char* verdict) {
  EXPECT_THAT(suite.verdicts, ElementsAre("passed", verdict, "passed"));
}

TEST_F(MiniaturesTest, CorrectTesteePasses) {
  EXPECT_THAT(Run("honest").verdicts, Each("passed"));
}

TEST_F(MiniaturesTest, AlwaysWrongFails) {
  const Suite suite = Run("always_wrong");
  ExpectOnlyTrouble(suite, "failed");
  EXPECT_EQ(suite.processes, 1u) << "no reason for a fresh one";
}

TEST_F(MiniaturesTest, LateAnswerTimesOut) {
  const Suite suite = Run("slow", kShort);
  ExpectOnlyTrouble(suite, "timed_out");
  EXPECT_EQ(suite.answer, "no answer in 1.5 s");
  EXPECT_EQ(suite.processes, 2u);
}

TEST_F(MiniaturesTest, SilenceTimesOut) {
  ExpectOnlyTrouble(Run("is_silent", kShort), "timed_out");
}

TEST_F(MiniaturesTest, ExitIsACrashWithStderr) {
  const Suite suite = Run("exits");
  ExpectOnlyTrouble(suite, "crashed");
  EXPECT_EQ(suite.answer, "crashed by exit status 4");
  EXPECT_EQ(suite.stderr_tail, "last words\n");
  EXPECT_EQ(suite.processes, 2u);
}

TEST_F(MiniaturesTest, CrashNamesSignal) {
  const Suite suite = Run("dies_by_signal");
  ExpectOnlyTrouble(suite, "crashed");
  EXPECT_EQ(suite.answer, "crashed by SIGSEGV");
  EXPECT_EQ(suite.stderr_tail, "last words\n");
}

TEST_F(MiniaturesTest, EndAfterAnswerIsACrashOfThatCase) {
  const Suite suite = Run("exits_after_the_answer");
  ExpectOnlyTrouble(suite, "crashed");
  EXPECT_EQ(suite.answer, "crashed by exit status 4");
  EXPECT_EQ(suite.processes, 2u);
}

class ProtocolErrorTest
    : public MiniaturesTest,
      public testing::WithParamInterface<std::pair<const char*, const char*>> {
};

TEST_P(ProtocolErrorTest, AffectsItsOwnCaseOnly) {
  const auto [mode, what] = GetParam();
  const Suite suite = Run(mode);
  ExpectOnlyTrouble(suite, "protocol_error");
  EXPECT_THAT(suite.answer, HasSubstr(what));
  EXPECT_GE(suite.processes, 2u);
}

INSTANTIATE_TEST_SUITE_P(
    Miniatures, ProtocolErrorTest,
    testing::Values(
        std::pair("babbles_before", "it said Epoch 1/10"),
        std::pair("babbles_after", "Epoch 1/10"),
        std::pair("answers_twice", "\"seq\": 2"),
        std::pair("lies_about_seq",
                  "wanted the reply to seq 3, got {\"seq\": 2"),
        std::pair("never_ends_a_line", "a line of more than 16777216 bytes"),
        std::pair("writes_nan", "reply is not JSON"),
        std::pair("writes_too_large_a_number", "number overflow"),
        std::pair("says_a_field_twice", "duplicate field 'observations'"),
        std::pair("observes_more",
                  "$.extra: no step of the program observes it"),
        std::pair("names_no_error_class", "unknown error class 'ValueError'"),
        std::pair("closes_stdout", "closed its stdout but still runs")),
    [](const auto& info) { return std::string(info.param.first); });

// Every case has the verdict, and no more than three starts were tried.
void ExpectNoCase(const Suite& suite, const char* verdict) {
  EXPECT_THAT(suite.verdicts, ElementsAre(verdict, verdict, verdict));
  EXPECT_EQ(suite.processes, 3u);
}

TEST_F(MiniaturesTest, EndAtStartIsACrashOfEveryCase) {
  const Suite suite = Run("dies_at_start");
  ExpectNoCase(suite, "crashed");
  EXPECT_EQ(suite.answer, "crashed by exit status 1");
  EXPECT_EQ(suite.stderr_tail, "no such device\n");
}

TEST_F(MiniaturesTest, SilenceAtStartTimesOut) {
  const Suite suite =
      Run("is_silent_at_start", {.start_deadline = milliseconds(300),
                                 .case_deadline = milliseconds(60'000),
                                 .stop_grace = milliseconds(200)});
  EXPECT_THAT(suite.verdicts, Each("timed_out"));
  EXPECT_EQ(suite.answer, "no answer in 0.3 s");
}

TEST_F(MiniaturesTest, OutputAtStartIsAProtocolError) {
  const Suite suite = Run("babbles_at_start");
  ExpectNoCase(suite, "protocol_error");
  EXPECT_THAT(suite.answer, HasSubstr("declaration is not JSON"));
  EXPECT_THAT(suite.answer, HasSubstr("it said Welcome!"));
}

TEST_F(MiniaturesTest, LongNameIsAProtocolError) {
  const Suite suite = Run("declares_a_long_name");
  ExpectNoCase(suite, "protocol_error");
  EXPECT_THAT(suite.answer,
              HasSubstr("wanted a name of at most 100 bytes, got 30000"));
}

TEST_F(MiniaturesTest, TakingTooMuchMemoryIsACrash) {
  PipeTesteeOptions options = kLong;
  options.limits.memory = int64_t{256} << 20;
  const Suite suite = Run("takes_all_memory", options);
  ExpectOnlyTrouble(suite, "crashed");
  EXPECT_EQ(suite.answer, "crashed by SIGKILL for too much memory (--memory)");
  EXPECT_EQ(suite.processes, 2u);
}

TEST_F(MiniaturesTest, TooManyProcessesAreACrash) {
  PipeTesteeOptions options = kLong;
  options.limits.processes = 20;
  const Suite suite = Run("starts_too_many", options);
  ExpectOnlyTrouble(suite, "crashed");
  EXPECT_EQ(suite.answer,
            "crashed by SIGKILL for too many processes (--processes)");
  EXPECT_GE(suite.processes, 20u) << "Run has seen that none of them runs";
}

TEST_F(MiniaturesTest, TooMuchOutputIsACrash) {
  PipeTesteeOptions options = kLong;
  options.limits.output = int64_t{4} << 20;
  for (const auto& [mode, by] :
       {std::pair("floods_stderr", "SIGKILL for too much output (--output)"),
        std::pair("fills_its_folder", "SIGKILL for too much output (--output)"),
        std::pair("hides_files_deep", "SIGKILL for too much output (--output)"),
        std::pair("starts_many_empty_files",
                  "SIGKILL for too much output (--output)"),
        std::pair("writes_too_large_a_file",
                  "SIGXFSZ for too large a file (--output)")}) {
    const Suite suite = Run(mode, options);
    ExpectOnlyTrouble(suite, "crashed");
    EXPECT_EQ(suite.answer, std::string("crashed by ") + by) << mode;
  }
}

TEST_F(MiniaturesTest, InterruptionEndsItAtOnce) {
  for (const char* mode : {"is_silent", "is_silent_at_start"}) {
    std::filesystem::remove(file_);
    PipeTesteeOptions options = kLong;
    const auto start = steady_clock::now();
    options.interrupted = [this] {
      return std::ranges::count(Notes(), "silent") > 0;
    };
    PipeTestee testee(Command(mode), options);
    const Case trouble = MakeCase("mini/cases/trouble");
    int results = 0;
    EXPECT_FALSE(RunCases({&trouble}, {{&testee}}, {},
                          [&](const CaseResult&) { ++results; }));
    EXPECT_EQ(results, 0);
    EXPECT_LT(steady_clock::now() - start, 30s);  // the deadline: 60 s
    EXPECT_THAT(Processes(), ElementsAre(testing::ResultOf(Runs, false)));
  }
}

TEST_F(MiniaturesTest, RemovesTemporaryFiles) {
  EXPECT_THAT(Run("leaves_a_file").verdicts, Each("passed"));
  std::ifstream file(file_);
  std::string process, remaining;
  ASSERT_TRUE(file >> process >> remaining);
  EXPECT_THAT(remaining, HasSubstr("/lockstep-"));
  EXPECT_FALSE(
      std::filesystem::exists(std::filesystem::path(remaining).parent_path()))
      << remaining;
}

// As many folders were noted, and all are gone: at once, but for one that holds
// so much that a busy disk needs longer.
void ExpectNoneLeft(const std::vector<std::string>& notes, long folders) {
  const auto is_folder = [](const std::string& note) {
    return note.find("/lockstep-") != note.npos;
  };
  const auto is_left = [&](const std::string& note) {
    return is_folder(note) && std::filesystem::exists(note);
  };
  EXPECT_EQ(std::ranges::count_if(notes, is_folder), folders);
  const auto deadline = steady_clock::now() + 40s;
  while (std::ranges::any_of(notes, is_left) &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_THAT(notes, Each(testing::ResultOf(is_left, false)));
}

TEST_F(MiniaturesTest, EndlessFoldersDoNotBlock) {
  const auto start = steady_clock::now();
  const Suite suite = Run("nests_folders", kShort);
  EXPECT_LT(steady_clock::now() - start, 20s);
  ExpectOnlyTrouble(suite, "timed_out");
  ExpectNoneLeft(Notes(), 1);
}

TEST_F(MiniaturesTest, RemovesUnreadableFolder) {
  EXPECT_THAT(Run("locks_its_folder").verdicts, Each("passed"));
  ExpectNoneLeft(Notes(), 1);
}

TEST_F(MiniaturesTest, RemovesMovedFolder) {
  EXPECT_THAT(Run("moves_its_folder").verdicts, Each("passed"));
  ExpectNoneLeft(Notes(), 2);
}

// Run has seen that no process is left, also of those that left the group.
TEST_F(MiniaturesTest, SurvivesSignalsToTheGuard) {
  for (const char* mode : {"terminates_its_parent", "stops_its_parent"}) {
    std::filesystem::remove(file_);
    EXPECT_THAT(Run(mode).verdicts, Each("passed")) << mode;
    ExpectNoneLeft(Notes(), 1);
  }
  std::filesystem::remove(file_);
  const Suite suite = Run("kills_its_parent");
  ExpectOnlyTrouble(suite, "crashed");
  EXPECT_EQ(suite.answer, "crashed by SIGKILL");
  EXPECT_EQ(suite.processes, 3u);
  ExpectNoneLeft(Notes(), 1);
}

TEST_F(MiniaturesTest, TheLongestReplyIsJudged) {
  const auto start = steady_clock::now();
  ExpectOnlyTrouble(Run("says_all_it_may"), "failed");
  EXPECT_LT(steady_clock::now() - start, 40s);
}

TEST_F(MiniaturesTest, IncompleteDeclarationIsAProtocolError) {
  const Suite suite = Run("declares_too_little");
  ExpectNoCase(suite, "protocol_error");
  EXPECT_THAT(suite.answer, HasSubstr("the field 'implementation' is missing"));
}

TEST_F(MiniaturesTest, TwoDeclarationsAreAProtocolError) {
  EXPECT_THAT(Run("declares_twice").verdicts, Each("protocol_error"));
}

TEST_F(MiniaturesTest, DeclarationMustNotChange) {
  PipeTestee testee(Command("changes_its_mind"), kLong);
  const Case trouble = MakeCase("mini/cases/trouble");
  const Request request{
      .token = "a1b2", .given = trouble.given, .program = trouble.program};
  EXPECT_THAT(testee.Start().name, HasSubstr("minimal-"));
  testee.Stop();
  EXPECT_THAT(
      DescribeAnswer(testee.Run(request)),
      HasSubstr("its declaration differs from that of its first start"));
}

TEST_F(MiniaturesTest, WayOfStoppingDoesNotMatter) {
  const auto start = steady_clock::now();
  EXPECT_THAT(Run("keeps_running", kShort).verdicts, Each("passed"));
  EXPECT_LT(steady_clock::now() - start, 30s) << "killed after its grace";
  EXPECT_THAT(Run("fails_to_stop").verdicts, Each("passed"));
}

TEST_F(MiniaturesTest, LineAfterStopAffectsLastCase) {
  EXPECT_THAT(Run("says_goodbye").verdicts,
              ElementsAre("passed", "passed", "protocol_error"));
}

TEST_F(MiniaturesTest, GrandchildrenEndWithTheTestee) {
  const Suite suite = Run("leaves_a_grandchild");
  EXPECT_THAT(suite.verdicts, Each("passed"));
  EXPECT_EQ(suite.processes, 2u) << "Run has seen that none of them runs";
}

TEST_F(MiniaturesTest, DescendantsEndWithTheRunner) {
  const pid_t runner = fork();
  if (runner == 0) {
    PipeTestee testee(Command("leaves_a_grandchild"), kLong);
    const Case trouble = MakeCase("mini/cases/trouble");
    RunCase(trouble, testee, {});
    std::ofstream(file_ + ".ready");
    pause();
  }
  while (!std::filesystem::exists(file_ + ".ready")) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  const std::vector<pid_t> processes = Processes();
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_THAT(processes, Each(testing::ResultOf(Runs, true)));
  ASSERT_EQ(kill(runner, SIGKILL), 0);
  waitpid(runner, nullptr, 0);
  const auto deadline = steady_clock::now() + 20s;
  while (std::ranges::any_of(processes, Runs) &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_THAT(processes, Each(testing::ResultOf(Runs, false)));
}

TEST_F(MiniaturesTest, MissingCommandIsAnError) {
  PipeTestee testee({"lockstep-no-such-program"}, kLong);
  EXPECT_THROW(testee.Start(), std::exception);
}

}  // namespace
}  // namespace lockstep
