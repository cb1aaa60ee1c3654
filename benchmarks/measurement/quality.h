// How well a model does: what the figure is called and how it is shown.
//
//   Quality{}.Show(0.9151);                                     // "91.51 %"
//   Quality{.name = "bleu", .scale = 1, .unit = ""}.Show(21.4);   // "21.40"
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_QUALITY_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_QUALITY_H_

#include <fmt/core.h>

#include <string>

namespace lockstep::benchmarks {

struct Quality {
  std::string name = "accuracy";   // a field of result files: "eval_accuracy"
  std::string label = "accuracy";  // for people
  double scale = 100;              // of figures in files and for people
  std::string unit = "%";

  std::string Show(double figure) const {
    return fmt::format("{:.2f}{}{}", scale * figure, unit.empty() ? "" : " ",
                       unit);
  }
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_QUALITY_H_
