#include "reference/layers/layer_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {
namespace {

using Symbol = std::pair<const SymbolicCall*, size_t>;

Symbol SymbolOf(const SymbolicTensor& x) { return {x.call(), x.index()}; }

DType ComputeDType(const SymbolicCall& call) {
  return call.layer->dtype_policy().compute_dtype();
}

// `first` followed by `next`, if an epilogue can have that order.
std::optional<Epilogue> Join(const Epilogue& first, const Epilogue& next) {
  if (next.empty() || first.max_pool) return std::nullopt;
  if (next.relu && first.relu) return std::nullopt;
  if (next.add && !first.empty()) return std::nullopt;
  return Epilogue{.add = first.add || next.add,
                  .relu = first.relu || next.relu,
                  .max_pool = next.max_pool};
}

}  // namespace

// Walks back from the outputs, then makes the fused calls.
class LayerGraph::Planner {
 public:
  Planner(LayerGraph& graph, const SymbolicStructure& inputs,
          const SymbolicStructure& outputs)
      : graph_(graph) {
    graph_.inputs_ =
        inputs.Map<int>([&](const SymbolicTensor& x) { return Declare(x); });
    outputs.ForEach([&](const SymbolicTensor& x) {
      Visit(x);
      ++uses_[SymbolOf(x)];
    });
    OrderLayers(inputs);
    for (const SymbolicCall* call : calls_) AddCall(*call);
    graph_.outputs_ = outputs.Map<int>(
        [&](const SymbolicTensor& x) { return places_.at(SymbolOf(x)); });
    FindUnused();
  }

 private:
  int AddPlace(const Shape& shape) {
    graph_.shapes_.push_back(shape);
    return static_cast<int>(graph_.shapes_.size()) - 1;
  }

  int Declare(const SymbolicTensor& x) {
    if (x.call() == nullptr || !x.call()->is_input) {
      throw InvalidArgument("[Model] an input must be a result of Input");
    }
    const auto [place, is_new] = places_.emplace(SymbolOf(x), kToBeFound);
    if (!is_new) {
      throw InvalidArgument("[Model] the input '{}' is given twice",
                            x.call()->layer->name());
    }
    return place->second = AddPlace(x.shape());
  }

  // Visits a call after the calls that it depends on.
  void Visit(const SymbolicTensor& x) {
    const SymbolicCall* call = x.call();
    if (call == nullptr) {
      throw InvalidArgument("[Model] an output is null");
    }
    const bool declared = places_.contains(SymbolOf(x));
    if (call->is_input && !declared) {
      throw InvalidArgument("[Model] the outputs need '{}', which is no input",
                            call->layer->name());
    }
    if (!visited_.insert(call).second) return;
    if (call->layer) met_.emplace(call->layer.get(), met_.size());
    if (!call->is_input) {
      call->inputs.ForEach([&](const SymbolicTensor& input) {
        Visit(input);
        ++uses_[SymbolOf(input)];
        user_[SymbolOf(input)] = call;
      });
    }
    calls_.push_back(call);
  }

  // The largest distance of each layer from the outputs.
  std::map<const LayerImpl*, size_t> Distances() const {
    std::map<const SymbolicCall*, size_t> of_call;
    std::map<const LayerImpl*, size_t> of_layer;
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
      size_t& distance = of_call[*call];
      if ((*call)->layer) {
        size_t& farthest = of_layer[(*call)->layer.get()];
        farthest = distance = std::max(distance, farthest);
      }
      if ((*call)->is_input) continue;
      (*call)->inputs.ForEach([&, next = distance + 1](const auto& input) {
        size_t& before = of_call[input.call()];
        before = std::max(before, next);
      });
    }
    return of_layer;
  }

  void OrderLayers(const SymbolicStructure& inputs) {
    struct Ranked {
      std::shared_ptr<LayerImpl> layer;
      size_t distance;
      int64_t met;  // unused inputs come before all layers of distance 0
    };
    std::vector<Ranked> ranked;
    const auto distances = Distances();
    std::set<const LayerImpl*> taken;
    const auto add = [&](const SymbolicCall& call) {
      if (!call.layer || !taken.insert(call.layer.get()).second) return;
      const bool used = met_.contains(call.layer.get());
      ranked.push_back(
          {call.layer, used ? distances.at(call.layer.get()) : 0,
           used ? static_cast<int64_t>(met_.at(call.layer.get())) : -1});
    };
    for (const SymbolicCall* call : calls_) add(*call);
    inputs.ForEach([&](const SymbolicTensor& x) { add(*x.call()); });
    std::ranges::stable_sort(ranked, [](const Ranked& a, const Ranked& b) {
      return a.distance != b.distance ? a.distance > b.distance : a.met < b.met;
    });
    for (const Ranked& one : ranked) graph_.layers_.emplace_back(one.layer);
  }

  // Assigns places to the call's results, and adds a fused call, unless the
  // call is part of one.
  void AddCall(const SymbolicCall& call) {
    if (call.is_input) return;
    size_t index = 0;
    std::vector<int> outputs;
    call.outputs.ForEach([&](const Shape& of) {
      outputs.push_back(AddPlace(of));
      places_[{&call, index++}] = outputs.back();
    });
    const Nest<int> inputs = call.inputs.Map<int>(
        [&](const SymbolicTensor& x) { return places_.at(SymbolOf(x)); });
    graph_.calls_.push_back({call.layer, inputs, outputs});
    if (!absorbed_.contains(&call)) {
      Plan(call, {.layer = call.layer, .inputs = inputs, .outputs = outputs});
    }
    // It runs at the position of the last call that it absorbs, where its
    // addend is available.
    const auto waiting = waiting_.find(&call);
    if (waiting == waiting_.end()) return;
    FusedCall fused = std::move(waiting->second);
    fused.outputs = outputs;
    if (fused.addend == kToBeFound) {
      fused.addend = places_.at(addend_.at(&call));
    }
    graph_.fused_.push_back(std::move(fused));
  }

  // A fused call that begins with the call waits for the last one that it
  // absorbs.
  void Plan(const SymbolicCall& call, FusedCall fused) {
    const SymbolicCall* last = &call;
    while (const SymbolicCall* next = OnlyUser(*last)) {
      const auto joined = Join(fused.epilogue, next->layer->AsEpilogue());
      if (!joined || !fused.layer->Fuses(*joined) ||
          ComputeDType(*next) != ComputeDType(call) ||
          !FindAddend(*last, *next)) {
        break;
      }
      if (joined->add && !fused.epilogue.add) fused.addend = kToBeFound;
      fused.epilogue = *joined;
      absorbed_.insert(next);
      last = next;
    }
    if (fused.addend == kToBeFound) addend_[last] = found_;
    waiting_.emplace(last, std::move(fused));
  }

  // The only user of the call's result, which is one tensor; nullptr if there
  // are several.
  const SymbolicCall* OnlyUser(const SymbolicCall& call) const {
    const Symbol symbol{&call, 0};
    const auto uses = uses_.find(symbol), end = uses_.end();
    if (!call.outputs.is_leaf() || uses == end || uses->second != 1) {
      return nullptr;
    }
    const auto user = user_.find(symbol);
    if (user == user_.end() || absorbed_.contains(user->second)) return nullptr;
    return user->second;
  }

  // True for a call with one tensor, and for one with two of the same shape,
  // one of which is the result of `before`. Stores the other as the addend.
  bool FindAddend(const SymbolicCall& before, const SymbolicCall& next) {
    if (next.inputs.is_leaf()) return !next.layer->AsEpilogue().add;
    const std::vector<SymbolicTensor> items = next.inputs.Flatten();
    if (items.size() != 2 || items[0].shape() != items[1].shape()) return false;
    found_ = SymbolOf(items[items[0].call() == &before ? 1 : 0]);
    return true;
  }

  // Finds the last fused call that reads each place.
  void FindUnused() {
    std::set<int> read;
    graph_.outputs_.ForEach([&](int place) { read.insert(place); });
    for (auto fused = graph_.fused_.rbegin(); fused != graph_.fused_.rend();
         ++fused) {
      const auto note = [&](int place) {
        if (read.insert(place).second) fused->unused.push_back(place);
      };
      for (const int place : fused->outputs) note(place);
      fused->inputs.ForEach(note);
      if (fused->addend >= 0) note(fused->addend);
    }
  }

  static constexpr int kToBeFound = -2;

  LayerGraph& graph_;
  std::map<Symbol, int> places_;
  std::set<const SymbolicCall*> visited_;
  std::vector<const SymbolicCall*> calls_;
  std::map<const LayerImpl*, size_t> met_;  // in the order of the walk
  std::map<Symbol, int> uses_;
  std::map<Symbol, const SymbolicCall*> user_;  // the last user
  std::set<const SymbolicCall*> absorbed_;
  std::map<const SymbolicCall*, FusedCall> waiting_;  // by the last call
  std::map<const SymbolicCall*, Symbol> addend_;      // by the last call
  Symbol found_;
};

LayerGraph::LayerGraph(const SymbolicStructure& inputs,
                       const SymbolicStructure& outputs)
    : form_(inputs) {
  const Planner planner(*this, inputs, outputs);
}

void LayerGraph::CheckForm(const auto& inputs) const {
  if (inputs.SameFormAs(form_)) return;
  const ShapeStructure wanted =
      form_.Map<Shape>([](const SymbolicTensor& x) { return x.shape(); });
  throw InvalidArgument("[Model] needs {}, got {} tensors in another structure",
                        ToString(wanted), inputs.Flatten().size());
}

Structure LayerGraph::Run(const Structure& inputs, bool training,
                          const Epilogue& epilogue,
                          const Tensor& addend) const {
  CheckForm(inputs);
  std::vector<Tensor> places(shapes_.size());
  const std::vector<Tensor> given = inputs.Flatten();
  size_t next = 0;
  inputs_.ForEach([&](int place) { places[place] = given[next++]; });
  for (const FusedCall& fused : fused_) {
    const Structure arguments =
        fused.inputs.Map<Tensor>([&](int place) { return places[place]; });
    const bool last = &fused == &fused_.back() && !epilogue.empty();
    const Tensor added = fused.addend < 0 ? addend : places[fused.addend];
    const Structure results = fused.layer->Run(
        arguments, training, last ? epilogue : fused.epilogue, added);
    size_t output = 0;
    results.ForEach(
        [&](const Tensor& y) { places[fused.outputs[output++]] = y; });
    for (const int place : fused.unused) places[place] = Tensor();
  }
  return outputs_.Map<Tensor>([&](int place) { return places[place]; });
}

ShapeStructure LayerGraph::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  CheckForm(input_shapes);
  std::vector<Shape> shapes(shapes_.size());
  const std::vector<Shape> given = input_shapes.Flatten();
  size_t next = 0;
  inputs_.ForEach([&](int place) { shapes[place] = given[next++]; });
  for (const LayerCall& call : calls_) {
    const ShapeStructure results = call.layer->ComputeOutputShape(
        call.inputs.Map<Shape>([&](int place) { return shapes[place]; }));
    size_t output = 0;
    results.ForEach(
        [&](const Shape& of) { shapes[call.outputs[output++]] = of; });
  }
  return outputs_.Map<Shape>([&](int place) { return shapes[place]; });
}

bool LayerGraph::Fuses(const Epilogue& epilogue) const {
  if (fused_.empty() || !outputs_.is_leaf()) return false;
  const FusedCall& last = fused_.back();
  return last.epilogue.empty() &&
         last.outputs == std::vector{outputs_.leaf()} &&
         last.layer->Fuses(epilogue);
}

}  // namespace lockstep
