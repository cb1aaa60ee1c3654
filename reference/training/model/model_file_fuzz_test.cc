// For any bytes, a .keras file, its weights and its config are read or refused with
// an Error. The input is used as the whole file, as weights with a valid config, as
// a config with valid weights, and as a vocabulary.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/fuzzing/fuzzed_files.h"
#include "reference/export/keras/archive.h"
#include "reference/export/keras/weights_image.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/model_impl.h"
#include "reference/layers/typed_input.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/training/model/model_file.h"

namespace {

using namespace lockstep;                   // NOLINT: a test
using namespace lockstep::export_internal;  // NOLINT: of this folder

std::string Path() { return FuzzedFile("fuzzed.keras"); }

void LoadBytes(const std::string& bytes) {
  WriteFuzzed(Path(), bytes);
  AllowErrors([] { LoadModel(Path()); });
}

// A model of words, with the input as its vocabulary.
void LoadVocabulary(const std::string& vocabulary) {
  static const Layer model = [] {
    const StringLookup lookup({.max_tokens = 5});
    lookup.SetVocabulary({"a", "b"});
    return MakeLayer<SequentialImpl>(
        std::vector<Layer>{Input({2}, DType::kString), lookup}, "model");
  }();
  static const std::string config = LayerObject(model.impl()).dump();
  static const std::string weights = EncodeWeights(model.impl(), nullptr);
  LoadBytes(KerasArchive::Pack(
      "{}", config, weights,
      {{"assets/layers/string_lookup/vocabulary.txt", vocabulary}}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Layer model = MakeLayer<SequentialImpl>(
      std::vector<Layer>{Input({2}), Dense(3)}, "model");
  static const std::string config = LayerObject(model.impl()).dump();
  static const std::string weights = EncodeWeights(model.impl(), nullptr);
  const std::string input(reinterpret_cast<const char*>(data), size);
  LoadBytes(input);
  LoadBytes(KerasArchive::Pack("{}", config, input));
  LoadBytes(KerasArchive::Pack("{}", input, weights));
  LoadVocabulary(input);
  return 0;
}
