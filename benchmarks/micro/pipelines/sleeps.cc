#include <sys/prctl.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/micro/pipelines/image_rows.h"
#include "benchmarks/micro/pipelines/pipelines.h"
#include "reference/data/dataset.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kCalls = 16;  // at a time
constexpr int64_t kElements = 4000;

// Sleeps for 1 ms; Linux would add up to 0.05 ms.
void Sleep() {
  thread_local int set = prctl(PR_SET_TIMERSLACK, 1);
  benchmark::DoNotOptimize(set);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Map(benchmark::State& state, const MapOptions& options) {
  const Dataset slept = Dataset::Range(kElements).Map(
      [](const Structure& number) {
        Sleep();
        return number;
      },
      options);
  for (auto unused : state) {
    int64_t sum = 0;
    for (const Structure& number : slept) sum += number.leaf().item<int64_t>();
    if (sum != SumTo(kElements)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}

// As fast as a map may be: nothing passes from thread to thread.
void Ideal(benchmark::State& state) {
  for (auto unused : state) {
    std::vector<std::jthread> threads;
    for (int64_t i = 0; i < kCalls; ++i) {
      threads.emplace_back([] {
        for (int64_t call = 0; call < kElements / kCalls; ++call) Sleep();
      });
    }
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}

EntryName Labelled(EntryName name, int64_t calls, bool ordered) {
  return name.With("elements", kElements)
      .With("calls", calls == kAutotune ? "autotune" : std::to_string(calls))
      .With("order", ordered ? "kept" : "free");
}

}  // namespace

void RegisterSleeps() {
  for (const int64_t calls : {kCalls, kAutotune}) {
    for (const bool ordered : {true, false}) {
      const MapOptions options = {.num_parallel_calls = calls,
                                  .deterministic = ordered};
      RegisterWork(Labelled(WorkName("sleeps"), calls, ordered), Map, options);
    }
  }
  for (const bool ordered : {true, false}) {
    RegisterWork(
        Labelled(EntryName("Ideal").With("work", "sleeps"), kCalls, ordered),
        Ideal);
  }
}

}  // namespace lockstep::benchmarks
