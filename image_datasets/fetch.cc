// ./bazelw run //image_datasets:fetch - downloads datasets and checks them.
#include "command_line/program.h"
#include "dataset_files/fetch_program.h"
#include "image_datasets/image_manifest.h"

namespace lockstep {
namespace {

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
    "--base-url=file:///mnt/mirror/\n";

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using namespace lockstep;
  return RunProgram([&] {
    return RunFetchProgram(argc, argv,
                           {.manifest = ImageManifest(),
                            .default_datasets = {"fashion_mnist"},
                            .examples = kExamples});
  });
}
