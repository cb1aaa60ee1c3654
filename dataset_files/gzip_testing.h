// Archives made in memory, for tests.
//
//   Gzip("abc");   // what `gzip` makes of a file of 3 bytes
#ifndef LOCKSTEP_DATASET_FILES_GZIP_TESTING_H_
#define LOCKSTEP_DATASET_FILES_GZIP_TESTING_H_

#include <string>
#include <string_view>

namespace lockstep {

// `bytes` as a gzip archive of one member.
std::string Gzip(std::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_DATASET_FILES_GZIP_TESTING_H_
