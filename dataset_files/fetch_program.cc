#include "dataset_files/fetch_program.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "dataset_files/fetch_dataset.h"

namespace lockstep {
namespace {

constexpr char kDescription[] =
    "Downloads datasets and checks their content against the published "
    "hashes.\n"
    "Keeps valid files that exist already, and resumes interrupted "
    "downloads.\n";

constexpr char kExitCodes[] =
    "\n"
    "Exit code: 0 all files exist and are valid, 1 some are not, 2 wrong "
    "usage.\n";

struct Options {
  std::vector<std::string> datasets;
  FetchOptions fetch;
};

// Returns the exit status if the program should end.
std::optional<int> ParseOptions(int argc, char** argv,
                                const FetchProgram& program, Options& options) {
  CLI::App app{kDescription, "fetch"};
  app.footer(program.examples + kExitCodes);
  options.datasets = program.default_datasets;
  std::vector<std::string> names;
  for (const ManifestEntry& entry : program.manifest) {
    names.push_back(entry.name);
  }
  app.add_option("datasets", options.datasets, "which datasets")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  app.add_option("--data-dir", options.fetch.data_dir,
                 "destination folder (default: see the first example)");
  app.add_option("--base-url", options.fetch.base_url,
                 "base URL to use instead of the published addresses");
  app.add_option("--attempts", options.fetch.attempts,
                 "attempts per address if a connection breaks")
      ->check(WholeNumber(1, 100))
      ->capture_default_str();
  if (const auto status = ParseCommandLine(app, argc, argv)) return status;
  if (options.fetch.data_dir.empty()) {
    options.fetch.data_dir = DefaultDataFolder();
  }
  return std::nullopt;
}

// Continues with the next file after an error; returns how many failed.
int FetchAll(const ManifestEntry& entry, const FetchOptions& options) {
  int failures = 0;
  for (const DatasetFile& file : entry.files) {
    try {
      const FetchedFile fetched = FetchFile(entry, file, options);
      Print("{}: {}\n", fetched.path,
            fetched.downloaded_bytes == 0
                ? "already there, good"
                : fmt::format("got {} bytes, good", fetched.downloaded_bytes));
    } catch (const std::exception& e) {
      ++failures;
      std::fprintf(stderr, "%s\n", e.what());
    }
  }
  return failures;
}

// The same for what is done with the files of a complete dataset.
int Finish(const ManifestEntry& entry, const FetchProgram& program,
           const FetchOptions& options) {
  if (!program.finish) return 0;
  try {
    Print("{}\n", program.finish(entry, options.data_dir + "/" + entry.name));
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

}  // namespace

int RunFetchProgram(int argc, char** argv, const FetchProgram& program) {
  EnterUsersFolder();
  Options options;
  if (const auto status = ParseOptions(argc, argv, program, options)) {
    return *status;
  }
  int failures = 0;
  for (const std::string& name : options.datasets) {
    const ManifestEntry& entry = FindDataset(program.manifest, name);
    const int missing = FetchAll(entry, options.fetch);
    failures += missing;
    if (missing == 0) failures += Finish(entry, program, options.fetch);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace lockstep
