#include "reference/distribute/input/step_source.h"

#include "reference/base/error.h"
#include "reference/data/printing/pipeline_text.h"

namespace lockstep::distribute_internal {

std::string PipelineOf(const StepSource& source) {
  std::string text, last;
  for (const data_internal::NodePtr& dataset : source.datasets()) {
    const std::string described = Describe(*dataset);
    if (described == last) continue;
    text += (text.empty() ? "" : " ") + described;
    last = described;
  }
  return text;
}

void CheckSamePipeline(std::string_view operation, std::string_view saved,
                       const StepSource& source) {
  const std::string own = PipelineOf(source);
  if (saved == own) return;
  throw InvalidArgument(
      "[{}] the state is of the pipeline {}, and this one is {}; restore it "
      "into the same pipeline",
      operation, saved, own);
}

}  // namespace lockstep::distribute_internal
