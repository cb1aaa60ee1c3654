// Named tensors in safetensors files, which Hugging Face's libraries read and
// write.
//
//   SaveSafetensors("model.safetensors", {.tensors = {{"w", w}}});
//   LoadSafetensors("model.safetensors").tensors.at("w");
//
// A file is the length of a header (8 bytes), the header, JSON that says type,
// shape and place of each tensor, and the elements, one tensor behind the
// other. It has no checksums: elements that were changed cannot be told.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAFETENSORS_SAFETENSORS_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAFETENSORS_SAFETENSORS_H_

#include <map>
#include <string>
#include <string_view>

#include "reference/layers/layer.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata = {};
};

// The file appears whole or not at all; an older one stays until then. Errors:
// Unimplemented for tensors of strings; InvalidArgument for a tensor named
// "__metadata__"; as AtomicFile.
void SaveSafetensors(const std::string& path, const Safetensors& contents);

// Errors: NotFound; DataLoss for what is damaged: tensors have to cover the
// data without holes and overlaps; Unimplemented for types of elements that no
// tensor has.
Safetensors LoadSafetensors(const std::string& path);

// A model's variables by their names, "dense/kernel"; one with a copy for each
// replica is one tensor. Errors: also FailedPrecondition for a model without
// weights yet, InvalidArgument for two variables of one name.
void SaveSafetensors(const std::string& path, const Layer& model);

// Into a model of the same names; where it fails nothing has changed. Errors:
// also NotFound for a variable that the file lacks, InvalidArgument for one
// that the model lacks, or of another shape or kind.
void LoadSafetensors(const std::string& path, const Layer& model);

namespace export_internal {

// `origin` names the file.
Safetensors DecodeSafetensors(std::string_view bytes,
                              const std::string& origin);

}  // namespace export_internal

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAFETENSORS_SAFETENSORS_H_
