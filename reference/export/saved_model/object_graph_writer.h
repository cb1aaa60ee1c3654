// Writes a SavedModel's object graph: its objects and functions.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_OBJECT_GRAPH_WRITER_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_OBJECT_GRAPH_WRITER_H_

#include <string>

#include "reference/checkpoint/object_graph.h"
#include "reference/export/saved_model/model_function.h"
#include "reference/export/saved_model/saved_model.pb.h"

namespace lockstep::export_internal {

inline constexpr char kSignatureFunction[] = "__inference_signature_wrapper_1";
inline constexpr char kServeFunction[] = "__inference_serve_2";

// The interface of the signature, whose dictionaries are sorted by key.
ModelInterface SortedByName(ModelInterface interface);

// Writes the checkpoint's objects, with the same numbers, then the tables, the
// signature, which takes arguments by name, and "serve", which takes them by
// position.
saved_model::SavedObjectGraph WriteObjectGraph(
    const checkpoint_internal::ObjectGraph& objects,
    const ModelInterface& interface, const ModelResources& resources);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_OBJECT_GRAPH_WRITER_H_
