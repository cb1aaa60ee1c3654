#include "benchmarks/measurement/library_time.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "reference/base/log.h"
#include "reference/device/device_timer.h"

namespace lockstep::benchmarks {
namespace {

constexpr int kRuns = 20;  // in one graph
constexpr int kSamples = 5;

double MillisecondsOf(Device& device, const LibraryCall& call) {
  const std::function<void()> run = call.prepare();
  CapturedRuns runs(device, kRuns, run);
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    samples.push_back(1e3 * runs.Seconds() / kRuns);
  }
  return Median(samples);
}

}  // namespace

LibraryTime TimeLibraryCalls(Device& device, const LibraryCalls& calls) {
  const DeviceScope scope(device);
  std::map<std::string, double> milliseconds;  // by name
  LibraryTime total;
  for (const LibraryCall& call : calls.list()) {
    const auto [known, is_new] = milliseconds.try_emplace(call.name, 0);
    if (is_new) {
      known->second = MillisecondsOf(device, call);
      LogInfo("[LibraryTime] {:.1f} us: {}", 1e3 * known->second, call.name);
    }
    ++total.calls;
    total.milliseconds += known->second;
  }
  return total;
}

}  // namespace lockstep::benchmarks
