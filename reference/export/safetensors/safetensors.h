// Named tensors in safetensors files, which Hugging Face's libraries read and
// write.
//
//   SaveSafetensors("model.safetensors", {.tensors = {{"w", w}}});
//   LoadSafetensors("model.safetensors").tensors.at("w");
//
// A file has the length of a header (8 bytes), the header (JSON with the type,
// shape and position of each tensor), and the tensors' elements. It has no
// checksums, so changed elements are not detected.
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

// Replaces the file atomically. Errors: Unimplemented for tensors of strings;
// InvalidArgument for a tensor named "__metadata__"; as AtomicFile.
void SaveSafetensors(const std::string& path, const Safetensors& contents);

// Errors: NotFound; DataLoss if the file is damaged, or its tensors do not cover
// the data without gaps and overlaps; Unimplemented for types that our tensors do
// not have.
Safetensors LoadSafetensors(const std::string& path);

// Saves a model's variables by their names, such as "dense/kernel". A variable
// with a copy on each replica is one tensor. Errors: also FailedPrecondition if
// the model is not built; InvalidArgument if two variables have the same name.
void SaveSafetensors(const std::string& path, const Layer& model);

// Loads into a model with the same names. If it fails, the model is unchanged.
// Errors: also NotFound if a variable is not in the file; InvalidArgument if a
// tensor is not in the model, or has another shape or kind.
void LoadSafetensors(const std::string& path, const Layer& model);

namespace export_internal {

// `origin` names the file.
Safetensors DecodeSafetensors(std::string_view bytes,
                              const std::string& origin);

}  // namespace export_internal

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAFETENSORS_SAFETENSORS_H_
