#include "reference/export/saved_model/model_function.h"

#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "reference/base/error.h"
#include "reference/export/saved_model/layer_nodes.h"
#include "reference/export/saved_model/node_writer.h"
#include "reference/layers/model_impl.h"
#include "reference/layers/typed_input.h"

namespace lockstep::export_internal {
namespace {

// nullptr if the layer is not a model or has no weights yet.
const LayerGraph* FindGraph(const LayerImpl& layer) {
  if (layer.IsExactly<ModelImpl>()) {
    return &static_cast<const ModelImpl&>(layer).graph();
  }
  if (layer.IsExactly<SequentialImpl>()) {
    const auto& graph = static_cast<const SequentialImpl&>(layer).graph();
    return graph ? &*graph : nullptr;
  }
  return nullptr;
}

// Makes unique names of letters, digits and underscores that begin with a letter.
class ArgumentNames {
 public:
  std::string Make(const std::string& layer) {
    std::string name;
    for (const char c : layer) {
      const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0;
      name += fits ? static_cast<char>(std::tolower(c)) : '_';
    }
    if (name.empty() || std::isalpha(name[0]) == 0) name = "t" + name;
    std::string unique = name;
    for (int i = 1; !used_.insert(unique).second; ++i) {
      unique = name + "_" + std::to_string(i);
    }
    return unique;
  }

 private:
  std::set<std::string> used_;
};

class FunctionWriter {
 public:
  FunctionWriter(saved_model::FunctionDef& function,
                 const ModelResources& resources)
      : nodes_(function) {
    for (size_t i = 0; i < resources.variables.size(); ++i) {
      resources_[resources.variables[i].get()] =
          "variable_" + std::to_string(i);
    }
    for (size_t i = 0; i < resources.tables.size(); ++i) {
      tables_[resources.tables[i].layer] = "table_" + std::to_string(i);
    }
  }

  NodeWriter& nodes() { return nodes_; }

  // Writes the calls of a graph, given its inputs' values. Shapes of `places` are
  // not used: the graph has them.
  void WriteCalls(const LayerGraph& graph, std::vector<NodeResult>& places) {
    for (const LayerGraph::LayerCall& call : graph.calls()) {
      std::vector<NodeResult> inputs;
      call.inputs.ForEach([&](int place) {
        inputs.push_back(places[place]);
        inputs.back().shape = graph.shapes()[place];
      });
      const auto results = WriteCall(*call.layer, inputs);
      for (size_t i = 0; i < call.outputs.size(); ++i) {
        places[call.outputs[i]] = results.at(i);
      }
    }
  }

 private:
  std::vector<NodeResult> WriteCall(const LayerImpl& layer,
                                    const std::vector<NodeResult>& inputs) {
    const LayerGraph* graph = FindGraph(layer);
    if (graph == nullptr) {
      const auto read = [this](const VariablePtr& v) { return Read(*v); };
      const auto table = tables_.find(&layer);
      return {WriteLayer(layer, inputs, read,
                         table == tables_.end() ? "" : table->second, nodes_)};
    }
    std::vector<NodeResult> places(graph->shapes().size());
    size_t next = 0;
    graph->inputs().ForEach(
        [&](int place) { places[place] = inputs.at(next++); });
    WriteCalls(*graph, places);
    std::vector<NodeResult> results;
    graph->outputs().ForEach(
        [&](int place) { results.push_back(places[place]); });
    return results;
  }

  // Reads each variable once.
  std::string Read(const Variable& variable) {
    std::string& value = values_[&variable];
    if (value.empty()) {
      value = nodes_.Add(
          "ReadVariableOp", {resources_.at(&variable)},
          {{"dtype", TypeAttribute(TypeNumber(variable.dtype()))}}, "value");
    }
    return value;
  }

  NodeWriter nodes_;
  std::map<const Variable*, std::string> resources_;
  std::map<const Variable*, std::string> values_;
  std::map<const LayerImpl*, std::string> tables_;
};

// The inputs of a function, and after WriteCalls all values by their places.
std::vector<NodeResult> PlacesOf(const LayerGraph& graph,
                                 const std::vector<NamedPlace>& inputs) {
  std::vector<NodeResult> places(graph.shapes().size());
  for (const NamedPlace& input : inputs) {
    places[input.place] = {input.name, input.shape, input.dtype};
  }
  return places;
}

// The types of the outputs, which layers decide: of a trial.
void FindOutputTypes(const LayerGraph& graph, const ModelResources& resources,
                     ModelInterface& interface) {
  saved_model::FunctionDef trial;
  std::vector<NodeResult> places = PlacesOf(graph, interface.inputs);
  FunctionWriter(trial, resources).WriteCalls(graph, places);
  for (NamedPlace& output : interface.outputs) {
    output.dtype = places[output.place].dtype;
  }
}

DType TypeOf(const InputLayerImpl& input) {
  const auto* typed = dynamic_cast<const TypedInputLayerImpl*>(&input);
  return typed == nullptr ? DType::kFloat32 : typed->dtype();
}

}  // namespace

const LayerGraph& GraphOf(const LayerImpl& model) {
  const LayerGraph* graph = FindGraph(model);
  if (graph != nullptr) return *graph;
  if (model.IsExactly<SequentialImpl>()) {
    throw FailedPrecondition(
        "[ExportSavedModel] '{}' has no weights yet: Build it, or give it an "
        "Input",
        model.name());
  }
  throw InvalidArgument(
      "[ExportSavedModel] the model must be Sequential or functional, got '{}'",
      model.name());
}

ModelResources ResourcesOf(const Layer& model) {
  return {model.variables(), TablesOf(model)};
}

ModelInterface InterfaceOf(const LayerImpl& model,
                           const ModelResources& resources) {
  const LayerGraph& graph = GraphOf(model);
  // The name of the layer that returns the value at each place.
  std::map<int, std::string> givers;
  for (const LayerGraph::LayerCall& call : graph.calls()) {
    for (const int place : call.outputs) givers[place] = call.layer->name();
  }
  std::vector<std::string> entries;
  std::map<std::string, DType> types;  // of typed Inputs
  for (const Layer& layer : model.layers()) {
    const auto* input = dynamic_cast<const InputLayerImpl*>(&layer.impl());
    if (input == nullptr) continue;
    entries.push_back(input->name());
    types[input->name()] = TypeOf(*input);
  }
  if (const auto* functional = dynamic_cast<const ModelImpl*>(&model)) {
    entries = functional->input_names();
  }
  ModelInterface interface;
  ArgumentNames input_names, output_names;
  size_t next = 0;
  graph.inputs().ForEach([&](int place) {
    const std::string name = next < entries.size() ? entries[next] : "inputs";
    ++next;
    givers[place] = name;
    const auto type = types.find(name);
    interface.inputs.push_back(
        {input_names.Make(name), place, graph.shapes()[place],
         type == types.end() ? DType::kFloat32 : type->second});
  });
  graph.outputs().ForEach([&](int place) {
    interface.outputs.push_back(
        {output_names.Make(givers.at(place)), place, graph.shapes()[place]});
  });
  FindOutputTypes(graph, resources, interface);
  return interface;
}

saved_model::FunctionDef WriteFunction(const std::string& name,
                                       const LayerImpl& model,
                                       const ModelInterface& interface,
                                       const ModelResources& resources) {
  const LayerGraph& graph = GraphOf(model);
  saved_model::FunctionDef function;
  saved_model::OpDef& signature = *function.mutable_signature();
  const auto add_input = [&](const std::string& argument, int type) {
    auto* added = signature.add_input_arg();
    added->set_name(argument);
    added->set_type(type);
  };
  signature.set_name(name);
  std::vector<NodeResult> places = PlacesOf(graph, interface.inputs);
  for (const NamedPlace& input : interface.inputs) {
    add_input(input.name, TypeNumber(input.dtype));
  }
  for (size_t i = 0; i < resources.variables.size(); ++i) {
    add_input("variable_" + std::to_string(i), kResourceType);
  }
  for (size_t i = 0; i < resources.tables.size(); ++i) {
    add_input("table_" + std::to_string(i), kResourceType);
  }
  FunctionWriter writer(function, resources);
  writer.WriteCalls(graph, places);
  for (const NamedPlace& output : interface.outputs) {
    auto* added = signature.add_output_arg();
    added->set_name("result_" + output.name);
    added->set_type(TypeNumber(output.dtype));
    // Identity, because an output that is an input is not a node's result.
    (*function.mutable_ret())[added->name()] = writer.nodes().AddTyped(
        "Identity", output.dtype, {places[output.place].name}, "output");
  }
  return function;
}

}  // namespace lockstep::export_internal
