// The main function of a test program whose processes are workers: it starts
// itself three times with mpirun, and these run the same tests together.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "reference/collectives/mpi/mpi_testing.h"
#include "reference/collectives/mpi/mpirun_testing.h"

namespace lockstep {
namespace {

int RunUnderMpirun(int argc, char** argv) {
  std::vector<std::string> words =
      MpirunArguments(3, argv[0], {argv + 1, argv + argc});
  words.insert(words.begin(), "env");
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  execv("/usr/bin/env", raw.data());
  std::perror("/usr/bin/env");
  return 2;
}

int RunTests(int argc, char** argv) {
  // One process writes the report.
  if (std::getenv("OMPI_COMM_WORLD_RANK") != std::string_view("0")) {
    unsetenv("XML_OUTPUT_FILE");
  }
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  LeaveJob();
  return failed;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const bool started = std::getenv("OMPI_COMM_WORLD_RANK") != nullptr;
  return started ? lockstep::RunTests(argc, argv)
                 : lockstep::RunUnderMpirun(argc, argv);
}
