// Helpers for fuzz targets that read files.
//
//   WriteFuzzed(FuzzedFile("fuzzed.keras"), input);
//   AllowErrors([] { LoadModel(FuzzedFile("fuzzed.keras")); });
#ifndef LOCKSTEP_REFERENCE_BASE_FUZZING_FUZZED_FILES_H_
#define LOCKSTEP_REFERENCE_BASE_FUZZING_FUZZED_FILES_H_

#include <functional>
#include <string>

namespace lockstep {

// A path in the folder for temporary files, separate for each test.
std::string FuzzedFile(const std::string& name);

// Replaces the file.
void WriteFuzzed(const std::string& file, const std::string& bytes);

// Ignores any Error except one of kind kInternal, which is rethrown like all
// other exceptions.
void AllowErrors(const std::function<void()>& body);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FUZZING_FUZZED_FILES_H_
