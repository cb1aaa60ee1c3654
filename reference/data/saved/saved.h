// Datasets in folders, made by Dataset's functions Save and Load.
// docs/formats.md has the format.
#ifndef LOCKSTEP_REFERENCE_DATA_SAVED_SAVED_H_
#define LOCKSTEP_REFERENCE_DATA_SAVED_SAVED_H_

#include <string>

#include "reference/data/dataset_node.h"
#include "reference/data/saved/save_options.h"

namespace lockstep::data_internal {

// Reads one pass. The folder appears complete or not at all, and replaces one of
// a saved dataset.
// Errors: InvalidArgument for a number of shards below 1, an endless dataset,
// and an element that does not have the dataset's spec; FailedPrecondition for a
// folder of something else; those of the pass and of files.
void SaveElements(const DatasetNode& node, const std::string& folder,
                  const SaveOptions& options);

// The elements in the order of the pass that saved them.
// Errors: NotFound for a folder without a saved dataset, DataLoss for a damaged
// one, Unimplemented for one of a later version; when read, DataLoss for a shard
// that is missing, damaged, or another dataset's.
NodePtr MakeLoad(const std::string& folder);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SAVED_SAVED_H_
