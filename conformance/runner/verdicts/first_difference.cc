#include "conformance/runner/verdicts/first_difference.h"

#include <fmt/core.h>

#include <optional>
#include <utility>
#include <vector>

#include "conformance/runner/cases/moved_inputs.h"
#include "conformance/runner/cases/parameters.h"
#include "conformance/runner/verdicts/compare.h"
#include "conformance/runner/verdicts/rounding.h"
#include "conformance/runner/verdicts/traced_program.h"

namespace lockstep {
namespace {

// One of the two runs.
struct Side {
  Json given;
  TracedProgram traced;
};

Side SideOf(const Case& conformance_case, const Json& given) {
  SplitGiven split = SplitOff(given);
  const int64_t replicas = split.given.value("replicas", int64_t{1});
  return {
      std::move(split.given),
      TracedProgram(WithParameters(conformance_case.program, split.parameters),
                    replicas)};
}

// Which program of a side is asked.
using Trace = std::function<Json(const TracedProgram&, bool gradients)>;

// What both sides observed, the other one also with its inputs moved.
struct Traces {
  bool has_gradients;
  Json judged = nullptr;
  std::vector<Json> others = {};
};

// How the runs part, behind a training step or a part of it.
struct Parting {
  bool in_gradients;   // else in parameters
  bool has_gradients;  // which agree where they are not what differs
  std::string difference;
};

// Of a batch, or a step of the optimizer, before which everything agreed.
std::string DescribeInPart(const Parting& parting) {
  const char* what = parting.in_gradients ? "the gradient differs"
                     : parting.has_gradients
                         ? "the gradient agrees, the update differs: parameters"
                         : "no gradient is told, parameters differ";
  return fmt::format("{} {}", what, parting.difference);
}

// Behind several, where what differed first may have changed the rest.
std::string DescribeBehindParts(const Parting& parting) {
  return fmt::format(
      "behind it {} {}",
      parting.in_gradients ? "its last gradient differs" : "parameters differ",
      parting.difference);
}

class Search {
 public:
  Search(const Case& conformance_case, const Json& given,
         const Expectation& expectation, const AskProgram& ask)
      : case_(conformance_case),
        expectation_(expectation),
        ask_(ask),
        judged_(SideOf(conformance_case, given)),
        other_(SideOf(conformance_case,
                      MergeGiven(given, expectation.other_given))) {}

  std::string Run() const {
    const size_t steps = judged_.traced.steps().size();
    if (steps == 0) return "";
    const auto traces = AskBoth([](const TracedProgram& of, bool gradients) {
      return of.Whole(gradients);
    });
    if (!traces) return "";
    for (size_t step = 0; step < steps; ++step) {
      if (const auto parting = Compare(*traces, step)) {
        return fmt::format("training step {} of {} ({}){}", step + 1, steps,
                           judged_.traced.steps()[step].name,
                           SearchStep(step, *parting));
      }
    }
    return fmt::format(
        "not in training: {} agree behind every training step ({}), what is "
        "observed differs",
        traces->has_gradients ? "gradients and parameters" : "parameters",
        steps);
  }

 private:
  // What a training step is searched in.
  struct Parts {
    bool are_batches;  // else steps of the optimizer
    int64_t count;     // 0: it is not searched
  };

  // Batches where both runs have as many, else what these are in each.
  Parts PartsOf(size_t step) const {
    const TrainingStep& judged = judged_.traced.steps()[step];
    const TrainingStep& other = other_.traced.steps()[step];
    if (judged.batches == other.batches) return {true, judged.batches};
    if (judged.window == 0 || other.window == 0) return {false, 0};
    const int64_t count = judged.batches / judged.window;
    return {false, count == other.batches / other.window ? count : 0};
  }

  // What is told behind the step's name. `at_its_end`: how the runs part there.
  std::string SearchStep(size_t step, const Parting& at_its_end) const {
    const Parts parts = PartsOf(step);
    if (parts.count == 1) return ": " + DescribeInPart(at_its_end);
    const std::string unsearched = ": " + DescribeBehindParts(at_its_end);
    if (parts.count == 0) return unsearched;
    // Behind `same` parts all agrees; behind `apart` not, or they are over.
    int64_t same = 0;
    int64_t apart = parts.count + 1;
    Parting first = at_its_end;
    while (apart - same > 1) {
      const int64_t middle = same + (apart - same) / 2;
      const auto traces = AskWithin(step, parts, middle);
      if (!traces) return unsearched;
      const auto parting = Compare(*traces, step);
      (parting ? apart : same) = middle;
      if (parting) first = *parting;
    }
    const std::string place =
        apart > parts.count
            ? " at its end, behind its batches"
            : fmt::format(", {} {}",
                          parts.are_batches ? "batch" : "optimizer step",
                          apart);
    return fmt::format("{}: {}", place, DescribeInPart(first));
  }

  std::optional<Traces> AskWithin(size_t step, const Parts& parts,
                                  int64_t count) const {
    return AskBoth([&](const TracedProgram& of, bool gradients) {
      const int64_t each = parts.are_batches ? 1 : of.steps()[step].window;
      return of.Within(step, count * each, gradients);
    });
  }

  // Without gradients where the testee has none to tell.
  std::optional<Traces> AskBoth(const Trace& trace) const {
    for (const bool gradients : {true, false}) {
      Traces traces{.has_gradients = gradients};
      const std::optional<Answer> problem = Fill(trace, traces);
      if (!problem) return traces;
      const auto* unsupported = std::get_if<Unsupported>(&*problem);
      if (!unsupported || !ObservesGradients(unsupported->step)) break;
    }
    return std::nullopt;
  }

  // Gives the first answer that has no observations.
  std::optional<Answer> Fill(const Trace& trace, Traces& traces) const {
    const auto ask = [&](const Side& side, int trial) {
      Json program = trace(side.traced, traces.has_gradients);
      return ask_(side.given,
                  MoveInputs(std::move(program), case_.inputs, trial));
    };
    Answer answer = ask(judged_, 0);
    auto* judged = std::get_if<Observations>(&answer);
    if (!judged) return answer;
    traces.judged = std::move(judged->values);
    const int trials = expectation_.to_rounding ? Rounding::kTrials : 0;
    for (int trial = 0; trial <= trials; ++trial) {
      answer = ask(other_, trial);
      auto* other = std::get_if<Observations>(&answer);
      if (!other) return answer;
      traces.others.push_back(std::move(other->values));
    }
    return std::nullopt;
  }

  std::optional<Parting> Compare(const Traces& traces, size_t step) const {
    const TracedProgram& of = judged_.traced;
    for (const bool in_gradients : {true, false}) {
      const std::string name =
          in_gradients ? of.GradientsOf(step) : of.ParametersOf(step);
      if (const Difference difference = Diff(traces, name)) {
        return Parting{in_gradients, traces.has_gradients, *difference};
      }
    }
    return std::nullopt;
  }

  Difference Diff(const Traces& traces, const std::string& name) const {
    const Json judged = traces.judged.value(name, Json());
    const Json other = traces.others[0].value(name, Json());
    if (!expectation_.to_rounding) {
      return DiffClose(other, judged, expectation_.rtol, expectation_.atol);
    }
    Rounding rounding(other);
    for (size_t trial = 1; trial < traces.others.size(); ++trial) {
      if (!rounding.Add(traces.others[trial].value(name, Json()))) {
        return "with inputs moved by a rounding unit: of another form";
      }
    }
    return rounding.Diff(judged);
  }

  const Case& case_;
  const Expectation& expectation_;
  const AskProgram& ask_;
  const Side judged_;
  const Side other_;
};

}  // namespace

std::string FirstDifference(const Case& conformance_case, const Json& given,
                            const Finding& finding, const AskProgram& ask) {
  const Expectation& expectation = *finding.expectation;
  const bool compares_runs = expectation.relation == Relation::kSameAs &&
                             !expectation.other_given.empty();
  if (finding.holds || !compares_runs || finding.compared_with.is_null() ||
      (expectation.to_rounding && finding.rounding.is_null())) {
    return "";
  }
  return Search(conformance_case, given, expectation, ask).Run();
}

}  // namespace lockstep
