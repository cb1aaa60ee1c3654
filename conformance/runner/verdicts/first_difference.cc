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

// One of the two compared runs.
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

// Makes the program to run from that of a side.
using Trace = std::function<Json(const TracedProgram&, bool gradients)>;

// The observations of both sides, of the other one also with perturbed inputs.
struct Traces {
  bool has_gradients;
  Json judged = nullptr;
  std::vector<Json> others = {};
};

// How the runs differ after a training step or a part of it.
struct Divergence {
  bool in_gradients;   // else in parameters
  bool has_gradients;  // which agree unless in_gradients
  std::string difference;
};

// Describes the difference after a batch or an optimizer step, before which
// everything agreed.
std::string DescribeInPart(const Divergence& divergence) {
  const char* what = divergence.in_gradients ? "the gradient differs"
                     : divergence.has_gradients
                         ? "the gradient agrees, the update differs: parameters"
                         : "no gradient is reported, parameters differ";
  return fmt::format("{} {}", what, divergence.difference);
}

// Describes the difference after several of them, where the first one may have
// caused the others.
std::string DescribeAfterParts(const Divergence& divergence) {
  return fmt::format("after it {} {}",
                     divergence.in_gradients ? "the last gradient differs"
                                             : "parameters differ",
                     divergence.difference);
}

class Search {
 public:
  Search(const Case& conformance_case, const Json& given,
         const Expectation& expectation, const ProgramRunner& run)
      : case_(conformance_case),
        expectation_(expectation),
        run_(run),
        judged_(SideOf(conformance_case, given)),
        other_(SideOf(conformance_case,
                      MergeGiven(given, expectation.other_given))) {}

  std::string Run() const {
    const size_t steps = judged_.traced.steps().size();
    if (steps == 0) return "";
    const auto traces = RunBoth([](const TracedProgram& of, bool gradients) {
      return of.Whole(gradients);
    });
    if (!traces) return "";
    for (size_t step = 0; step < steps; ++step) {
      if (const auto divergence = Compare(*traces, step)) {
        return fmt::format("training step {} of {} ({}){}", step + 1, steps,
                           judged_.traced.steps()[step].name,
                           SearchStep(step, *divergence));
      }
    }
    return fmt::format(
        "not in training: {} agree after every training step ({}), the "
        "observation differs",
        traces->has_gradients ? "gradients and parameters" : "parameters",
        steps);
  }

 private:
  // The parts of a training step that are searched.
  struct Parts {
    bool are_batches;  // else steps of the optimizer
    int64_t count;     // 0: it is not searched
  };

  // Batches if both runs have the same number, else optimizer steps.
  Parts PartsOf(size_t step) const {
    const TrainingStep& judged = judged_.traced.steps()[step];
    const TrainingStep& other = other_.traced.steps()[step];
    if (judged.batches == other.batches) return {true, judged.batches};
    if (judged.window == 0 || other.window == 0) return {false, 0};
    const int64_t count = judged.batches / judged.window;
    return {false, count == other.batches / other.window ? count : 0};
  }

  // The text after the name of the step. `at_end`: the difference at its
  // end.
  std::string SearchStep(size_t step, const Divergence& at_end) const {
    const Parts parts = PartsOf(step);
    if (parts.count == 1) return ": " + DescribeInPart(at_end);
    const std::string unsearched = ": " + DescribeAfterParts(at_end);
    if (parts.count == 0) return unsearched;
    // The runs agree after `same` parts. They differ after `apart`, or that is
    // after the last part.
    int64_t same = 0;
    int64_t apart = parts.count + 1;
    Divergence first = at_end;
    while (apart - same > 1) {
      const int64_t middle = same + (apart - same) / 2;
      const auto traces = RunWithin(step, parts, middle);
      if (!traces) return unsearched;
      const auto divergence = Compare(*traces, step);
      (divergence ? apart : same) = middle;
      if (divergence) first = *divergence;
    }
    const std::string place =
        apart > parts.count
            ? " at its end, after its batches"
            : fmt::format(", {} {}",
                          parts.are_batches ? "batch" : "optimizer step",
                          apart);
    return fmt::format("{}: {}", place, DescribeInPart(first));
  }

  std::optional<Traces> RunWithin(size_t step, const Parts& parts,
                                  int64_t count) const {
    return RunBoth([&](const TracedProgram& of, bool gradients) {
      const int64_t each = parts.are_batches ? 1 : of.steps()[step].window;
      return of.Within(step, count * each, gradients);
    });
  }

  // Without gradients if the testee does not support them.
  std::optional<Traces> RunBoth(const Trace& trace) const {
    for (const bool gradients : {true, false}) {
      Traces traces{.has_gradients = gradients};
      const std::optional<Answer> problem = Fill(trace, traces);
      if (!problem) return traces;
      const auto* unsupported = std::get_if<Unsupported>(&*problem);
      if (!unsupported || !ObservesGradients(unsupported->step)) break;
    }
    return std::nullopt;
  }

  // Returns the first answer without observations.
  std::optional<Answer> Fill(const Trace& trace, Traces& traces) const {
    const auto run = [&](const Side& side, int trial) {
      Json program = trace(side.traced, traces.has_gradients);
      return run_(side.given,
                  MoveInputs(std::move(program), case_.inputs, trial));
    };
    Answer answer = run(judged_, 0);
    auto* judged = std::get_if<Observations>(&answer);
    if (!judged) return answer;
    traces.judged = std::move(judged->values);
    const int trials = expectation_.to_rounding ? Rounding::kTrials : 0;
    for (int trial = 0; trial <= trials; ++trial) {
      answer = run(other_, trial);
      auto* other = std::get_if<Observations>(&answer);
      if (!other) return answer;
      traces.others.push_back(std::move(other->values));
    }
    return std::nullopt;
  }

  std::optional<Divergence> Compare(const Traces& traces, size_t step) const {
    const TracedProgram& of = judged_.traced;
    for (const bool in_gradients : {true, false}) {
      const std::string name =
          in_gradients ? of.GradientsOf(step) : of.ParametersOf(step);
      if (const Difference difference = Diff(traces, name)) {
        return Divergence{in_gradients, traces.has_gradients, *difference};
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
        return "with perturbed inputs it has another form";
      }
    }
    return rounding.Diff(judged);
  }

  const Case& case_;
  const Expectation& expectation_;
  const ProgramRunner& run_;
  const Side judged_;
  const Side other_;
};

}  // namespace

std::string FirstDifference(const Case& conformance_case, const Json& given,
                            const Finding& finding, const ProgramRunner& run) {
  const Expectation& expectation = *finding.expectation;
  const bool compares_runs = expectation.relation == Relation::kSameAs &&
                             !expectation.other_given.empty();
  if (finding.holds || !compares_runs || finding.compared_with.is_null() ||
      (expectation.to_rounding && finding.rounding.is_null())) {
    return "";
  }
  return Search(conformance_case, given, expectation, run).Run();
}

}  // namespace lockstep
