#include "benchmarks/measurement/machine_context.h"

#include <dnnl.h>
#include <fmt/chrono.h>
#include <hwloc.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

namespace lockstep::benchmarks {
namespace {

// The first line a command prints, nothing when it fails.
std::optional<std::string> FirstLineOf(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                             pclose);
  char line[256] = {};
  if (!pipe || !std::fgets(line, sizeof(line), pipe.get())) return {};
  std::string text(line);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// The value after "<key> : " in /proc/cpuinfo.
std::string CpuInfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != line.npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

Json LoadAverages() {
  double averages[3] = {};
  Json list = Json::array();
  const int count = getloadavg(averages, 3);
  for (int i = 0; i < count; ++i) list.push_back(averages[i]);
  return list;
}

Json Caches(hwloc_topology_t topology) {
  Json caches = Json::array();
  for (hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    const int count = hwloc_get_nbobjs_by_type(topology, type);
    if (count <= 0) continue;
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    caches.push_back({{"type", "Data or unified"},
                      {"level", cache->attr->cache.depth},
                      {"size", cache->attr->cache.size},
                      {"num_sharing", hwloc_bitmap_weight(cache->cpuset)}});
  }
  return caches;
}

// Cores and caches; left out where hwloc cannot tell.
void AddTopology(Json& context) {
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return;
  if (hwloc_topology_load(topology) == 0) {
    context["num_cores"] = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    context["caches"] = Caches(topology);
  }
  hwloc_topology_destroy(topology);
}

// The checkout `bazel run` was called in.
void AddCommit(Json& context) {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::string git =
      fmt::format("git -C '{}' ", workspace == nullptr ? "." : workspace);
  const std::string quiet = " 2>/dev/null";
  context["commit"] =
      FirstLineOf(git + "rev-parse HEAD" + quiet).value_or("unknown");
  context["commit_has_changes"] =
      FirstLineOf(git + "status --porcelain --untracked-files=no" + quiet)
          .has_value();
}

std::string OneDnnVersion() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor,
                     version->patch);
}

std::string OperatingSystem() {
  utsname names;
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {}", names.sysname, names.release);
}

}  // namespace

std::string CurrentDate() {
  const auto now = std::chrono::system_clock::now();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

Json MachineContext() {
  Json context;
  context["date"] = CurrentDate();
  context["cpu_model"] = CpuInfo("model name");
  context["num_cpus"] = std::thread::hardware_concurrency();
  context["mhz_per_cpu"] = std::atof(CpuInfo("cpu MHz").c_str());
  AddTopology(context);
  context["memory_bytes"] =
      int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  context["load_avg"] = LoadAverages();
  context["operating_system"] = OperatingSystem();
  context["compiler"] = "g++ " __VERSION__;
#ifdef __OPTIMIZE__
  context["library_build_type"] = "release";
#else
  context["library_build_type"] = "debug";
#endif
  context["onednn"] = OneDnnVersion();
  AddCommit(context);
  context["json_schema_version"] = 1;
  return context;
}

}  // namespace lockstep::benchmarks
