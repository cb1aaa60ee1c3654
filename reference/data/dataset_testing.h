// Short ways to say in a test what a dataset yields.
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_TESTING_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_TESTING_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/dataset.h"

namespace lockstep {

// "(1, [2, 3])": leaves by ToString, tuples in (), dictionaries in {}.
std::string ToText(const Structure& element);

// One pass, each element by ToText: {"[0, 1]", "[2]"}.
std::vector<std::string> ReadAll(const Dataset& dataset);

// One pass over int64 elements, rows of batches one after another.
std::vector<int64_t> ReadNumbers(const Dataset& dataset);

// Runs `body`, which must throw Error, and checks code and part of the text.
template <typename Body>
void ExpectError(const Body& body, Code code, const std::string& part) {
  try {
    body();
    ADD_FAILURE() << "no error; wanted " << CodeName(code) << ": " << part;
  } catch (const Error& e) {
    EXPECT_EQ(CodeName(e.code()), CodeName(code)) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_TESTING_H_
