#include "reference/export/keras/keras_weights.h"

#include "reference/base/files/file_bytes.h"
#include "reference/export/keras/archive.h"
#include "reference/export/keras/weights_image.h"

namespace lockstep {

using export_internal::ReadFileBytes;

void SaveKerasWeights(const std::string& path, const Layer& model,
                      const Optimizer* optimizer) {
  export_internal::WriteFileBytes(
      path, export_internal::EncodeWeights(model.impl(), optimizer));
}

void LoadKerasWeights(const std::string& path, const Layer& model,
                      Optimizer* optimizer) {
  std::string bytes = ReadFileBytes(path);
  if (export_internal::IsArchive(bytes)) {
    bytes = export_internal::KerasArchive(bytes, path).weights();
  }
  export_internal::DecodeWeights(bytes, path, model.impl(), optimizer);
}

}  // namespace lockstep
