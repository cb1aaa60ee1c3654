#include "conformance/testees/reference/parameter_server/cluster_processes.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/cases/program.h"
#include "conformance/testees/reference/value.h"
#include "reference/parameter_server/local/local_addresses.h"

namespace lockstep::conformance {
namespace {

int CountOf(const Json& given, const char* name) {
  const auto found = given.find(name);
  const std::optional<int64_t> wanted =
      found == given.end() ? std::nullopt : IntegerIn(*found);
  if (!wanted || *wanted < 1 || *wanted > kMaxWorkers) {
    throw ProgramError(fmt::format("'{}' is 1 to {}", name, kMaxWorkers));
  }
  return static_cast<int>(*wanted);
}

}  // namespace

ClusterProgram ClusterProgram::Read(const std::string& path) {
  std::ifstream file(path);
  const Json json = Json::parse(file);
  return {.given = json["given"],
          .program = json["program"],
          .folder = json["folder"]};
}

void ClusterProgram::Write(const std::string& path) const {
  std::ofstream(path) << Json{
      {"given", given}, {"program", program}, {"folder", folder}};
}

ClusterProcesses::ClusterProcesses(const ClusterProgram& program,
                                   bool with_workers)
    : cluster_(LocalAddresses(CountOf(program.given, "workers"),
                              CountOf(program.given, "servers"))) {
  program.Write(folder_.path() + "/program.json");
  for (size_t i = 0; i < cluster_.servers.size(); ++i) {
    Start(ParameterServerRole::kServer, static_cast<int>(i));
  }
  for (size_t i = 0; with_workers && i < cluster_.workers.size(); ++i) {
    Start(ParameterServerRole::kWorker, static_cast<int>(i));
  }
}

void ClusterProcesses::Kill(ParameterServerRole role, int index) {
  const auto found = running_.find({role, index});
  if (found == running_.end()) {
    throw ProgramError(fmt::format("no {} {} runs", NameOf(role), index));
  }
  found->second->Kill();
  running_.erase(found);
}

void ClusterProcesses::Start(ParameterServerRole role, int index) {
  const size_t count = role == ParameterServerRole::kServer
                           ? cluster_.servers.size()
                           : cluster_.workers.size();
  if (index < 0 || static_cast<size_t>(index) >= count ||
      running_.contains({role, index})) {
    throw ProgramError(fmt::format("{} {} cannot start", NameOf(role), index));
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  running_[{role, index}] =
      std::make_unique<ChildProcess>(std::vector<std::string>{
          "/usr/bin/env", "TF_CONFIG=" + TfConfigOf(cluster_, role, index),
          self,
          fmt::format("{}{}/program.json", kClusterTaskFlag, folder_.path())});
}

}  // namespace lockstep::conformance
