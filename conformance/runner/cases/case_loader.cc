#include "conformance/runner/cases/case_loader.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "conformance/runner/cases/expectation_reader.h"
#include "conformance/runner/cases/model_copies.h"
#include "conformance/runner/cases/named_values.h"
#include "conformance/runner/cases/parameters.h"
#include "conformance/runner/cases/program.h"
#include "conformance/runner/text/name_forms.h"

namespace lockstep {
namespace {

constexpr int kFormat = 1;

// One replica count, or a list of different ones.
void CheckCounts(const JsonCursor& replicas) {
  if (!replicas.json().is_array()) {
    replicas.IntegerBetween(1, kMaxReplicas);
    return;
  }
  std::set<int64_t> counts;
  for (const JsonCursor& item : replicas.NonEmptyItems()) {
    if (!counts.insert(item.IntegerBetween(1, kMaxReplicas)).second) {
      item.Fail(fmt::format("duplicate {}", item.Integer()));
    }
  }
  if (counts.size() < 2) {
    replicas.Fail("wanted a number, or a list of at least two");
  }
}

// A count that is given for some strategies, and for no other.
void CheckOnlyFor(const JsonCursor& given, const char* count, bool is_for_it,
                  std::string_view strategies) {
  if (is_for_it == given.Find(count).has_value()) return;
  given.Fail(fmt::format("'{}' is required with {}, and only allowed there",
                         count, strategies));
}

// A kind and its numbers, which are those of the step partitioner.partitions.
void CheckPartitioner(const JsonCursor& partitioner) {
  partitioner.AllowOnly({"kind", "num_shards", "min_shard_bytes", "max_shards",
                         "max_shard_bytes"});
  const std::string kind = partitioner["kind"].String();
  if (kind != "fixed_shards" && kind != "min_size" && kind != "max_size") {
    partitioner["kind"].Fail(fmt::format(
        "unknown partitioner '{}', wanted fixed_shards, min_size or max_size",
        kind));
  }
  for (const auto& [name, value] : partitioner.Fields()) {
    if (name != "kind") value.IntegerBetween(1, kMaxShardBytes);
  }
}

void CheckStrategy(const JsonCursor& given) {
  const std::string strategy = given["strategy"].String();
  const bool mirrored = strategy == "mirrored";
  const bool multi_worker = strategy == "multi_worker_mirrored";
  const bool server = strategy == "parameter_server";
  if (!mirrored && !multi_worker && !server && strategy != "default") {
    given["strategy"].Fail(
        fmt::format("unknown strategy '{}', wanted mirrored, "
                    "multi_worker_mirrored, parameter_server or default",
                    strategy));
  }
  CheckOnlyFor(given, "replicas", mirrored || multi_worker,
               "a mirrored strategy");
  CheckOnlyFor(given, "workers", multi_worker || server,
               "multi_worker_mirrored or parameter_server");
  CheckOnlyFor(given, "servers", server, "parameter_server");
  if (!server && given.Find("partitioner")) {
    given.Fail("'partitioner' is only allowed with parameter_server");
  }
}

const Json& ReadGiven(const JsonCursor& cursor) {
  cursor.AllowOnly({"strategy", "workers", "servers", "partitioner", "replicas",
                    "logical_devices", "parameters"});
  CheckStrategy(cursor);
  if (const auto replicas = cursor.Find("replicas")) CheckCounts(*replicas);
  for (const char* count : {"workers", "servers"}) {
    if (const auto processes = cursor.Find(count)) {
      processes->IntegerBetween(1, kMaxWorkers);
    }
  }
  if (const auto partitioner = cursor.Find("partitioner")) {
    CheckPartitioner(*partitioner);
  }
  if (const auto devices = cursor.Find("logical_devices")) {
    devices->IntegerBetween(1, kMaxReplicas);
  }
  return cursor.json();
}

// The ids of the statements that the case shows. tools/check_cases checks that
// they exist.
void CheckHolds(const JsonCursor& holds) {
  std::set<std::string> ids;
  for (const JsonCursor& item : holds.NonEmptyItems()) {
    if (!ids.insert(item.Text()).second) {
      item.Fail(fmt::format("duplicate statement {}", item.Text()));
    }
  }
}

// The names that are bound before the first step of a program.
Names NamesGiven(const Json& given) {
  return given["strategy"] == "default" ? Names{} : Names{"strategy"};
}

// The case with the literals of its file filled in.
Json WithLiterals(const JsonCursor& cursor, const Json& literals,
                  std::set<std::string>& used) {
  constexpr std::string_view kKind = "literal";
  const JsonCursor program = cursor["program"];
  used.merge(CheckNames(program, kKind, literals, "'literals' of this file"));
  Json filled = cursor.json();
  filled["program"] = WithValues(program.json(), kKind, literals);
  return filled;
}

void ExpectEqualCopies(Case& conformance_case) {
  for (const ObservedCopies& copies : ObserveCopies(conformance_case.program)) {
    Expectation expectation;
    expectation.relation = Relation::kSameOnAllReplicas;
    expectation.observation = copies.observation;
    expectation.value = true;
    expectation.level = conformance_case.level;
    expectation.replicas = copies.replicas;
    expectation.is_implied = true;
    conformance_case.expect.push_back(std::move(expectation));
    conformance_case.expect_json.push_back(
        {{"observation", copies.observation},
         {RelationName(Relation::kSameOnAllReplicas), true}});
  }
}

}  // namespace

CaseLoader CaseLoader::OfFolder(const std::string& folder) {
  CaseLoader loader(Sources::Load(folder + "/sources.json"),
                    Operations::Load(DocumentsIn(folder)),
                    Conventions::Load(folder + "/conventions.json"));
  loader.Load(folder + "/cases");
  return loader;
}

namespace {

std::vector<std::filesystem::path> JsonFilesIn(
    const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  std::filesystem::recursive_directory_iterator entry(folder, problem);
  for (; !problem && entry != end(entry); entry.increment(problem)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (problem) {
    throw SystemError(problem.value(), "[LoadCases] cannot list {}",
                      folder.string());
  }
  return files;
}

}  // namespace

void CaseLoader::Load(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw NotFound("[LoadCases] there is no file or folder {}", path.string());
  }
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path)) {
    files = JsonFilesIn(path);
  } else {
    files.push_back(path);
  }
  std::ranges::sort(files);
  for (const auto& file : files) LoadFile(file);
  std::ranges::sort(cases_, {}, &Case::id);
}

void CaseLoader::LoadFile(const std::filesystem::path& path) {
  Read(ReadJsonFile(path.string()), path);
}

void CaseLoader::Read(const Json& json, const std::filesystem::path& path) {
  const JsonCursor root(json, path.string(), "LoadCases");
  root.AllowOnly({"format", "topic", "literals", "cases"});
  root.CheckFormat(kFormat);
  const std::string topic = root["topic"].Text();
  const std::string id_prefix =
      std::filesystem::absolute(path).parent_path().filename().string() + "/" +
      path.stem().string() + "/";
  const Json none = Json::object();
  const JsonCursor literals = root.Find("literals").value_or(root.With(none));
  literals.CheckObject();
  std::set<std::string> used;
  for (const JsonCursor& cursor : root["cases"].NonEmptyItems()) {
    const Json filled = WithLiterals(cursor, literals.json(), used);
    cases_.push_back(ReadCase(cursor.With(filled), id_prefix, topic));
  }
  CheckAllUsed(literals, used, "the programs of this file do not");
}

Case CaseLoader::ReadCase(const JsonCursor& cursor,
                          const std::string& id_prefix,
                          const std::string& topic) {
  cursor.AllowOnly({"id", "level", "states", "cites", "holds", "given",
                    "program", "expect"});
  CheckId(cursor["id"], id_prefix);
  Case result;
  result.id = cursor["id"].String();
  result.topic = topic;
  result.level = ReadLevel(cursor["level"]);
  result.states = cursor["states"].Text();
  result.cites = ReadCitations(cursor["cites"]);
  if (const auto holds = cursor.Find("holds")) CheckHolds(*holds);
  result.given = ReadGiven(cursor["given"]);
  result.program = cursor["program"].json();
  if (const auto parameters = cursor["given"].Find("parameters")) {
    CheckParameters(cursor["program"], *parameters);
  }
  const ProgramNames names = CheckProgramOf(result, cursor, result.given);
  result.of_intents =
      std::ranges::any_of(names.steps, [&](const std::string& step) {
        return operations_.Find(step)->is_intent;
      });
  result.expect =
      ReadExpectations(cursor["expect"], result.level, names, conventions_);
  result.expect_json = cursor["expect"].json();
  ResolveOtherRuns(result, cursor);
  ExpectEqualCopies(result);
  return result;
}

ProgramNames CaseLoader::CheckProgramOf(const Case& conformance_case,
                                        const JsonCursor& cursor,
                                        const Json& given) const {
  const Json program =
      WithParameters(conformance_case.program, SplitOff(given).parameters);
  return CheckProgram(cursor["program"].With(program), operations_,
                      NamesGiven(given));
}

void CaseLoader::ResolveOtherRuns(Case& conformance_case,
                                  const JsonCursor& cursor) const {
  for (const Expectation& expectation : conformance_case.expect) {
    if (expectation.other_given.contains("parameters")) {
      const Json other =
          MergeGiven(conformance_case.given, expectation.other_given);
      CheckParameters(cursor["program"],
                      cursor["given"].With(other)["parameters"]);
      CheckProgramOf(conformance_case, cursor, other);
    }
    if (!expectation.to_rounding || !conformance_case.inputs.empty()) continue;
    conformance_case.inputs =
        InputFieldsOf(conformance_case.program, operations_);
    if (conformance_case.inputs.empty()) {
      cursor["expect"].Fail(
          "rounding is estimated by perturbing the program's inputs, but no "
          "step "
          "has an argument of type data");
    }
  }
}

void CaseLoader::CheckId(const JsonCursor& cursor,
                         const std::string& id_prefix) {
  const std::string& id = cursor.String();
  if (!IsCaseId(id)) {
    cursor.Fail(fmt::format(
        "the id '{}' is not <area>/<topic>/<claim> in lower snake case", id));
  }
  if (!id.starts_with(id_prefix)) {
    cursor.Fail(
        fmt::format("the id '{}' does not match its file, wanted {}<claim>", id,
                    id_prefix));
  }
  const auto [entry, is_new] = file_of_id_.emplace(id, cursor.file());
  if (!is_new) {
    cursor.Fail(
        fmt::format("the id '{}' is already used in {}", id, entry->second));
  }
}

std::vector<Citation> CaseLoader::ReadCitations(
    const JsonCursor& cursor) const {
  std::vector<Citation> citations;
  for (const JsonCursor& item : cursor.NonEmptyItems()) {
    item.AllowOnly({"source", "anchor"});
    const std::string source = item["source"].Text();
    if (!sources_.Contains(source)) {
      item["source"].Fail(
          fmt::format("unknown source '{}', not in sources.json", source));
    }
    citations.push_back({source, item["anchor"].Text()});
  }
  return citations;
}

}  // namespace lockstep
