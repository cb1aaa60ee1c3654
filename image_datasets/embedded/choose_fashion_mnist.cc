#include "image_datasets/embedded/choose_fashion_mnist.h"

#include <filesystem>
#include <memory>
#include <string>

#include "image_datasets/image_manifest.h"
#include "image_datasets/load_images.h"
#include "reference/base/error.h"
#include "tools/cpp/runfiles/runfiles.h"

namespace lockstep {
namespace {

// The folder of `file`, a runfile of this program.
std::string FolderOfRunfile(const std::string& file) {
  using bazel::tools::cpp::runfiles::Runfiles;
  std::string problem;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(program, &problem));
  if (!runfiles) {
    throw NotFound("[LoadEmbedded] {} has no runfiles: {}", program, problem);
  }
  const std::filesystem::path path = runfiles->Rlocation("lockstep/" + file);
  return path.parent_path();
}

}  // namespace

ImageData LoadEmbeddedFashionMnist() {
  const ManifestEntry& entry = FindImageDataset("embedded_fashion_mnist");
  return LoadImages(entry,
                    FolderOfRunfile("image_datasets/embedded/" +
                                    entry.files[kTrainImages].name + ".gz"));
}

ChosenImages ChooseFashionMnist(std::string_view which,
                                const LoadOptions& options) {
  if (which != "auto" && which != "full" && which != "embedded") {
    throw InvalidArgument(
        "[ChooseFashionMnist] wanted auto, full or embedded, got '{}'", which);
  }
  if (which != "embedded") {
    try {
      return {LoadFashionMnist(options), "full"};
    } catch (const Error& error) {
      if (which == "full" || error.code() != Code::kNotFound) throw;
    }
  }
  return {LoadEmbeddedFashionMnist(), "embedded"};
}

}  // namespace lockstep
