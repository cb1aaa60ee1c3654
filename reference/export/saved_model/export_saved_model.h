// Exports models as SavedModels, which TensorFlow can load, serve and train.
//
//   ExportSavedModel(model, "exported");
//
//   loaded = tf.saved_model.load("exported")          # in Python
//   loaded.serve(images)                              # or with the signature:
//   loaded.signatures["serving_default"](image=images)["logits"]
//   loaded.trainable_variables                        # as Keras' export has it
//
// The folder has assets/, fingerprint.pb, saved_model.pb and variables/. The
// function is for inference: a Dropout does nothing, a BatchNormalization uses the
// moving averages. Arguments have the names of the Input layers, results the names
// of the layers that return them, and the types of typed Inputs, else float32. A
// variable with a copy on each replica is one value. The vocabularies of lookups are
// in saved_model.pb. REQUIRES: cross-replica context.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_EXPORT_SAVED_MODEL_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_EXPORT_SAVED_MODEL_H_

#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

// Replaces the folder atomically. If the process is killed, it may leave a folder
// named <folder>.tmp-<pid>.
// Errors: InvalidArgument if `model` is not a Sequential or functional model, or
// there is a file named `folder`; FailedPrecondition if the model has no weights, or
// a layer no vocabulary or boundaries yet;
// Unimplemented for a layer class or dtype policy that cannot be exported (only
// float32 can); as AtomicFile.
void ExportSavedModel(const Layer& model, const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_EXPORT_SAVED_MODEL_H_
