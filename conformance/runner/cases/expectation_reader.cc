#include "conformance/runner/cases/expectation_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "conformance/runner/cases/program.h"
#include "conformance/runner/testee.h"

namespace lockstep {
namespace {

constexpr std::array kRelations = {
    Relation::kEquals,       Relation::kClose,
    Relation::kError,        Relation::kSameOnAllReplicas,
    Relation::kMultipleOf,   Relation::kSameMultiset,
    Relation::kSameAs,       Relation::kDiffersFrom,
    Relation::kEntriesDiffer};

Relation ReadRelation(const JsonCursor& cursor) {
  std::vector<Relation> found;
  for (Relation relation : kRelations) {
    if (cursor.Find(RelationName(relation))) found.push_back(relation);
  }
  if (found.size() != 1) {
    std::vector<std::string_view> names;
    for (Relation relation : kRelations) {
      names.push_back(RelationName(relation));
    }
    cursor.Fail(fmt::format("wanted exactly one of {}, got {}",
                            fmt::join(names, ", "), found.size()));
  }
  return found[0];
}

void CheckErrorClass(const JsonCursor& cursor) {
  if (!IsErrorClass(cursor.String())) {
    cursor.Fail(fmt::format("unknown error class '{}'", cursor.String()));
  }
}

void CheckObservation(const JsonCursor& cursor, const ProgramNames& program) {
  if (!program.observations.contains(cursor.String())) {
    cursor.Fail(
        fmt::format("no step of the program observes '{}'", cursor.String()));
  }
}

// The step is required: otherwise an implementation that rejects every program
// would pass.
std::vector<std::string> ReadAtSteps(const JsonCursor& cursor,
                                     const ProgramNames& program) {
  std::vector<std::string> steps;
  for (const JsonCursor& step : cursor.json().is_string()
                                    ? std::vector{cursor}
                                    : cursor.NonEmptyItems()) {
    steps.push_back(step.Text());
    if (!program.steps.contains(steps.back())) {
      step.Fail(fmt::format("the program has no step {}", steps.back()));
    }
  }
  return steps;
}

void ReadTolerance(const JsonCursor& cursor, Expectation& expectation) {
  if (const auto rtol = cursor.Find("rtol")) {
    expectation.rtol = rtol->NonNegativeNumber();
  }
  if (const auto atol = cursor.Find("atol")) {
    expectation.atol = atol->NonNegativeNumber();
  }
  const bool tolerant = expectation.rtol > 0 || expectation.atol > 0;
  if (expectation.relation == Relation::kClose && !tolerant) {
    cursor.Fail("'close' needs rtol or atol above 0; else use 'equals'");
  }
  if (tolerant && !cursor.Find("because")) {
    cursor.Fail("a tolerance needs its reason in 'because'");
  }
}

void ReadOtherGiven(const JsonCursor& given) {
  given.AllowOnly({"replicas", "parameters"});
  if (const auto replicas = given.Find("replicas")) {
    replicas->IntegerBetween(1, kMaxReplicas);
  }
  if (const auto parameters = given.Find("parameters")) parameters->Fields();
}

// Only another run computes the value again, with its own rounding.
void ReadRounding(const JsonCursor& cursor, Expectation& expectation) {
  const auto tolerance = cursor.Find("tolerance");
  if (!tolerance) return;
  if (tolerance->String() != "rounding") {
    tolerance->Fail(
        fmt::format("wanted rounding, got {}", tolerance->json().dump()));
  }
  if (expectation.other_given.empty() || expectation.rtol > 0 ||
      expectation.atol > 0) {
    tolerance->Fail(
        "an estimated tolerance is only allowed with same_as another run, "
        "without rtol and atol");
  }
  expectation.to_rounding = true;
}

void ReadSameAs(const JsonCursor& cursor, const ProgramNames& program,
                Expectation& expectation) {
  cursor.AllowOnly({"observation", "given"});
  expectation.other_observation = expectation.observation;
  if (const auto other = cursor.Find("observation")) {
    CheckObservation(*other, program);
    expectation.other_observation = other->String();
  }
  if (const auto given = cursor.Find("given")) {
    ReadOtherGiven(*given);
    expectation.other_given = given->json();
  }
  if (expectation.other_observation == expectation.observation &&
      expectation.other_given.empty()) {
    cursor.Fail("an observation is always the same as itself");
  }
}

void ReadDiffersFrom(const JsonCursor& cursor, const ProgramNames& program,
                     Expectation& expectation) {
  CheckObservation(cursor, program);
  expectation.other_observation = cursor.String();
  if (expectation.other_observation == expectation.observation) {
    cursor.Fail("an observation never differs from itself");
  }
}

void ReadValue(const JsonCursor& cursor, const ProgramNames& program,
               Expectation& expectation) {
  const JsonCursor value = cursor[RelationName(expectation.relation)];
  expectation.value = value.json();
  switch (expectation.relation) {
    case Relation::kError:
      CheckErrorClass(value);
      expectation.at_steps = ReadAtSteps(cursor["at_step"], program);
      break;
    case Relation::kSameOnAllReplicas:
      if (value.json() != true && value.json() != "in_each_round") {
        value.Fail(fmt::format("wanted true or \"in_each_round\", got {}",
                               value.json().dump()));
      }
      break;
    case Relation::kMultipleOf:
      if (value.Integer() < 2) {
        value.Fail(fmt::format("wanted an integer of at least 2, got {}",
                               value.json().dump()));
      }
      break;
    case Relation::kSameMultiset:
      value.Items();
      break;
    case Relation::kSameAs:
      ReadSameAs(value, program, expectation);
      ReadRounding(cursor, expectation);
      break;
    case Relation::kDiffersFrom:
      ReadDiffersFrom(value, program, expectation);
      break;
    case Relation::kEntriesDiffer:
      if (value.json() != true) {
        value.Fail(fmt::format("wanted true, got {}", value.json().dump()));
      }
      break;
    case Relation::kEquals:
    case Relation::kClose:
      break;
  }
}

void CheckFields(const JsonCursor& cursor, Relation relation) {
  const std::string_view name = RelationName(relation);
  std::vector<std::string_view> fields =
      relation == Relation::kError
          ? std::vector{name, std::string_view("at_step")}
          : std::vector{std::string_view("observation"), name};
  if (relation == Relation::kClose || relation == Relation::kSameAs) {
    fields.insert(fields.end(), {"rtol", "atol"});
  }
  if (relation == Relation::kSameAs) fields.push_back("tolerance");
  constexpr std::array<std::string_view, 6> kOfAll = {
      "when", "departs", "level", "because", "no_framework_agrees", "by_hand"};
  std::ranges::copy(kOfAll, std::back_inserter(fields));
  cursor.AllowOnly(fields);
}

void ReadConventions(const JsonCursor& cursor, const Conventions& conventions,
                     Expectation& expectation) {
  const auto when = cursor.Find("when");
  const auto departs = cursor.Find("departs");
  if (when && departs) {
    cursor.Fail("wanted either 'when' or 'departs', got both");
  }
  if (when) expectation.when = conventions.ReadWhen(*when);
  if (departs) {
    expectation.when = conventions.ReadWhen(*departs);
    expectation.departs = true;
  }
}

Expectation ReadExpectation(const JsonCursor& cursor, Level case_level,
                            const ProgramNames& program,
                            const Conventions& conventions) {
  Expectation expectation;
  expectation.relation = ReadRelation(cursor);
  CheckFields(cursor, expectation.relation);
  if (expectation.relation != Relation::kError) {
    CheckObservation(cursor["observation"], program);
    expectation.observation = cursor["observation"].String();
  }
  ReadTolerance(cursor, expectation);
  ReadValue(cursor, program, expectation);
  ReadConventions(cursor, conventions, expectation);
  const auto level = cursor.Find("level");
  expectation.level = level ? ReadLevel(*level) : case_level;
  if (expectation.level < case_level) {
    level->Fail(fmt::format("the level {} is above that of the case, {}",
                            LevelName(expectation.level),
                            LevelName(case_level)));
  }
  const auto because = cursor.Find("because");
  if (because) expectation.because = because->Text();
  return expectation;
}

// A program that ends with an error has no observations.
void CheckErrorIsAlone(const JsonCursor& cursor,
                       const std::vector<Expectation>& expectations,
                       size_t error) {
  for (size_t i = 0; i < expectations.size(); ++i) {
    if (i != error && !expectations[error].departs &&
        !ExcludeEachOther(expectations[error].when, expectations[i].when)) {
      cursor.Fail(
          "a program that ends with an error has no observations: use the "
          "step program.try, or a 'when' that excludes the other "
          "expectations");
    }
  }
}

// A departure needs a promised result that it departs from.
void CheckIsPromised(const JsonCursor& cursor, const Expectation& departure,
                     const std::vector<Expectation>& expectations) {
  const bool is_promised =
      std::ranges::any_of(expectations, [&](const Expectation& one) {
        return !one.departs && (departure.relation == Relation::kError ||
                                one.observation == departure.observation);
      });
  if (!is_promised) {
    cursor.Fail("there is no promised result that this departs from");
  }
}

void CheckLevelAndObservations(const JsonCursor& cursor, Level case_level,
                               const ProgramNames& program,
                               const std::vector<Expectation>& expectations) {
  if (std::ranges::find(expectations, case_level, &Expectation::level) ==
      expectations.end()) {
    cursor.Fail(fmt::format("the case is {}, but none of its expectations is",
                            LevelName(case_level)));
  }
  for (const std::string& name : program.observations) {
    if (std::ranges::none_of(expectations, [&](const Expectation& one) {
          return one.observation == name || one.other_observation == name;
        })) {
      cursor.Fail(
          fmt::format("no expectation uses the observation '{}'", name));
    }
  }
}

}  // namespace

Level ReadLevel(const JsonCursor& cursor) {
  const auto found = std::ranges::find(kLevels, cursor.String(), LevelName);
  if (found == kLevels.end()) {
    std::vector<std::string_view> names;
    for (const Level level : kLevels) names.push_back(LevelName(level));
    cursor.Fail(fmt::format("unknown level '{}', wanted one of {}",
                            cursor.String(), fmt::join(names, ", ")));
  }
  return *found;
}

std::vector<Expectation> ReadExpectations(const JsonCursor& cursor,
                                          Level case_level,
                                          const ProgramNames& program,
                                          const Conventions& conventions) {
  const std::vector<JsonCursor> items = cursor.NonEmptyItems();
  std::vector<Expectation> expectations;
  for (const JsonCursor& item : items) {
    expectations.push_back(
        ReadExpectation(item, case_level, program, conventions));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (expectations[i].relation == Relation::kError) {
      CheckErrorIsAlone(items[i], expectations, i);
    }
    if (expectations[i].departs) {
      CheckIsPromised(items[i], expectations[i], expectations);
    }
  }
  CheckLevelAndObservations(cursor, case_level, program, expectations);
  return expectations;
}

}  // namespace lockstep
