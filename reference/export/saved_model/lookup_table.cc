#include "reference/export/saved_model/lookup_table.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "reference/export/saved_model/node_writer.h"
#include "reference/layers/layer_config.h"
#include "reference/preprocessing/output_mode.h"
#include "reference/preprocessing/words/stored_vocabulary.h"
#include "reference/preprocessing/words/word_hash.h"

namespace lockstep::export_internal {
namespace {

using saved_model::FunctionDef;

Tensor WordsOrNumbers(const std::vector<std::string>& words, bool are_numbers) {
  const Shape shape{std::ssize(words)};
  if (!are_numbers) return Tensor::FromVector(words, shape, Device::Host());
  std::vector<int64_t> numbers(words.size());
  for (size_t i = 0; i < words.size(); ++i) {  // decimal: StoredVocabulary
    std::from_chars(words[i].data(), words[i].data() + words[i].size(),
                    numbers[i]);
  }
  return Tensor::FromVector(numbers, shape, Device::Host());
}

// The words that have ids of their own, and these ids.
struct Entries {
  std::vector<std::string> words;
  std::vector<int64_t> ids;

  void Add(const std::string& word, int64_t id) {
    words.push_back(word);
    ids.push_back(id);
  }
};

Entries EntriesOf(const Json& config, const std::vector<std::string>& content) {
  const bool text = !config.contains("num_oov_indices");  // TextVectorization
  const Json mask = text ? Json("") : config.at("mask_token");
  const bool ids = config.at("output_mode") == "int";
  int64_t id = 0;
  Entries entries;
  if (!mask.is_null()) {
    entries.Add(mask.is_string() ? mask.get<std::string>() : mask.dump(),
                ids ? 0 : kNoId);
    if (ids) id = 1;
  }
  id += text ? 1 : config.at("num_oov_indices").get<int64_t>();
  for (; id < std::ssize(content); ++id) {
    entries.Add(content[static_cast<size_t>(id)], id);
  }
  return entries;
}

std::string SharedName(const LookupTable& table) {
  std::string bytes;
  for (const Tensor& part : {table.keys, table.values}) {
    bytes += DTypeName(part.dtype());
    if (part.dtype() == DType::kString) {
      for (const std::string& word : part.span<std::string>()) {
        bytes += std::to_string(word.size()) + ":" + word;
      }
    } else {
      bytes.append(reinterpret_cast<const char*>(part.raw_data()),
                   part.bytes());
    }
  }
  return fmt::format("lockstep_{:016x}_{}", words_internal::Fingerprint(bytes),
                     bytes.size());
}

LookupTable MakeTable(const LayerImpl& layer, const StoredVocabulary& stored) {
  const LayerConfig config = layer.Config();
  const bool numbers = config.class_name == "IntegerLookup";
  const std::vector<std::string> content = stored.Content().words;
  LookupTable table = {&layer, Tensor(), Tensor(), ""};
  if (config.config.value("invert", false)) {
    std::vector<int64_t> ids;
    for (int64_t id = 0; id < std::ssize(content); ++id) ids.push_back(id);
    table.keys =
        Tensor::FromVector(ids, Shape{std::ssize(ids)}, Device::Host());
    table.values = WordsOrNumbers(content, numbers);
  } else {
    const Entries entries = EntriesOf(config.config, content);
    table.keys = WordsOrNumbers(entries.words, numbers);
    table.values = Tensor::FromVector(
        entries.ids, Shape{std::ssize(entries.ids)}, Device::Host());
  }
  table.shared_name = SharedName(table);
  return table;
}

void AddTables(const LayerImpl& layer, std::set<const LayerImpl*>& seen,
               std::vector<LookupTable>& tables) {
  if (!seen.insert(&layer).second) return;
  if (const auto* stored = dynamic_cast<const StoredVocabulary*>(&layer)) {
    tables.push_back(MakeTable(layer, *stored));
  }
  for (const Layer& part : layer.layers()) {
    AddTables(part.impl(), seen, tables);
  }
}

// A function of one result, with the name that TensorFlow gives it.
FunctionDef& AddFunction(const std::string& name, int type,
                         saved_model::FunctionDefLibrary& library) {
  FunctionDef& function = *library.add_function();
  function.mutable_signature()->set_name(name);
  auto* result = function.mutable_signature()->add_output_arg();
  result->set_name("identity");
  result->set_type(type);
  return function;
}

void AddInitializer(const LookupTable& table, const std::string& name,
                    saved_model::FunctionDefLibrary& library) {
  FunctionDef& function = AddFunction(name, tensor_bundle::DT_INT32, library);
  auto* handle = function.mutable_signature()->add_input_arg();
  handle->set_name("table");
  handle->set_type(kResourceType);
  NodeWriter nodes(function);
  const std::string keys = nodes.Constant(table.keys);
  const std::string values = nodes.Constant(table.values);
  *function.add_node_def() =
      MakeNode("LookupTableImportV2", "import", {"table", keys, values},
               {{"Tin", TypeAttribute(TypeNumber(table.keys.dtype()))},
                {"Tout", TypeAttribute(TypeNumber(table.values.dtype()))}});
  (*function.mutable_control_ret())["import"] = "import";
  function.mutable_signature()->add_control_output("import");
  (*function.mutable_ret())["identity"] = nodes.Integer(1);
}

}  // namespace

std::vector<LookupTable> TablesOf(const Layer& model) {
  std::set<const LayerImpl*> seen;
  std::vector<LookupTable> tables;
  AddTables(model.impl(), seen, tables);
  return tables;
}

std::string CreatorName(size_t i) {
  return fmt::format("__inference__creator_{}", i);
}
std::string InitializerName(size_t i) {
  return fmt::format("__inference__initializer_{}", i);
}
std::string DestroyerName(size_t i) {
  return fmt::format("__inference__destroyer_{}", i);
}

saved_model::NodeDef MakeTableNode(const LookupTable& table,
                                   const std::string& name) {
  return MakeNode(
      "HashTableV2", name, {},
      {{"key_dtype", TypeAttribute(TypeNumber(table.keys.dtype()))},
       {"value_dtype", TypeAttribute(TypeNumber(table.values.dtype()))},
       {"shared_name", TextAttribute(table.shared_name)},
       {"container", TextAttribute("")},
       {"use_node_name_sharing", BoolAttribute(false)}});
}

void AddTableFunctions(const LookupTable& table, size_t i,
                       saved_model::FunctionDefLibrary& library) {
  FunctionDef& creator = AddFunction(CreatorName(i), kResourceType, library);
  *creator.add_node_def() = MakeTableNode(table, "table");
  (*creator.mutable_ret())["identity"] = "table:table_handle:0";
  AddInitializer(table, InitializerName(i), library);
  FunctionDef& destroyer =
      AddFunction(DestroyerName(i), tensor_bundle::DT_INT32, library);
  (*destroyer.mutable_ret())["identity"] = NodeWriter(destroyer).Integer(1);
}

}  // namespace lockstep::export_internal
