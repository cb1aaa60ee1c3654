// ./bazelw run //image_datasets:fetch - downloads datasets and checks them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "image_datasets/fetch_dataset.h"
#include "image_datasets/manifest.h"

namespace lockstep {
namespace {

constexpr char kDescription[] =
    "Downloads datasets and checks their content against the published "
    "hashes.\n"
    "Keeps valid files that exist already, and resumes interrupted "
    "downloads.\n";

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //image_datasets:fetch\n"
    "      Fashion-MNIST into $LOCKSTEP_DATA_DIR or "
    "~/.cache/lockstep/datasets\n"
    "  ./bazelw run //image_datasets:fetch -- fashion_mnist mnist "
    "--data-dir=data\n"
    "  ./bazelw run //image_datasets:fetch -- mnist \\\n"
    "      --base-url=https://ossci-datasets.s3.amazonaws.com/mnist/\n"
    "  ./bazelw run //image_datasets:fetch -- mnist "
    "--base-url=file:///mnt/mirror/\n"
    "\n"
    "Exit code: 0 all files exist and are valid, 1 some are not, 2 wrong "
    "usage.\n";

struct Options {
  std::vector<std::string> datasets = {"fashion_mnist"};
  FetchOptions fetch;
};

// Returns the exit status if the program should end.
std::optional<int> ParseOptions(int argc, char** argv, Options& options) {
  CLI::App app{kDescription, "fetch"};
  app.footer(kExamples);
  std::vector<std::string> names;
  for (const ManifestEntry& entry : Manifest()) names.push_back(entry.name);
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

int Main(int argc, char** argv) {
  EnterUsersFolder();
  Options options;
  if (const auto status = ParseOptions(argc, argv, options)) return *status;
  int failures = 0;
  for (const std::string& name : options.datasets) {
    failures += FetchAll(FindDataset(name), options.fetch);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  return lockstep::RunProgram([&] { return lockstep::Main(argc, argv); });
}
