// Models as SavedModels, which TensorFlow loads, serves and trains on.
//
//   ExportSavedModel(model, "exported");
//
//   loaded = tf.saved_model.load("exported")          # in Python
//   loaded.serve(images)                              # or by the signature:
//   loaded.signatures["serving_default"](image=images)["logits"]
//   loaded.trainable_variables                        # as Keras' export has it
//
// The folder has assets/, fingerprint.pb, saved_model.pb and variables/. The
// function is that of inference: a Dropout passes on, a BatchNormalization takes
// the moving moments. Arguments are named by the Input layers, results by the
// layers that give them. Variables are those of a model that is not distributed:
// one value each. In cross-replica context.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_EXPORT_SAVED_MODEL_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_EXPORT_SAVED_MODEL_H_

#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

// The folder appears whole or not at all, and takes the place of an older one at
// once; a process that is killed can leave one named <folder>.tmp-<pid>.
// Errors: InvalidArgument for a layer that is no Sequential or functional model,
// and for a file of the folder's name; FailedPrecondition for a model without
// weights; Unimplemented for a layer without operations of TensorFlow here, and
// for another policy than float32; as AtomicFile.
void ExportSavedModel(const Layer& model, const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_EXPORT_SAVED_MODEL_H_
