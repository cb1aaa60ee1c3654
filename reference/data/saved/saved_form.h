// Specs and elements as the messages of a saved dataset.
#ifndef LOCKSTEP_REFERENCE_DATA_SAVED_SAVED_FORM_H_
#define LOCKSTEP_REFERENCE_DATA_SAVED_SAVED_FORM_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/data/saved/saved_dataset.pb.h"
#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

inline constexpr std::string_view kSpecFile = "dataset.spec";
inline constexpr int kSavedVersion = 1;

// "shard-00001-of-00003".
std::string ShardName(int64_t shard, int64_t shards);

void SpecToMessage(const SpecStructure& spec, saved::SavedSpec& message);
// Errors: DataLoss for a message that is no spec.
SpecStructure SpecFromMessage(const saved::SavedSpec& message);

void TensorToMessage(const Tensor& tensor, saved::SavedTensor& message);
// Errors: DataLoss for a message that is no tensor of the type.
Tensor TensorFromMessage(const saved::SavedTensor& message, DType dtype);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SAVED_SAVED_FORM_H_
