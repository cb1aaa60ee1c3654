#include "benchmarks/workloads/worker_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

using std::chrono::nanoseconds;

struct Measured {
  PhaseTimes phase_ms{};
  std::vector<double> reduce_ms;
};

// What `read` makes of a worker's text. Errors: InvalidArgument.
void Read(size_t worker, const std::string& text,
          const std::function<void(const Json&)>& read) {
  const std::string origin = fmt::format("what worker {} says", worker);
  const Json json = ParseJson(text, origin);
  try {
    read(json);
  } catch (const Json::exception& error) {
    throw InvalidArgument("[WorkerResults] {}: {}", origin, error.what());
  }
}

Measured ReadMeasured(size_t worker, const std::string& text) {
  Measured measured;
  Read(worker, text, [&](const Json& json) {
    for (size_t phase = 0; phase < kPhases; ++phase) {
      const Json& milliseconds = json.at("phase_ms").at(phase);
      if (!milliseconds.is_null()) {
        measured.phase_ms[phase] = milliseconds.get<double>();
      }
    }
    json.at("reduce_ms").get_to(measured.reduce_ms);
  });
  return measured;
}

// The sum of the phases that a replica marks, without the time after its
// update.
double Busy(const PhaseTimes& times) {
  double sum = 0;
  for (const Phase phase : kMarkedPhases) {
    if (phase == Phase::kOther) continue;
    sum += times[static_cast<size_t>(phase)].value_or(0);
  }
  return sum;
}

int64_t Nanoseconds(TraceClock::time_point time) {
  return std::chrono::duration_cast<nanoseconds>(time.time_since_epoch())
      .count();
}

TraceClock::time_point TimePoint(const Json& json) {
  return TraceClock::time_point(nanoseconds(json.get<int64_t>()));
}

Json ToJson(const CompletedSpan& span) {
  Json json = {{"name", span.name},
               {"category", span.category},
               {"start", Nanoseconds(span.start)},
               {"end", Nanoseconds(span.end)}};
  if (span.bytes) json["bytes"] = *span.bytes;
  return json;
}

CompletedSpan ReadSpan(const Json& json) {
  CompletedSpan span{.name = json.at("name").get<std::string>(),
                     .category = json.at("category").get<std::string>(),
                     .start = TimePoint(json.at("start")),
                     .end = TimePoint(json.at("end"))};
  if (json.contains("bytes")) span.bytes = json["bytes"].get<int64_t>();
  return span;
}

}  // namespace

std::string MeasuredText(const TrainingResult& result) {
  Json phases = Json::array();
  for (const std::optional<double>& milliseconds : result.phase_ms) {
    phases.push_back(milliseconds ? Json(*milliseconds) : Json(nullptr));
  }
  return Json{{"phase_ms", phases}, {"reduce_ms", result.reduce_ms}}.dump();
}

TrainingResult OfAllWorkers(TrainingResult mine,
                            const std::vector<std::string>& texts) {
  double longest = -1;
  for (size_t worker = 0; worker < texts.size(); ++worker) {
    const auto [phase_ms, reduce_ms] = ReadMeasured(worker, texts[worker]);
    if (reduce_ms.size() != mine.reduce_ms.size()) {
      throw FailedPrecondition(
          "[WorkerResults] worker {} has measured {} steps, wanted {} as here",
          worker, reduce_ms.size(), mine.reduce_ms.size());
    }
    std::ranges::transform(mine.reduce_ms, reduce_ms, mine.reduce_ms.begin(),
                           [](double a, double b) { return std::min(a, b); });
    if (Busy(phase_ms) > longest) mine.phase_ms = phase_ms;
    longest = std::max(longest, Busy(phase_ms));
  }
  return mine;
}

std::string TraceText(const TraceProcess& trace) {
  Json tracks = Json::array();
  for (const auto& [name, spans] : trace.tracks) {
    Json track = {{"name", name}, {"spans", Json::array()}};
    for (const CompletedSpan& span : spans) {
      track["spans"].push_back(ToJson(span));
    }
    tracks.push_back(std::move(track));
  }
  return tracks.dump();
}

TraceProcess TraceOfAllWorkers(const std::string& name,
                               const std::vector<std::string>& texts) {
  TraceProcess all{.name = name, .tracks = {}};
  for (size_t worker = 0; worker < texts.size(); ++worker) {
    Read(worker, texts[worker], [&](const Json& tracks) {
      for (const Json& track : tracks) {
        all.tracks.push_back({fmt::format("worker {}, {}", worker,
                                          track.at("name").get<std::string>()),
                              {}});
        for (const Json& span : track.at("spans")) {
          all.tracks.back().spans.push_back(ReadSpan(span));
        }
      }
    });
  }
  return all;
}

}  // namespace lockstep::benchmarks
