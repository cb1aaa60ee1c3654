// Both searches keep a flat list of sequences that have not ended, of all rows
// in order, and call the step function for these only: after each step the state
// is gathered by the numbers of the sequences that go on. Where all do, in order,
// it is left as it is.
#include "reference/decoding/decode.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "reference/base/error.h"
#include "reference/kernels/movement/movement.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

void CheckOptions(std::string_view operation, int64_t rows,
                  const DecodeOptions& options) {
  if (rows < 0 || options.most_tokens < 1) {
    throw InvalidArgument(
        "[{}] wanted rows >= 0 and most_tokens >= 1, got {} and {}", operation,
        rows, options.most_tokens);
  }
}

// A sequence that has not ended.
struct Live {
  int64_t row;
  std::vector<int64_t> tokens;
  double log_probability = 0;
};

// How a sequence may continue. `parent` is its position in the list of all.
struct Continuation {
  int64_t parent;
  int64_t token;
  double log_probability;
};

// More probable first.
bool Before(const Continuation& a, const Continuation& b) {
  return std::tuple(-a.log_probability, a.parent, a.token) <
         std::tuple(-b.log_probability, b.parent, b.token);
}

// The step function, its state, and the sequences that it scores.
class Search {
 public:
  Search(std::string_view operation, const DecodingStep& step, Structure state,
         int64_t rows, const DecodeOptions& options)
      : operation_(operation),
        step_(step),
        state_(std::move(state)),
        options_(options) {
    for (int64_t row = 0; row < rows; ++row) live_.push_back({row, {}});
  }

  const std::vector<Live>& live() const { return live_; }

  // Scores the next tokens of all. REQUIRES: there are some.
  void Step() {
    Tensor tokens = EmptyOnHost(Shape{std::ssize(live_)}, DType::kInt64);
    for (size_t i = 0; i < live_.size(); ++i) {
      const auto& sequence = live_[i].tokens;
      tokens.mutable_data<int64_t>()[i] =
          sequence.empty() ? options_.start_token : sequence.back();
    }
    NextTokens next = step_(state_, tokens);
    state_ = std::move(next.state);
    scores_ = next.log_probabilities.ToHost().Cast(DType::kFloat64);
    CheckScores();
  }

  // Of one sequence, those that are possible, in the order of tokens.
  std::vector<Continuation> ContinuationsOf(int64_t parent) const {
    const int64_t vocabulary = scores_.dim(1);
    const auto scores =
        scores_.span<double>().subspan(parent * vocabulary, vocabulary);
    std::vector<Continuation> all;
    for (int64_t token = 0; token < vocabulary; ++token) {
      if (scores[token] == kImpossible) continue;
      all.push_back(
          {parent, token, live_[parent].log_probability + scores[token]});
    }
    return all;
  }

  // These sequences go on. REQUIRES: in the order of their parents' rows.
  void Continue(std::span<const Continuation> chosen) {
    std::vector<Live> next;
    Tensor parents = EmptyOnHost(Shape{std::ssize(chosen)}, DType::kInt64);
    bool same = chosen.size() == live_.size();
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Continuation& each = chosen[i];
      next.push_back(live_[each.parent]);
      next.back().tokens.push_back(each.token);
      next.back().log_probability = each.log_probability;
      parents.mutable_data<int64_t>()[i] = each.parent;
      same = same && each.parent == static_cast<int64_t>(i);
    }
    live_ = std::move(next);
    if (same || live_.empty()) return;
    state_ = state_.Map<Tensor>([&](const Tensor& leaf) {
      return kernels::Gather(leaf, parents.To(leaf.device()));
    });
  }

 private:
  void CheckScores() const {
    const int64_t rows = std::ssize(live_);
    if (scores_.rank() != 2 || scores_.dim(0) != rows ||
        options_.end_token < 0 || options_.end_token >= scores_.dim(1)) {
      throw InvalidArgument(
          "[{}] the step function gave log probabilities {}, wanted ({}, "
          "vocabulary) with a column for the end token, {}",
          operation_, Describe(scores_), rows, options_.end_token);
    }
    const auto nan = std::ranges::find_if(
        scores_.span<double>(), [](double score) { return std::isnan(score); });
    if (nan != scores_.span<double>().end()) {
      const int64_t place = nan - scores_.span<double>().begin();
      throw InvalidArgument(
          "[{}] the log probability of token {} is NaN after {} tokens of row "
          "{}: the model may have diverged",
          operation_, place % scores_.dim(1),
          live_[place / scores_.dim(1)].tokens.size(),
          live_[place / scores_.dim(1)].row);
    }
  }

  std::string_view operation_;
  const DecodingStep& step_;
  Structure state_;
  DecodeOptions options_;
  std::vector<Live> live_;
  Tensor scores_;  // of the last step
};

Hypothesis MakeHypothesis(const Live& sequence, double log_probability,
                          bool ended, double length_penalty) {
  const double length = static_cast<double>(sequence.tokens.size()) + ended;
  return {.tokens = sequence.tokens,
          .log_probability = log_probability,
          .score = log_probability / std::pow((5 + length) / 6, length_penalty),
          .ended = ended};
}

class BeamSearch {
 public:
  BeamSearch(const DecodingStep& step, const Structure& state, int64_t rows,
             const BeamOptions& options)
      : options_(options),
        search_("BeamDecode", step, state, rows, options.decode),
        results_(rows) {}

  std::vector<std::vector<Hypothesis>> Run() {
    for (int64_t i = 0;
         i < options_.decode.most_tokens && !search_.live().empty(); ++i) {
      search_.Step();
      std::vector<Continuation> chosen;
      const auto& live = search_.live();
      for (size_t begin = 0, end = 0; begin < live.size(); begin = end) {
        while (end < live.size() && live[end].row == live[begin].row) ++end;
        ChooseOfRow(begin, end, chosen);
      }
      search_.Continue(chosen);
    }
    AddUnfinished(0, search_.live().size());
    for (auto& result : results_) Sort(result);
    return std::move(results_);
  }

 private:
  // Sequences begin to end are of one row. Adds to `chosen` those that go on.
  void ChooseOfRow(size_t begin, size_t end,
                   std::vector<Continuation>& chosen) {
    std::vector<Continuation> all;
    for (size_t i = begin; i < end; ++i) {
      const auto more = search_.ContinuationsOf(static_cast<int64_t>(i));
      all.insert(all.end(), more.begin(), more.end());
    }
    // Each sequence has one end, so that twice the beam has enough others.
    const size_t best = std::min<size_t>(2 * options_.beam, all.size());
    if (all.empty()) AddUnfinished(begin, end);
    std::partial_sort(all.begin(), all.begin() + best, all.end(), Before);
    auto& result = results_[search_.live()[begin].row];
    const size_t before = chosen.size();
    for (size_t i = 0; i < best; ++i) {
      const auto beam = static_cast<size_t>(options_.beam);
      if (all[i].token == options_.decode.end_token) {
        if (i >= beam || result.size() == beam) continue;
        result.push_back(MakeHypothesis(search_.live()[all[i].parent],
                                        all[i].log_probability, true,
                                        options_.length_penalty));
      } else if (chosen.size() - before < beam) {
        chosen.push_back(all[i]);
      }
    }
    if (std::ssize(result) == options_.beam) chosen.resize(before);
  }

  // Adds sequences begin to end of the list where their rows have room.
  void AddUnfinished(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Live& sequence = search_.live()[i];
      auto& result = results_[sequence.row];
      if (std::ssize(result) == options_.beam) continue;
      result.push_back(MakeHypothesis(sequence, sequence.log_probability, false,
                                      options_.length_penalty));
    }
  }

  static void Sort(std::vector<Hypothesis>& result) {
    std::ranges::stable_sort(result, {}, [](const Hypothesis& each) {
      return std::pair(!each.ended, -each.score);
    });
  }

  BeamOptions options_;
  Search search_;
  std::vector<std::vector<Hypothesis>> results_;
};

}  // namespace

std::vector<Hypothesis> GreedyDecode(const DecodingStep& step,
                                     const Structure& state, int64_t rows,
                                     const DecodeOptions& options) {
  CheckOptions("GreedyDecode", rows, options);
  Search search("GreedyDecode", step, state, rows, options);
  std::vector<Hypothesis> results(rows);
  for (int64_t i = 0; i < options.most_tokens && !search.live().empty(); ++i) {
    search.Step();
    std::vector<Continuation> chosen;
    for (int64_t n = 0; n < std::ssize(search.live()); ++n) {
      const Live& sequence = search.live()[n];
      const auto all = search.ContinuationsOf(n);
      const auto best = std::ranges::min_element(all, Before);
      if (best == all.end()) {  // no token is possible
        results[sequence.row] =
            MakeHypothesis(sequence, sequence.log_probability, false, 0);
      } else if (best->token == options.end_token) {
        results[sequence.row] =
            MakeHypothesis(sequence, best->log_probability, true, 0);
      } else {
        chosen.push_back(*best);
      }
    }
    search.Continue(chosen);
  }
  for (const Live& sequence : search.live()) {
    results[sequence.row] =
        MakeHypothesis(sequence, sequence.log_probability, false, 0);
  }
  return results;
}

std::vector<std::vector<Hypothesis>> BeamDecode(const DecodingStep& step,
                                                const Structure& state,
                                                int64_t rows,
                                                const BeamOptions& options) {
  CheckOptions("BeamDecode", rows, options.decode);
  if (options.beam < 1) {
    throw InvalidArgument("[BeamDecode] beam must be at least 1, got {}",
                          options.beam);
  }
  return BeamSearch(step, state, rows, options).Run();
}

}  // namespace lockstep
