// The probe finds no mistake in a correct testee, and the mistake of each
// miniature.
#include "conformance/runner/probe/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/cases/case_selection.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;

struct Probed {
  bool is_right;
  std::string text;
};

Probed ProbeCommand(const ConversationOptions& options) {
  static const CaseLoader loader = CaseLoader::OfFolder("conformance");
  static const std::vector<const Case*> cases = SelectCases(loader.cases(), {});
  std::ostringstream out;
  const bool is_right = ProbeTestee(options,
                                    {.cases = cases,
                                     .operations = loader.operations(),
                                     .conventions = loader.conventions()},
                                    out);
  return {is_right, out.str()};
}

// The words that start a testee of the miniatures.
std::vector<std::string> Python(const std::string& file,
                                const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"/usr/bin/python3", "-S",
                                    "conformance/testees/miniatures/" + file};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

TEST(ProbeTest, MinimalTesteeIsRight) {
  const Probed probed = ProbeCommand({.command = Python("minimal.py", {})});
  EXPECT_TRUE(probed.is_right);
  for (const char* line :
       {"ok     minimal: Minimal 1, from python, on CPU\n",
        "ok     the same program again, with seq 1000000: the same reply\n",
        "ok     a step that does not exist: unsupported\n",
        "ok     a step that fails: its class and its name\n",
        "ok     stop: ended with status 0\n",
        "ok     unknown command: ended with status 1\n",
        "ok     end of input: ended with status 1\n"}) {
    EXPECT_THAT(probed.text, HasSubstr(line));
  }
  EXPECT_THAT(probed.text, EndsWith(", 0 wrong\n"));
}

TEST(ProbeTest, VerboseShowsEveryLine) {
  const Probed probed =
      ProbeCommand({.command = Python("minimal.py", {}), .verbose = true});
  for (const char* line :
       {R"(-> {"cmd":"start","version":1})",
        R"(<- {"version": 1, "name": "minimal")", R"(-> {"cmd":"stop"})"}) {
    EXPECT_THAT(probed.text, HasSubstr(line));
  }
}

TEST(ProbeTest, ShowsUnfinishedLine) {
  const Probed probed =
      ProbeCommand({.command = {"sh", "-c", "printf '{\"version\": 1'"}});
  EXPECT_FALSE(probed.is_right);
  EXPECT_THAT(probed.text, HasSubstr("start: it ended with status 0\n"));
  EXPECT_THAT(probed.text, HasSubstr("said   {\"version\": 1\n"));
  EXPECT_THAT(probed.text, HasSubstr("next   write each message as one line"));
}

// A miniature's mode, and what the probe says of it.
struct Miniature {
  std::string mode;
  std::vector<std::string> texts;
  milliseconds deadline{20'000};
  milliseconds start_deadline{20'000};
};

void PrintTo(const Miniature& miniature, std::ostream* out) {
  *out << miniature.mode;
}

class MiniatureTest : public testing::TestWithParam<Miniature> {};

TEST_P(MiniatureTest, ReportsItsMistake) {
  setenv("TROUBLE", "", 1);  // in every program
  const Miniature& miniature = GetParam();
  const Probed probed =
      ProbeCommand({.command = Python("miniature.py", {miniature.mode}),
                    .start_deadline = miniature.start_deadline,
                    .deadline = miniature.deadline,
                    .limits = {.output = miniature.mode == "floods_stderr"
                                             ? int64_t{1} << 20
                                             : ProcessLimits::kNone}});
  EXPECT_FALSE(probed.is_right) << probed.text;
  for (const std::string& text : miniature.texts) {
    EXPECT_THAT(probed.text, HasSubstr(text));
  }
}

std::string ModeOf(const testing::TestParamInfo<Miniature>& info) {
  return info.param.mode;
}

constexpr milliseconds kSoon{300};

INSTANTIATE_TEST_SUITE_P(
    AtItsStart, MiniatureTest,
    testing::Values(
        Miniature{"dies_at_start",
                  {"start: it ended with status 1", "stderr no such device"}},
        Miniature{"is_silent_at_start",
                  {"start: no answer in 0.5 s"},
                  kSoon,
                  milliseconds{500}},
        Miniature{"babbles_at_start",
                  {"start: the line is not JSON", "said   Welcome!",
                   "next   print nothing but messages to stdout"}},
        Miniature{"declares_twice", {"start: an unexpected line"}},
        Miniature{"declares_too_little",
                  {"the field 'implementation' is missing",
                   "the field 'steps' is missing", "5 wrong"}},
        Miniature{"changes_its_mind",
                  {"its declaration differs from that of its first start"}},
        Miniature{"declares_nonsense",
                  {"no document describes a step 'value.no_such'",
                   "at $.conventions.no_such: unknown convention",
                   "at $.conventions.end_of_data: the convention 'end_of_data' "
                   "has no value 'lost', wanted one of: split, "}}),
    ModeOf);

INSTANTIATE_TEST_SUITE_P(
    InAProgram, MiniatureTest,
    testing::Values(
        Miniature{"exits", {"it ended with status 4", "stderr last words"}},
        Miniature{"dies_by_signal", {"it was killed by SIGSEGV"}},
        Miniature{"is_silent", {"no answer in 0.3 s"}, kSoon},
        Miniature{"babbles_before",
                  {"the line is not JSON", "said   Epoch 1/10"}},
        Miniature{"babbles_after", {"an unexpected line", "said   Epoch 1/10"}},
        Miniature{"answers_twice", {"an unexpected line"}},
        Miniature{"lies_about_seq",
                  {"at $.seq: 0, but the program came with 1"}},
        Miniature{"never_ends_a_line",
                  {"the line has more than 16777216 bytes"}},
        Miniature{"writes_too_large_a_number", {"'1e400'"}},
        Miniature{"says_a_field_twice", {"duplicate field 'observations'"}},
        Miniature{"writes_nan",
                  {"the line is not JSON", "is a text such as \"NaN\""}},
        Miniature{"observes_more", {"no step of the program observes 'extra'"}},
        Miniature{"observes_nothing",
                  {"is missing, though the program ran to its end"}},
        Miniature{"names_no_error_class",
                  {"at $.error.class: unknown error class 'ValueError'"}},
        Miniature{"names_another_step",
                  {"the program has no step 'value.other'"}},
        Miniature{"lacks_what_it_declares",
                  {"a declared step: only right if just these"}},
        Miniature{"floods_stderr", {"it uses too much output (--output)"}},
        Miniature{
            "closes_stdout", {"it closed its stdout but still runs"}, kSoon}),
    ModeOf);

INSTANTIATE_TEST_SUITE_P(
    UnsupportedAndFailingSteps, MiniatureTest,
    testing::Values(Miniature{
        "fakes_every_step",
        {"unknown step: wanted unsupported, got",
         "failing step: wanted the error InvalidArgument at value.fail, got"}}),
    ModeOf);

INSTANTIATE_TEST_SUITE_P(
    AtItsEnd, MiniatureTest,
    testing::Values(
        Miniature{"keeps_running", {"stop: it still runs"}, milliseconds{1500}},
        Miniature{"fails_to_stop", {"stop: it ended with status 7"}},
        Miniature{"says_goodbye", {"stop: an unexpected line"}},
        Miniature{"takes_any_command",
                  {"unknown command: it still runs"},
                  milliseconds{1500}}),
    ModeOf);

}  // namespace
}  // namespace lockstep
