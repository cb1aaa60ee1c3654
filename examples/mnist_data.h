// MNIST for the documents' programs on fit.
#ifndef LOCKSTEP_EXAMPLES_MNIST_DATA_H_
#define LOCKSTEP_EXAMPLES_MNIST_DATA_H_

#include <string>

#include "image_datasets/image_data.h"

namespace lockstep::examples {

// `which` is "full": MNIST; "embedded": the part of Fashion-MNIST in this
// repository, with images of the same size; or "auto": MNIST if it is
// available. Errors: as LoadMnist.
ImageData ChooseMnist(const std::string& which);

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_MNIST_DATA_H_
