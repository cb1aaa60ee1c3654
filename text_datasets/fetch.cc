// ./bazelw run //text_datasets:fetch - downloads packages with translated
// messages and with manuals, checks and unpacks them.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "command_line/program.h"
#include "dataset_files/fetch_program.h"
#include "text_datasets/debian_mirrors.h"
#include "text_datasets/text_manifest.h"
#include "text_datasets/unpack_deb.h"

namespace lockstep {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //text_datasets:fetch\n"
    "      messages and manuals of Debian 12 into $LOCKSTEP_DATA_DIR or "
    "~/.cache/lockstep/datasets\n"
    "  ./bazelw run //text_datasets:fetch -- debian_12_manuals "
    "--data-dir=data\n"
    "  ./bazelw run //text_datasets:fetch -- --base-url=file:///mnt/debian/\n"
    "\n"
    "Packages come from the mirrors in apt's sources. Where these are not of "
    "Debian 12,\n"
    "--base-url names one that is.\n"
    "The texts are under the GPL, the LGPL and others: see "
    "text_datasets/README.md.\n";

// Each package in a folder of its own, "dpkg" for "dpkg_1.21.23_amd64.deb".
std::string UnpackAll(const ManifestEntry& entry, const std::string& folder) {
  const std::string unpacked = folder + "/unpacked";
  for (const DatasetFile& file : entry.files) {
    UnpackDeb(folder + "/" + file.name,
              unpacked + "/" + file.name.substr(0, file.name.find('_')));
  }
  return fmt::format("{}: {} packages unpacked", unpacked, entry.files.size());
}

// The packages, to be had from this system's mirrors.
Manifest FromMirrors(Manifest manifest) {
  const std::vector<std::string> mirrors = DebianMirrors();
  for (ManifestEntry& entry : manifest) entry.urls = mirrors;
  return manifest;
}

std::vector<std::string> NamesOf(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const ManifestEntry& entry : manifest) names.push_back(entry.name);
  return names;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using namespace lockstep;
  return RunProgram([&] {
    const Manifest manifest = FromMirrors(TextManifest());
    return RunFetchProgram(argc, argv,
                           {.manifest = manifest,
                            .default_datasets = NamesOf(manifest),
                            .examples = kExamples,
                            .finish = UnpackAll});
  });
}
