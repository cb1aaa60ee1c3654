// The files of the text datasets.
#ifndef LOCKSTEP_TEXT_DATASETS_TEXT_MANIFEST_H_
#define LOCKSTEP_TEXT_DATASETS_TEXT_MANIFEST_H_

#include "dataset_files/manifest.h"

namespace lockstep {

// manifest.json, as it was compiled in.
const Manifest& TextManifest();

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_TEXT_MANIFEST_H_
