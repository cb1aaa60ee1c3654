// How it works. Every tensor that depends on a watched one has a slot, found by
// the tensor's id. An operation with such an input is a record: slots of inputs
// (-1: not followed) and output, and a closure for its backward. Reading w:
//
//   h = MatMul(x, w)    records  0: (-1, 0) -> 1     slots  0 w  1 h
//   y = Relu(h)                  1: (1)     -> 2            2 y  3 loss
//   loss = Sum(y)                2: (2)     -> 3
//
// Play goes over the records forwards once, to find which slots depend on a
// source (useful), then backwards. The target's slot starts with ones. A record
// takes the gradient of its output out of its slot, which no remaining record
// can add to, and adds its parts to the slots of its useful inputs. A closure
// is destroyed as soon as it has run, with the tensors it holds, so memory
// shrinks on the way back.
//
// A source is complete when the first record that uses it has been played. With
// `on_ready` these records are found beforehand (FindCompletions), so that its
// gradient can be summed over the replicas while the rest is played.
#include "reference/autodiff/gradient_tape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "reference/autodiff/slot_gradients.h"
#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep {
namespace {

thread_local GradientTape* innermost_tape = nullptr;

using autodiff_internal::OnesLike;
using autodiff_internal::SlotGradients;

constexpr int kNotFollowed = -1;

}  // namespace

// The arena holds all bookkeeping of an ordinary step.
struct GradientTape::State {
  // The rows that a gather looked up in its only input.
  struct Lookup {
    Tensor indices;
    Shape params_shape;
  };

  struct Record {
    int first_input;  // in input_slots
    int input_count;
    int output_slot;
    Backward backward;
    std::optional<Lookup> lookup = std::nullopt;
  };

  int Follow(const Tensor& tensor) {
    return slots.try_emplace(tensor.id(), static_cast<int>(slots.size()))
        .first->second;
  }
  int SlotOf(const Tensor& tensor) const {
    const auto found = slots.find(tensor.id());
    return found == slots.end() ? kNotFollowed : found->second;
  }

  void FollowVariable(const Variable& variable, const Tensor& value) {
    const int slot = Follow(value);
    const auto [begin, end] = variable_slots.equal_range(&variable);
    const bool known = std::any_of(
        begin, end, [&](const auto& entry) { return entry.second == slot; });
    if (!known) variable_slots.emplace(&variable, slot);
  }

  void Add(const std::vector<Tensor>& inputs, const Tensor& output,
           const Backward& backward,
           const std::optional<Lookup>& lookup = std::nullopt) {
    const int first = static_cast<int>(input_slots.size());
    for (const Tensor& input : inputs) {
      LOCKSTEP_CHECK(input.id() != output.id());
      input_slots.push_back(SlotOf(input));
    }
    records.push_back({first, static_cast<int>(inputs.size()), Follow(output),
                       backward, lookup});
    if (const TraceTrack* track = TraceTrack::Current()) {
      span_names.resize(records.size());
      const std::string_view part = track->innermost();
      span_names.back() = part.empty() ? "operation" : part;
    }
  }

  // The name of the operation in a trace: that of the span in which it was
  // recorded.
  std::string_view SpanName(const Record& record) const {
    const size_t index = &record - records.data();
    return index < span_names.size() ? span_names[index] : std::string_view();
  }

  // The slots whose sum is a source's gradient, in a fixed order. A variable
  // that was assigned between two reads has several.
  std::vector<int> SlotsOfSource(const VariablePtr& source) const {
    std::vector<int> result;
    const auto [begin, end] = variable_slots.equal_range(source.get());
    for (auto entry = begin; entry != end; ++entry) {
      result.push_back(entry->second);
    }
    std::ranges::sort(result);
    return result;
  }
  std::vector<int> SlotsOfSource(const Tensor& source) const {
    const int slot = SlotOf(source);
    if (slot == kNotFollowed) return {};
    return {slot};
  }
  std::vector<int> SlotsOfSource(const GradientSource& source) const {
    return std::visit([&](const auto& kind) { return SlotsOfSource(kind); },
                      source);
  }

  template <typename Source>
  std::vector<std::vector<int>> SlotsOfSources(
      std::span<const Source> sources) const {
    std::vector<std::vector<int>> all;
    all.reserve(sources.size());
    for (const Source& source : sources) all.push_back(SlotsOfSource(source));
    return all;
  }

  // Finds the slots that depend on a source.
  std::unique_ptr<bool[]> FindUseful(
      const std::vector<std::vector<int>>& source_slots) const {
    auto useful = FindSources(source_slots);
    for (const Record& record : records) {
      for (const int slot : InputsOf(record)) {
        if (slot != kNotFollowed && useful[slot]) {
          useful[record.output_slot] = true;
        }
      }
    }
    return useful;
  }

  std::unique_ptr<bool[]> FindSources(
      const std::vector<std::vector<int>>& source_slots) const {
    auto is_source = std::make_unique<bool[]>(slots.size());
    for (const std::vector<int>& list : source_slots) {
      for (const int slot : list) is_source[slot] = true;
    }
    return is_source;
  }

  std::span<const int> InputsOf(const Record& record) const {
    return {input_slots.data() + record.first_input,
            static_cast<size_t>(record.input_count)};
  }

  // Adds the gradient of an operation that looked up rows of a source.
  bool AddRows(const Record& record, const Tensor& upstream,
               const bool* is_source, SlotGradients& gradients) const {
    const int slot = InputsOf(record)[0];
    if (!record.lookup || !is_source[slot]) return false;
    const auto& [indices, shape] = *record.lookup;
    const int64_t count = indices.num_elements();
    gradients.AddRows(
        slot, {upstream.Reshape(shape.WithDim(0, count)),
               indices.Cast(DType::kInt64).Reshape(Shape{count}), shape});
    return true;
  }

  // Plays one operation backwards and destroys its closure.
  void PlayBack(Record& record, const bool* useful, const bool* is_source,
                SlotGradients& gradients, bool rows_stay_rows) {
    const Backward backward = std::move(record.backward);
    record.backward = nullptr;
    std::optional<Tensor>& slot = gradients.Dense(record.output_slot);
    if (!slot || !useful[record.output_slot]) return;
    const TraceSpan span(SpanName(record), "backward");
    const std::span<const int> inputs = InputsOf(record);
    auto needed = std::make_unique<bool[]>(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      needed[i] = inputs[i] != kNotFollowed && useful[inputs[i]];
    }
    const Tensor upstream = *slot;
    if (!is_source[record.output_slot]) slot.reset();
    if (rows_stay_rows && AddRows(record, upstream, is_source, gradients)) {
      return;
    }
    auto parts = backward(upstream, {needed.get(), inputs.size()});
    LOCKSTEP_CHECK(parts.size() == inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (needed[i] && parts[i]) {
        gradients.Add(inputs[i], *std::move(parts[i]));
      }
    }
  }

  // A source, and the record after whose playback its gradient is final;
  // records.size() if that is before playback.
  struct Completion {
    size_t source;
    size_t record;
  };

  static std::vector<Completion> AllAtTheEnd(size_t sources) {
    std::vector<Completion> completions;
    for (size_t i = 0; i < sources; ++i) completions.push_back({i, 0});
    return completions;
  }

  // The earliest completion of each source, in the order of playback.
  std::vector<Completion> FindCompletions(
      int target_slot,
      const std::vector<std::vector<int>>& source_slots) const {
    std::vector<size_t> last_adding(slots.size(), records.size());
    auto leads_to_target = std::make_unique<bool[]>(slots.size());
    if (target_slot != kNotFollowed) leads_to_target[target_slot] = true;
    for (size_t i = records.size(); i-- > 0;) {
      if (!leads_to_target[records[i].output_slot]) continue;
      for (const int slot : InputsOf(records[i])) {
        if (slot == kNotFollowed) continue;
        leads_to_target[slot] = true;
        last_adding[slot] = i;
      }
    }
    std::vector<Completion> completions;
    for (size_t source = 0; source < source_slots.size(); ++source) {
      completions.push_back({source, records.size()});
      for (const int slot : source_slots[source]) {
        size_t& record = completions.back().record;
        record = std::min(record, last_adding[slot]);
      }
    }
    std::ranges::stable_sort(completions, std::greater<>(),
                             &Completion::record);
    return completions;
  }

  VariableGradients Play(const Tensor& target,
                         const std::vector<std::vector<int>>& source_slots,
                         const OnReady& on_ready, bool rows_stay_rows) {
    const int target_slot = SlotOf(target);
    const auto useful = FindUseful(source_slots);
    const auto is_source = FindSources(source_slots);
    const auto completions = on_ready
                                 ? FindCompletions(target_slot, source_slots)
                                 : AllAtTheEnd(source_slots.size());
    VariableGradients result(source_slots.size());
    SlotGradients gradients(slots.size());
    auto next = completions.begin();
    const auto complete = [&](size_t played) {
      for (; next != completions.end() && next->record >= played; ++next) {
        std::optional<VariableGradient>& sum = result[next->source];
        sum = gradients.Sum(source_slots[next->source]);
        if (!on_ready) continue;
        const Tensor* dense = sum ? std::get_if<Tensor>(&*sum) : nullptr;
        on_ready(next->source, dense ? std::optional(*dense) : std::nullopt);
      }
    };
    if (target_slot != kNotFollowed) {
      gradients.Add(target_slot, OnesLike(target));
    }
    complete(records.size());
    for (size_t i = records.size(); i-- > 0;) {
      PlayBack(records[i], useful.get(), is_source.get(), gradients,
               rows_stay_rows);
      complete(i);
    }
    return result;
  }

  alignas(std::max_align_t) std::array<std::byte, 8192> memory;
  std::pmr::monotonic_buffer_resource arena{memory.data(), memory.size()};
  std::pmr::unordered_map<uint64_t, int> slots{&arena};
  std::pmr::unordered_multimap<const Variable*, int> variable_slots{&arena};
  std::pmr::vector<int> input_slots{&arena};
  std::pmr::vector<Record> records{&arena};
  std::vector<std::string> span_names;  // of records, if they are traced
};

GradientTape::GradientTape()
    : state_(std::make_unique<State>()), outer_(innermost_tape) {
  innermost_tape = this;
}

GradientTape::~GradientTape() {
  // Tapes need not be destroyed in reverse order.
  GradientTape** link = &innermost_tape;
  while (*link != this) link = &(*link)->outer_;
  *link = outer_;
}

void GradientTape::Watch(const Tensor& tensor) {
  if (state_) state_->Follow(tensor);
}

template <typename Source>
Gradients GradientTape::GradientBy(const Tensor& target,
                                   std::span<const Source> sources,
                                   const OnReady& on_ready) {
  const std::unique_ptr<State> state = TakeState();
  const auto slots = state->SlotsOfSources<Source>(sources);
  Gradients gradients;
  for (auto& gradient :
       state->Play(target, slots, on_ready, /*rows_stay_rows=*/false)) {
    if (!gradient) {
      gradients.emplace_back(std::nullopt);
    } else {
      gradients.push_back(std::get<Tensor>(*std::move(gradient)));
    }
  }
  return gradients;
}

VariableGradients GradientTape::SparseGradient(
    const Tensor& target, const std::vector<VariablePtr>& sources,
    const OnReady& on_ready) {
  const std::unique_ptr<State> state = TakeState();
  return state->Play(target, state->SlotsOfSources<VariablePtr>(sources),
                     on_ready, /*rows_stay_rows=*/true);
}

Gradients GradientTape::Gradient(const Tensor& target,
                                 const std::vector<VariablePtr>& sources,
                                 const OnReady& on_ready) {
  return GradientBy<VariablePtr>(target, sources, on_ready);
}

Gradients GradientTape::Gradient(const Tensor& target,
                                 const std::vector<Tensor>& sources,
                                 const OnReady& on_ready) {
  return GradientBy<Tensor>(target, sources, on_ready);
}

Gradients GradientTape::Gradient(const Tensor& target,
                                 std::span<const GradientSource> sources,
                                 const OnReady& on_ready) {
  return GradientBy<GradientSource>(target, sources, on_ready);
}

std::unique_ptr<GradientTape::State> GradientTape::TakeState() {
  if (!state_) {
    throw FailedPrecondition(
        "[Gradient] a tape works once, this one is used up");
  }
  return std::move(state_);
}

void RecordOperation(const std::vector<Tensor>& inputs, const Tensor& output,
                     Backward backward) {
  for (GradientTape* tape = innermost_tape; tape; tape = tape->outer_) {
    if (!tape->state_) continue;
    const bool follows = std::ranges::any_of(inputs, [&](const Tensor& input) {
      return tape->state_->SlotOf(input) != kNotFollowed;
    });
    if (follows) tape->state_->Add(inputs, output, backward);
  }
}

void RecordGather(const Tensor& params, const Shape& shape,
                  const Tensor& indices, const Tensor& rows) {
  const Backward backward = [=](const Tensor& dy, std::span<const bool>) {
    return Gradients{kernels::GatherBackward(shape, indices, dy)};
  };
  // Not on a GPU, where the host would have to wait for the row numbers.
  std::optional<GradientTape::State::Lookup> lookup;
  if (params.on_host()) lookup = {indices, shape};
  for (GradientTape* tape = innermost_tape; tape; tape = tape->outer_) {
    if (!tape->state_) continue;
    if (tape->state_->SlotOf(params) == kNotFollowed) continue;
    tape->state_->Add({params}, rows, backward, lookup);
  }
}

void RecordVariableRead(const Variable& variable, const Tensor& value) {
  if (!variable.trainable()) return;
  for (GradientTape* tape = innermost_tape; tape; tape = tape->outer_) {
    if (tape->state_) tape->state_->FollowVariable(variable, value);
  }
}

bool IsRecorded(const Tensor& tensor) {
  for (GradientTape* tape = innermost_tape; tape; tape = tape->outer_) {
    if (tape->state_ && tape->state_->SlotOf(tensor) != kNotFollowed) {
      return true;
    }
  }
  return false;
}

}  // namespace lockstep
