// Reads and checks case files.
//
//   CaseLoader loader(Sources::Load("conformance/sources.json"),
//                     Operations::Load({"conformance/operations.md"}),
//                     Conventions::Load("conformance/conventions.json"));
//   loader.Load("mine/cases");                     // all topics of a folder
//   loader.Load("mine/cases/input/rebatch.json");
//   loader.cases();                                // sorted by id
//
//   const CaseLoader all = CaseLoader::OfFolder("conformance");
//   all.cases();   // every case below conformance/cases
//
// Errors: NotFound for a path that does not exist; that of SystemError if a
// folder cannot be listed or a file cannot be read; InvalidArgument with file
// and JSON path for anything that is not a valid case, such as malformed JSON,
// an unknown or missing field, an id that is not "<folder>/<file>/<claim>" or
// is used twice, an unknown level, source, step, convention or relation, an
// argument that the operation does not take, and an expectation on an
// observation that no step records. CaseLoader accepts the case format;
// //tools/check_cases also enforces this repository's rules.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_LOADER_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_LOADER_H_

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/cases/operations.h"
#include "conformance/runner/cases/program.h"
#include "conformance/runner/text/json_file.h"

namespace lockstep {

class CaseLoader {
 public:
  CaseLoader(Sources sources, Operations operations, Conventions conventions)
      : sources_(std::move(sources)),
        operations_(std::move(operations)),
        conventions_(std::move(conventions)) {}

  // Returns a loader with the cases of `folder`, which has cases/,
  // sources.json, operations.md, intents.md and conventions.json.
  static CaseLoader OfFolder(const std::string& folder);

  // Adds the cases of a file, or of every .json file below a folder.
  void Load(const std::filesystem::path& path);

  // Appends the cases of `json` as if it were the content of the file `path`;
  // the cases are sorted by the next Load. If it throws, cases already read
  // remain.
  void Read(const Json& json, const std::filesystem::path& path);

  const std::vector<Case>& cases() const { return cases_; }
  const Sources& sources() const { return sources_; }
  const Operations& operations() const { return operations_; }
  const Conventions& conventions() const { return conventions_; }

 private:
  void LoadFile(const std::filesystem::path& path);
  Case ReadCase(const JsonCursor& cursor, const std::string& id_prefix,
                const std::string& topic);
  // Checks the program with `given`'s parameters filled in; returns the names
  // of its observations and steps.
  ProgramNames CheckProgramOf(const Case& conformance_case,
                              const JsonCursor& cursor,
                              const Json& given) const;
  // Checks the runs that expectations compare with, and finds the inputs to
  // perturb.
  void ResolveOtherRuns(Case& conformance_case, const JsonCursor& cursor) const;
  // Checks the id and records it, to find duplicates.
  void CheckId(const JsonCursor& cursor, const std::string& id_prefix);
  std::vector<Citation> ReadCitations(const JsonCursor& cursor) const;

  Sources sources_;
  Operations operations_;
  Conventions conventions_;
  std::vector<Case> cases_;
  std::map<std::string, std::string> file_of_id_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_LOADER_H_
