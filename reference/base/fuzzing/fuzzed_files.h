// What fuzz targets of files have in common.
//
//   WriteFuzzed(FuzzedFile("fuzzed.keras"), input);
//   AllowErrors([] { LoadModel(FuzzedFile("fuzzed.keras")); });
#ifndef LOCKSTEP_REFERENCE_BASE_FUZZING_FUZZED_FILES_H_
#define LOCKSTEP_REFERENCE_BASE_FUZZING_FUZZED_FILES_H_

#include <functional>
#include <string>

namespace lockstep {

// A place in the folder of temporary files, of a test its own.
std::string FuzzedFile(const std::string& name);

// Replaces the file.
void WriteFuzzed(const std::string& file, const std::string& bytes);

// Whatever the bytes, an Error may refuse them: but not one of kind kInternal,
// which goes through as all that is no Error does.
void AllowErrors(const std::function<void()>& body);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FUZZING_FUZZED_FILES_H_
