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
  const std::string bytes = ReadFileBytes(path);
  if (!export_internal::IsArchive(bytes)) {
    return export_internal::DecodeWeights(bytes, path, model.impl(), optimizer);
  }
  const export_internal::KerasArchive archive(bytes, path);
  const export_internal::Assets assets = archive.assets();
  export_internal::DecodeWeights(archive.weights(), path, model.impl(),
                                 optimizer, &assets);
}

}  // namespace lockstep
