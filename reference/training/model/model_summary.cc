#include "reference/training/model/model_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/layer_impl.h"
#include "reference/layers/model_impl.h"
#include "reference/tensor/dtype.h"

namespace lockstep {
namespace {

struct Row {
  std::string layer;   // "dense (Dense)"
  std::string output;  // "(None, 10)"
  std::string params;
};

// A custom class without a Config is shown by its name.
std::string TitleOf(const LayerImpl& layer) {
  try {
    return fmt::format("{} ({})", layer.name(), layer.Config().class_name);
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented) throw;
    return layer.name();
  }
}

int64_t ElementsOf(const std::vector<VariablePtr>& variables) {
  int64_t elements = 0;
  for (const VariablePtr& v : variables) elements += v->shape().num_elements();
  return elements;
}

// "121,930".
std::string WithCommas(int64_t number) {
  std::string text = fmt::format("{}", number);
  for (int64_t at = std::ssize(text) - 3; at > 0; at -= 3) text.insert(at, ",");
  return text;
}

std::string BytesOf(const std::vector<VariablePtr>& variables) {
  double bytes = 0;
  for (const VariablePtr& v : variables) {
    bytes += static_cast<double>(v->shape().num_elements()) *
             static_cast<double>(DTypeSize(v->dtype()));
  }
  constexpr std::array kUnits = {"B", "KB", "MB", "GB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.2f} {}", bytes, kUnits[unit]);
}

Row RowOf(const LayerImpl& layer, const std::string& output) {
  return {TitleOf(layer), output, WithCommas(ElementsOf(layer.variables()))};
}

// One row per layer, at its first call.
std::vector<Row> RowsOf(const LayerGraph& graph) {
  std::vector<Row> rows;
  std::set<const LayerImpl*> seen;
  for (const LayerGraph::LayerCall& call : graph.calls()) {
    if (call.layer == nullptr || !seen.insert(call.layer.get()).second)
      continue;
    std::string output;
    for (const int place : call.outputs) {
      output += (output.empty() ? "" : ", ") + ToString(graph.shapes()[place]);
    }
    rows.push_back(RowOf(*call.layer, output));
  }
  return rows;
}

std::vector<Row> RowsOf(const Layer& model) {
  if (const auto* graph = dynamic_cast<const ModelImpl*>(&model.impl())) {
    return RowsOf(graph->graph());
  }
  const auto* sequential = dynamic_cast<const SequentialImpl*>(&model.impl());
  if (sequential != nullptr && sequential->graph()) {
    return RowsOf(*sequential->graph());
  }
  std::vector<Row> rows;
  for (const Layer& layer : model.impl().layers()) {
    rows.push_back(RowOf(layer.impl(), "?"));
  }
  return rows;
}

std::string Table(const std::vector<Row>& rows) {
  size_t first = 12, second = 12;  // widths
  for (const Row& row : rows) {
    first = std::max(first, row.layer.size());
    second = std::max(second, row.output.size());
  }
  const std::string line(first + second + 17, '-');
  std::string table =
      fmt::format("{}\n {:{}}  {:{}}  {:>10}\n{}\n", line, "Layer (type)",
                  first, "Output shape", second, "Parameters", line);
  for (const Row& row : rows) {
    table += fmt::format(" {:{}}  {:{}}  {:>10}\n", row.layer, first,
                         row.output, second, row.params);
  }
  return table + line + "\n";
}

}  // namespace

std::string Summarize(const Layer& model) {
  std::string text = fmt::format("Model: \"{}\"\n", model.name());
  text += Table(RowsOf(model));
  if (!model.built()) return text + " Not built yet: it has no weights\n";
  const auto total = [&](const char* what,
                         const std::vector<VariablePtr>& variables) {
    text += fmt::format(" {} parameters: {} ({})\n", what,
                        WithCommas(ElementsOf(variables)), BytesOf(variables));
  };
  total("All", model.variables());
  total("Trained", model.trainable_variables());
  total("Other", model.non_trainable_variables());
  return text;
}

}  // namespace lockstep
