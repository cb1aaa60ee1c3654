#include "reference/export/safetensors/header.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::export_internal {
namespace {

// Not the ordered Json of base/json.h, which finds a field by a linear search: a
// model may have tens of thousands of tensors.
using SortedJson = nlohmann::json;

constexpr char kMetadata[] = "__metadata__";
constexpr int kDeepest = 3;  // the header, an entry, its shape

using NamedType = std::pair<DType, std::string_view>;
constexpr std::array<NamedType, 8> kTypes = {{{DType::kFloat32, "F32"},
                                              {DType::kFloat64, "F64"},
                                              {DType::kBFloat16, "BF16"},
                                              {DType::kFloat16, "F16"},
                                              {DType::kInt32, "I32"},
                                              {DType::kInt64, "I64"},
                                              {DType::kUInt8, "U8"},
                                              {DType::kBool, "BOOL"}}};

std::string_view TypeName(DType dtype) {
  const auto found = std::ranges::find(kTypes, dtype, &NamedType::first);
  if (found != kTypes.end()) return found->second;
  throw Unimplemented("[Safetensors] no tensor of type {} can be written",
                      DTypeName(dtype));
}

class HeaderReader {
 public:
  HeaderReader(uint64_t data_bytes, const std::string& origin)
      : data_bytes_(data_bytes), origin_(origin) {}

  SafetensorsHeader Read(std::string_view text) {
    const SortedJson json = Parse(text);
    if (!json.is_object()) throw Damaged("the header is not an object");
    SafetensorsHeader header;
    for (const auto& [name, value] : json.items()) {
      if (name == kMetadata) {
        header.metadata = ReadMetadata(value);
      } else {
        header.entries.push_back(ReadEntry(name, value));
      }
    }
    std::ranges::sort(header.entries, {}, [](const auto& entry) {
      return std::pair(entry.begin, entry.bytes);
    });
    CheckCoverage(header.entries);
    return header;
  }

 private:
  using Entry = SafetensorsHeader::Entry;

  template <typename... Args>
  Error Damaged(fmt::format_string<Args...> format, Args&&... args) const {
    return DataLoss("[Safetensors] {}: {}", origin_,
                    fmt::format(format, std::forward<Args>(args)...));
  }

  // Refuses repeated fields, of which the parser would take the last one.
  SortedJson Parse(std::string_view text) const {
    std::vector<std::set<std::string>> open;
    using Event = SortedJson::parse_event_t;
    const auto check = [&](int depth, Event event, const SortedJson& parsed) {
      if (event == Event::object_start) open.emplace_back();
      if (event == Event::object_end) open.pop_back();
      if ((event == Event::object_start || event == Event::array_start) &&
          depth >= kDeepest) {
        throw Damaged("the header is nested more than {} deep", kDeepest);
      }
      if (event == Event::key &&
          !open.back().insert(parsed.get_ref<const std::string&>()).second) {
        throw Damaged("the header has a field twice: '{}'",
                      parsed.get_ref<const std::string&>());
      }
      return true;
    };
    try {
      return SortedJson::parse(text, check);
    } catch (const SortedJson::exception&) {
      throw Damaged("the header is not JSON");
    }
  }

  std::map<std::string, std::string> ReadMetadata(const SortedJson& value) {
    std::map<std::string, std::string> metadata;
    if (!value.is_object()) throw Damaged("{} is not an object", kMetadata);
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) throw Damaged("metadata '{}' is not text", key);
      metadata[key] = text.get<std::string>();
    }
    return metadata;
  }

  Entry ReadEntry(const std::string& name, const SortedJson& value) {
    const SortedJson none;
    const auto field = [&](const char* key) -> const SortedJson& {
      const auto found = value.find(key);
      return found == value.end() ? none : *found;
    };
    const bool has_fields =
        value.is_object() && value.size() == 3 && field("dtype").is_string();
    if (!has_fields) {
      throw Damaged("'{}' must have dtype, shape and data_offsets", name);
    }
    const auto offsets = Numbers(name, field("data_offsets"));
    if (offsets.size() != 2 || offsets[0] > offsets[1] ||
        offsets[1] > data_bytes_) {
      throw Damaged("the data of '{}' are outside the {} bytes of data", name,
                    data_bytes_);
    }
    Entry entry = {name,
                   {ShapeOf(name, Numbers(name, field("shape"))),
                    TypeOf(name, field("dtype").get<std::string>())},
                   offsets[0],
                   offsets[1] - offsets[0]};
    CheckSize(entry);
    return entry;
  }

  std::vector<uint64_t> Numbers(const std::string& name,
                                const SortedJson& list) const {
    if (!list.is_array()) throw Damaged("'{}' has no list of numbers", name);
    std::vector<uint64_t> numbers;
    for (const SortedJson& number : list) {
      if (!number.is_number_unsigned()) {
        throw Damaged("'{}' has a list of other than natural numbers", name);
      }
      numbers.push_back(number.get<uint64_t>());
    }
    return numbers;
  }

  DType TypeOf(const std::string& name, const std::string& type) const {
    const auto found = std::ranges::find(kTypes, type, &NamedType::second);
    if (found != kTypes.end()) return found->first;
    throw Unimplemented("[Safetensors] {}: '{}' has elements of type '{}'",
                        origin_, name, type.substr(0, 20));
  }

  Shape ShapeOf(const std::string& name,
                const std::vector<uint64_t>& dims) const {
    if (dims.size() > Shape::kMaxRank) {
      throw Unimplemented("[Safetensors] {}: '{}' has {} axes, of {} at most",
                          origin_, name, dims.size(), Shape::kMaxRank);
    }
    for (const uint64_t dim : dims) {
      if (dim > uint64_t{1} << 62) throw Damaged("'{}' has a huge axis", name);
    }
    const std::vector<int64_t> as_signed(dims.begin(), dims.end());
    return Shape(as_signed);
  }

  void CheckSize(const Entry& entry) const {
    uint64_t bytes = DTypeSize(entry.spec.dtype);
    bool overflows = false;
    for (const int64_t dim : entry.spec.shape.dims()) {
      overflows |= __builtin_mul_overflow(bytes, dim, &bytes);
    }
    if (overflows || bytes != entry.bytes) {
      throw Damaged("'{}' of shape {} has {} bytes of data", entry.name,
                    ToString(entry.spec.shape), entry.bytes);
    }
  }

  // Checks that each byte of the data belongs to exactly one tensor.
  void CheckCoverage(const std::vector<Entry>& entries) const {
    uint64_t end = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != end) {
        throw Damaged("the data of '{}' begin at {}, those before end at {}",
                      entry.name, entry.begin, end);
      }
      end += entry.bytes;
    }
    if (end != data_bytes_) {
      throw Damaged("tensors have {} bytes, the data have {}", end,
                    data_bytes_);
    }
  }

  const uint64_t data_bytes_;
  const std::string& origin_;
};

}  // namespace

std::string EncodeHeader(const SafetensorsHeader& header) {
  SortedJson json = SortedJson::object();
  if (!header.metadata.empty()) json[kMetadata] = header.metadata;
  for (const SafetensorsHeader::Entry& entry : header.entries) {
    if (entry.name == kMetadata) {
      throw InvalidArgument("[Safetensors] no tensor can be named '{}'",
                            kMetadata);
    }
    const auto dims = entry.spec.shape.dims();
    json[entry.name] = {
        {"dtype", TypeName(entry.spec.dtype)},
        {"shape", std::vector<int64_t>(dims.begin(), dims.end())},
        {"data_offsets", {entry.begin, entry.begin + entry.bytes}}};
  }
  std::string text = json.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string encoded;
  for (int byte = 0; byte < 8; ++byte) {
    encoded += static_cast<char>(uint64_t{text.size()} >> (8 * byte) & 0xff);
  }
  return encoded + text;
}

SafetensorsHeader DecodeHeader(std::string_view header, uint64_t data_bytes,
                               const std::string& origin) {
  return HeaderReader(data_bytes, origin).Read(header);
}

}  // namespace lockstep::export_internal
