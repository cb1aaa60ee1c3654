#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "reference/base/error.h"
#include "reference/base/file_testing.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string json;
  int epochs = 10;
  uint64_t seed = 42;
  double l2 = 0;
  double deadline = 1;
  std::vector<int> replicas = {1};
};

struct Parsed {
  Options options;
  std::optional<int> status;
  std::string complaint;
};

Parsed Parse(std::vector<const char*> arguments) {
  Parsed parsed;
  Options& options = parsed.options;
  CLI::App app("Trains.", "train");
  app.add_option("--json", options.json);
  app.add_option("--epochs", options.epochs)->check(WholeNumber(1, 1000));
  app.add_option("--seed", options.seed)->check(WholeNumber<uint64_t>());
  app.add_option("--l2", options.l2)->check(RealNumber(0, 1));
  app.add_option("--deadline", options.deadline)->check(RealNumber(0.001, 1e6));
  app.add_option("--replicas", options.replicas)
      ->delimiter(',')
      ->check(WholeNumber(1, 256));
  arguments.insert(arguments.begin(), "train");
  testing::internal::CaptureStderr();
  parsed.status = ParseCommandLine(
      app, static_cast<int>(arguments.size()), arguments.data(), [&] {
        if (options.epochs == 7)
          throw CLI::ValidationError("--epochs", "not 7");
      });
  parsed.complaint = testing::internal::GetCapturedStderr();
  return parsed;
}

void ExpectRefused(const std::vector<const char*>& arguments,
                   const std::string& words) {
  const Parsed parsed = Parse(arguments);
  EXPECT_EQ(parsed.status, 2) << words;
  EXPECT_NE(parsed.complaint.find(words), std::string::npos)
      << "wanted '" << words << "' in: " << parsed.complaint;
}

TEST(CommandLineTest, AcceptsValidOptions) {
  const Parsed parsed =
      Parse({"--json=r.json", "--epochs=3", "--seed=18446744073709551615",
             "--l2=1e-4", "--deadline=0.5", "--replicas=1,2"});
  EXPECT_EQ(parsed.status, std::nullopt) << parsed.complaint;
  EXPECT_EQ(parsed.options.json, "r.json");
  EXPECT_EQ(parsed.options.epochs, 3);
  EXPECT_EQ(parsed.options.seed, 18446744073709551615u);
  EXPECT_EQ(parsed.options.l2, 1e-4);
  EXPECT_EQ(parsed.options.deadline, 0.5);
  EXPECT_EQ(parsed.options.replicas, (std::vector<int>{1, 2}));
}

TEST(CommandLineTest, OptionsDoNotTakeTheNextAsValue) {
  ExpectRefused({"--json=", "--epochs=1"}, "--json: has no value");
  ExpectRefused({"--epochs=1", "--json="}, "--json: has no value");
  ExpectRefused({"--json", ""}, "--json: has no value");
  EXPECT_EQ(Parse({"--json=a="}).options.json, "a=");
}

TEST(CommandLineTest, ReadsWholeNumbersAsWritten) {
  for (const char* wrong :
       {"--seed=-1", "--seed=18446744073709551616", "--seed=1.5", "--seed=0x10",
        "--seed=+1", "--seed=1 ", "--seed=042", "--seed=nan"}) {
    ExpectRefused({wrong},
                  "wanted a whole number from 0 to 18446744073709551615");
  }
  for (const char* wrong : {"--epochs=0", "--epochs=1001", "--epochs=010",
                            "--epochs=99999999999999999999"}) {
    ExpectRefused({wrong},
                  "--epochs: wanted a whole number from 1 to 1000, got");
  }
  ExpectRefused({"--replicas=1,-2"}, "from 1 to 256, got '-2'");
}

TEST(CommandLineTest, ReadsRealNumbers) {
  for (const char* wrong : {"--l2=nan", "--l2=-nan", "--l2=inf", "--l2=1.01",
                            "--l2=-0.1", "--l2=x", "--l2=1e999"}) {
    ExpectRefused({wrong}, "--l2: wanted a number from 0 to 1, got");
  }
  for (const char* wrong :
       {"--deadline=0", "--deadline=-1", "--deadline=inf", "--deadline=nan"}) {
    ExpectRefused({wrong},
                  "--deadline: wanted a number from 0.001 to 1000000, got");
  }
}

TEST(CommandLineTest, OptionsAreCheckedTogether) {
  ExpectRefused({"--epochs=7"}, "--epochs: not 7");
}

TEST(CommandLineTest, HelpExitsWithZero) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Parse({"--help"}).status, 0);
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_NE(help.find("1 to 1000"), std::string::npos) << help;
}

TEST(RunProgramTest, ExceptionPrintsALine) {
  testing::internal::CaptureStderr();
  const auto fail = []() -> int { throw NotFound("[Test] no such thing"); };
  EXPECT_EQ(RunProgram(fail), 1);
  EXPECT_EQ(RunProgram(fail, /*failed=*/2), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "[Test] no such thing\n[Test] no such thing\n");
  EXPECT_EQ(RunProgram([] { return 130; }), 130);
}

// Exits with RunProgram's status over `body`, with `stdout_path` for stdout.
void ExitOver(const std::string& stdout_path,
              const std::function<int()>& body) {
  const int descriptor =
      open(stdout_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  dup2(descriptor, STDOUT_FILENO);
  std::exit(RunProgram(body));
}

TEST(RunProgramDeathTest, FullStdoutFailsAfterTheWork) {
  const auto work = [] {
    for (int i = 0; i < 10'000; ++i) Print("line {}\n", i);
    std::fputs("worked, ", stderr);
    return 0;
  };
  EXPECT_EXIT(ExitOver("/dev/full", work), testing::ExitedWithCode(1),
              "worked, .*not all that was printed arrived");
  EXPECT_EXIT(ExitOver("/dev/full",
                       [] {
                         Print("x");
                         return 0;
                       }),
              testing::ExitedWithCode(1), "No space left");
  EXPECT_EXIT(ExitOver("/dev/full",
                       [] {
                         Print("x");
                         return 130;
                       }),
              testing::ExitedWithCode(130), "No space left");
  EXPECT_EXIT(ExitOver("/dev/null", work), testing::ExitedWithCode(0),
              "^worked, $");
}

TEST(RunProgramDeathTest, SurvivesClosedPipesAndSizeLimits) {
  const auto into_closed_pipe = [] {
    int ends[2];
    if (pipe(ends) != 0) return 3;
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    Print("x");
    std::fflush(stdout);
    std::fputs("worked, ", stderr);
    return 0;
  };
  EXPECT_EXIT(std::exit(RunProgram(into_closed_pipe)),
              testing::ExitedWithCode(1), "worked, .*RunProgram");
  const TestFolder folder;
  const auto over_the_limit = [] {
    const rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Print("{}", std::string(1001, 'x'));
    return 0;
  };
  EXPECT_EXIT(ExitOver(folder / "out", over_the_limit),
              testing::ExitedWithCode(1), "File too large");
}

TEST(UsersFoldersTest, ResultsFolderIsInTheCheckout) {
  unsetenv("BUILD_WORKSPACE_DIRECTORY");
  EXPECT_EQ(ResultsFolder(), "results");
  setenv("BUILD_WORKSPACE_DIRECTORY", "/tmp/tree", 1);
  EXPECT_EQ(ResultsFolder(), "/tmp/tree/results");
  unsetenv("BUILD_WORKSPACE_DIRECTORY");
}

TEST(UsersFoldersTest, UsesBazelsWorkingDirectory) {
  const TestFolder folder;
  const fs::path before = fs::current_path();
  unsetenv("BUILD_WORKING_DIRECTORY");
  EnterUsersFolder();
  EXPECT_EQ(fs::current_path(), before);
  setenv("BUILD_WORKING_DIRECTORY", folder.path().c_str(), 1);
  EnterUsersFolder();
  EXPECT_TRUE(fs::equivalent(fs::current_path(), folder.path()));
  unsetenv("BUILD_WORKING_DIRECTORY");
  fs::current_path(before);
}

}  // namespace
}  // namespace lockstep
