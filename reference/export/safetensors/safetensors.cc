#include "reference/export/safetensors/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "reference/base/atomic_file.h"
#include "reference/base/error.h"
#include "reference/base/files/file_bytes.h"
#include "reference/export/assignments.h"
#include "reference/export/safetensors/header.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

using export_internal::SafetensorsHeader;

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLargestHeader =
    100'000'000;  // as in the safetensors package

// Sorts by the size of elements, largest first, so that all are aligned, then by
// name.
SafetensorsHeader Place(const Safetensors& contents) {
  SafetensorsHeader header;
  header.metadata = contents.metadata;
  for (const auto& [name, tensor] : contents.tensors) {
    header.entries.push_back({name, SpecOf(tensor), 0, tensor.bytes()});
  }
  std::ranges::stable_sort(header.entries, std::ranges::greater(),
                           [](const SafetensorsHeader::Entry& entry) {
                             return DTypeSize(entry.spec.dtype);
                           });
  uint64_t end = 0;
  for (SafetensorsHeader::Entry& entry : header.entries) {
    entry.begin = end;
    end += entry.bytes;
  }
  return header;
}

}  // namespace

void SaveSafetensors(const std::string& path, const Safetensors& contents) {
  const SafetensorsHeader header = Place(contents);
  const std::string encoded = export_internal::EncodeHeader(header);
  AtomicFile file(path);
  file.Append(encoded);
  for (const SafetensorsHeader::Entry& entry : header.entries) {
    const Tensor tensor = contents.tensors.at(entry.name).ToHost();
    file.Append({static_cast<const char*>(tensor.raw_data()), tensor.bytes()});
  }
  file.Commit();
}

namespace export_internal {

namespace {

// In C++, a bool with a byte other than 0 and 1 is undefined behaviour.
void CheckBools(const SafetensorsHeader::Entry& entry,
                std::string_view elements, const std::string& origin) {
  if (entry.spec.dtype != DType::kBool) return;
  const auto is_bool = [](char byte) { return byte == 0 || byte == 1; };
  if (!std::ranges::all_of(elements, is_bool)) {
    throw DataLoss("[Safetensors] {}: '{}' has a bool that is neither 0 nor 1",
                   origin, entry.name);
  }
}

}  // namespace

Safetensors DecodeSafetensors(std::string_view bytes,
                              const std::string& origin) {
  uint64_t length = 0;
  if (bytes.size() >= kLengthBytes) {
    std::memcpy(&length, bytes.data(), kLengthBytes);
  }
  if (bytes.size() < kLengthBytes ||
      length >
          std::min<uint64_t>(bytes.size() - kLengthBytes, kLargestHeader)) {
    throw DataLoss("[Safetensors] {}: a file of {} bytes has no header of {}",
                   origin, bytes.size(), length);
  }
  const std::string_view data = bytes.substr(kLengthBytes + length);
  const SafetensorsHeader header =
      DecodeHeader(bytes.substr(kLengthBytes, length), data.size(), origin);
  Safetensors contents;
  contents.metadata = header.metadata;
  for (const SafetensorsHeader::Entry& entry : header.entries) {
    Tensor tensor = EmptyOnHost(entry.spec.shape, entry.spec.dtype);
    const std::string_view elements = data.substr(entry.begin, entry.bytes);
    CheckBools(entry, elements, origin);
    if (!elements.empty()) {
      std::memcpy(tensor.mutable_raw_data(), elements.data(), elements.size());
    }
    contents.tensors[entry.name] = tensor;
  }
  return contents;
}

}  // namespace export_internal

Safetensors LoadSafetensors(const std::string& path) {
  return export_internal::DecodeSafetensors(
      export_internal::ReadFileBytes(path), path);
}

namespace {

// A model's values by name.
std::map<std::string, Trackable::Value> NamedValues(const Layer& model) {
  if (!model.built()) {
    throw FailedPrecondition(
        "[Safetensors] '{}' has no weights yet: call Build", model.name());
  }
  std::map<std::string, Trackable::Value> values;
  for (const VariablePtr& variable : model.variables()) {
    if (!values.emplace(variable->name(), variable->values().at(0)).second) {
      throw InvalidArgument(
          "[Safetensors] two variables of '{}' are named '{}': name layers",
          model.name(), variable->name());
    }
  }
  return values;
}

}  // namespace

void SaveSafetensors(const std::string& path, const Layer& model) {
  Safetensors contents;
  for (const auto& [name, value] : NamedValues(model)) {
    contents.tensors[name] = value.save();
  }
  SaveSafetensors(path, contents);
}

void LoadSafetensors(const std::string& path, const Layer& model) {
  const Safetensors contents = LoadSafetensors(path);
  std::map<std::string, Trackable::Value> values = NamedValues(model);
  export_internal::Assignments assignments("[Safetensors] " + path);
  for (const auto& [name, tensor] : contents.tensors) {
    const auto value = values.find(name);
    if (value == values.end()) {
      throw InvalidArgument("[Safetensors] {} has '{}', '{}' does not", path,
                            name, model.name());
    }
    assignments.Add(value->second, name, tensor);
    values.erase(value);
  }
  if (!values.empty()) {
    throw NotFound("[Safetensors] {} has no '{}'", path, values.begin()->first);
  }
  assignments.Apply();
}

}  // namespace lockstep
