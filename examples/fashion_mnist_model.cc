#include "examples/fashion_mnist_model.h"

#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"

namespace lockstep::examples {

Sequential CreateModel() {
  return Sequential({
      Conv2D(32, 3, {.activation = Activation::kRelu}),
      MaxPooling2D(),
      Conv2D(64, 3, {.activation = Activation::kRelu}),
      MaxPooling2D(),
      Flatten(),
      Dense(64, {.activation = Activation::kRelu}),
      Dense(10),
  });
}

}  // namespace lockstep::examples
