#include "reference/export/saved_model/loading/table.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/files/file_bytes.h"
#include "reference/export/saved_model/loading/constant.h"
#include "reference/export/saved_model/loading/operations/host_values.h"
#include "reference/export/saved_model/loading/operations/node_attributes.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::export_internal {
namespace {

using saved_model::FunctionDef;
using saved_model::MetaGraphDef;
using saved_model::NodeDef;
using saved_model::SavedObject;

// What TensorFlow's text files have in a column.
constexpr int64_t kWholeLine = -2;
constexpr int64_t kLineNumber = -1;

void Insert(auto& places, const auto& key, int64_t place,
            const Tensor& values) {
  const auto [found, is_new] = places.try_emplace(key, place);
  if (is_new) return;
  const bool same = ForType(values.dtype(), [&]<typename T>() {
    return values.data<T>()[found->second] == values.data<T>()[place];
  });
  if (!same) {
    throw DataLoss(
        "[LoadSavedModel] entry {} of a table has the key of entry "
        "{} and another value",
        place, found->second);
  }
}

}  // namespace

Table::Table(const Tensor& keys, const Tensor& values)
    : key_type_(keys.dtype()), values_(values) {
  if (keys.rank() != 1 || values.shape() != keys.shape()) {
    throw DataLoss("[LoadSavedModel] a table has the keys {} and values {}",
                   Describe(keys), Describe(values));
  }
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    if (key_type_ == DType::kString) {
      Insert(words_, keys.data<std::string>()[i], i, values);
    } else if (key_type_ == DType::kInt64) {
      Insert(numbers_, keys.data<int64_t>()[i], i, values);
    } else {
      throw Unimplemented(
          "[LoadSavedModel] a table has keys of {}; only string and int64 are "
          "supported",
          DTypeName(key_type_));
    }
  }
}

double Table::bytes() const {
  double bytes = 2 * static_cast<double>(values_.bytes());
  for (const auto& [word, place] : words_) {
    bytes += static_cast<double>(sizeof(std::string) + word.size());
  }
  return bytes;
}

std::vector<int64_t> Table::Places(const Tensor& keys) const {
  if (keys.dtype() != key_type_) {
    throw InvalidArgument("a table of {} looks up {}", DTypeName(key_type_),
                          Describe(keys));
  }
  const auto place_in = [](const auto& places, const auto& key) {
    const auto found = places.find(key);
    return found == places.end() ? int64_t{-1} : found->second;
  };
  std::vector<int64_t> found;
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    found.push_back(key_type_ == DType::kString
                        ? place_in(words_, keys.data<std::string>()[i])
                        : place_in(numbers_, keys.data<int64_t>()[i]));
  }
  return found;
}

Tensor Table::Find(const Tensor& keys, const Tensor& otherwise) const {
  CheckSameType(values_, otherwise);
  const std::vector<int64_t> places = Places(keys);
  return ForType(values_.dtype(), [&]<typename T>() {
    const T unknown = otherwise.ToHost().item<T>();
    Tensor found = EmptyOnHost(keys.shape(), values_.dtype());
    std::ranges::transform(places, found.mutable_data<T>(), [&](int64_t at) {
      return at < 0 ? unknown : values_.data<T>()[at];
    });
    return InPlace(found);
  });
}

namespace {

// Reads what fills one table.
class TableReader {
 public:
  TableReader(const MetaGraphDef& graph, int node, const std::string& folder,
              double most_bytes)
      : graph_(graph),
        objects_(graph.object_graph_def()),
        node_(node),
        folder_(folder),
        most_bytes_(most_bytes) {}

  TablePtr Read() const {
    const NodeDef& maker = MakerOf();
    const FunctionDef& filler = FunctionOf("_initialize");
    for (const NodeDef& node : filler.node_def()) {
      if (node.op() == "LookupTableImportV2") return Import(filler, node);
      if (node.op() == "InitializeTableFromTextFileV2") {
        return ReadFile(filler, node, maker);
      }
    }
    throw Unimplemented(
        "[LoadSavedModel] table {} is not filled with constants or a text file",
        node_);
  }

 private:
  const SavedObject& ObjectAt(int node) const {
    if (node >= 0 && node < objects_.nodes_size()) return objects_.nodes(node);
    throw DataLoss("[LoadSavedModel] there is no object {} of {}", node,
                   objects_.nodes_size());
  }

  const std::string& FunctionName(const std::string& child) const {
    for (const auto& one : ObjectAt(node_).children()) {
      if (one.local_name() != child) continue;
      const SavedObject& object = ObjectAt(one.node_id());
      if (object.has_function() &&
          object.function().concrete_functions_size() == 1) {
        return object.function().concrete_functions(0);
      }
    }
    throw DataLoss("[LoadSavedModel] object {} has no function '{}'", node_,
                   child);
  }

  const FunctionDef& FunctionOf(const std::string& child) const {
    const std::string& name = FunctionName(child);
    for (const FunctionDef& function :
         graph_.graph_def().library().function()) {
      if (function.signature().name() == name) return function;
    }
    throw DataLoss("[LoadSavedModel] there is no function '{}'", name);
  }

  // The node that makes the table.
  const NodeDef& MakerOf() const {
    const FunctionDef& creator = FunctionOf("_create_resource");
    for (const NodeDef& node : creator.node_def()) {
      if (node.op() == "HashTableV2") return node;
    }
    std::string ops;
    for (const NodeDef& node : creator.node_def()) {
      if (node.op() != "NoOp" && node.op() != "Identity") {
        ops += (ops.empty() ? "" : ", ") + node.op();
      }
    }
    throw Unimplemented(
        "[LoadSavedModel] the signature needs object {}, which is not a "
        "variable, a constant or a HashTableV2; it is made by {}. Tables that "
        "change are not supported: give the layer its vocabulary, then export",
        node_, ops);
  }

  // The object that the initializer's argument `name` is bound to.
  std::optional<int> BoundTo(const FunctionDef& function,
                             const std::string& name) const {
    const auto found =
        objects_.concrete_functions().find(function.signature().name());
    const auto& arguments = function.signature().input_arg();
    if (found == objects_.concrete_functions().end() ||
        found->second.bound_inputs_size() != arguments.size()) {
      throw DataLoss("[LoadSavedModel] '{}' is not bound to its arguments",
                     function.signature().name());
    }
    for (int i = 0; i < arguments.size(); ++i) {
      if (arguments[i].name() == name) return found->second.bound_inputs(i);
    }
    return std::nullopt;
  }

  const std::string& InputOf(const NodeDef& node, int i) const {
    if (node.input_size() > i) return node.input(i);
    throw DataLoss("{} has {} inputs", NodeAttributes(node).place(),
                   node.input_size());
  }

  // An input of the initializer's node: an argument that is bound to a constant, or
  // a constant of the function.
  Tensor ValueOf(const FunctionDef& function, const std::string& input) const {
    if (const auto bound = BoundTo(function, input)) {
      return ReadCapturedConstant(graph_, *bound, most_bytes_);
    }
    const std::string name = input.substr(0, input.find(':'));
    for (const NodeDef& node : function.node_def()) {
      if (node.name() != name || node.op() != "Const") continue;
      const NodeAttributes attributes(node);
      return ReadConstant(attributes.Constant("value"), attributes.place(),
                          most_bytes_);
    }
    throw Unimplemented(
        "[LoadSavedModel] a table is filled with '{}', which is "
        "not a constant",
        input);
  }

  TablePtr Import(const FunctionDef& function, const NodeDef& node) const {
    const Tensor keys = ValueOf(function, InputOf(node, 1));
    return std::make_shared<Table>(keys, ValueOf(function, InputOf(node, 2)));
  }

  std::string AssetOf(const FunctionDef& function, const NodeDef& node) const {
    const auto bound = BoundTo(function, InputOf(node, 1));
    if (!bound || !ObjectAt(*bound).has_asset()) {
      throw Unimplemented("{}: its file is not an asset",
                          NodeAttributes(node).place());
    }
    const int index = ObjectAt(*bound).asset().asset_file_def_index();
    if (index < 0 || index >= graph_.asset_file_def_size()) {
      throw DataLoss("[LoadSavedModel] there is no asset {} of {}", index,
                     graph_.asset_file_def_size());
    }
    const std::string& name = graph_.asset_file_def(index).filename();
    if (name.empty() || name.find('/') != name.npos || name == "." ||
        name == "..") {
      throw DataLoss("[LoadSavedModel] asset {} has the name '{}'", index,
                     name);
    }
    return folder_ + "/assets/" + name;
  }

  TablePtr ReadFile(const FunctionDef& function, const NodeDef& node,
                    const NodeDef& maker) const {
    const NodeAttributes attributes(node);
    const std::string path = AssetOf(function, node);
    const std::string bytes = ReadFileBytes(path);
    std::vector<std::string> lines;
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines.emplace_back(line);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if ((static_cast<double>(lines.size()) + 1) * sizeof(std::string) +
              static_cast<double>(bytes.size()) >
          most_bytes_) {
        throw ResourceExhausted(
            "[LoadSavedModel] {} needs more than {:.0f} bytes as a table", path,
            most_bytes_);
      }
    }
    const int64_t offset = attributes.Integer("offset", 0);
    const auto column = [&](const char* index, const char* type) {
      return Column(lines, attributes.Integer(index, 0),
                    NodeAttributes(maker).AnyType(type), offset, path);
    };
    return std::make_shared<Table>(column("key_index", "key_dtype"),
                                   column("value_index", "value_dtype"));
  }

  static Tensor Column(const std::vector<std::string>& lines, int64_t index,
                       DType type, int64_t offset, const std::string& path) {
    const Shape shape{std::ssize(lines)};
    if (index == kWholeLine && type == DType::kString) {
      return Tensor::FromVector(lines, shape, Device::Host());
    }
    if (type != DType::kInt64 ||
        (index != kWholeLine && index != kLineNumber)) {
      throw Unimplemented(
          "[LoadSavedModel] {} is not a list of words or int64, one in each "
          "line",
          path);
    }
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < lines.size(); ++i) {
      int64_t number = static_cast<int64_t>(i);
      if (index == kWholeLine) {
        const char* const last = lines[i].data() + lines[i].size();
        const auto [end, error] =
            std::from_chars(lines[i].data(), last, number);
        if (error != std::errc() || end != last) {
          throw DataLoss("[LoadSavedModel] {}: line {} is not an int64", path,
                         i + 1);
        }
      } else if (__builtin_add_overflow(number, offset, &number)) {
        throw DataLoss("[LoadSavedModel] {}: its offset is {}", path, offset);
      }
      numbers.push_back(number);
    }
    return Tensor::FromVector(numbers, shape, Device::Host());
  }

  const MetaGraphDef& graph_;
  const saved_model::SavedObjectGraph& objects_;
  const int node_;
  const std::string& folder_;
  const double most_bytes_;
};

}  // namespace

Tensor ReadCapturedConstant(const MetaGraphDef& graph, int node,
                            double most_bytes) {
  const auto& objects = graph.object_graph_def();
  if (node < 0 || node >= objects.nodes_size() ||
      !objects.nodes(node).has_constant()) {
    throw DataLoss("[LoadSavedModel] object {} of {} is not a constant", node,
                   objects.nodes_size());
  }
  const std::string& name = objects.nodes(node).constant().operation();
  for (const NodeDef& one : graph.graph_def().node()) {
    if (one.name() != name) continue;
    const NodeAttributes attributes(one);
    return ReadConstant(attributes.Constant("value"), attributes.place(),
                        most_bytes);
  }
  throw DataLoss("[LoadSavedModel] there is no constant '{}'", name);
}

TablePtr ReadTable(const MetaGraphDef& graph, int node,
                   const std::string& folder, double most_bytes) {
  return TableReader(graph, node, folder, most_bytes).Read();
}

}  // namespace lockstep::export_internal
