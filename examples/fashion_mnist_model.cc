#include "examples/fashion_mnist_model.h"

#include <vector>

#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"

namespace lockstep::examples {

std::unique_ptr<Sequential> CreateModel() {
  constexpr Activation kRelu = Activation::kRelu;
  return std::make_unique<Sequential>(std::vector<LayerPtr>{
      std::make_shared<Conv2D>(32, 3, Conv2DOptions{.activation = kRelu}),
      std::make_shared<MaxPooling2D>(),
      std::make_shared<Conv2D>(64, 3, Conv2DOptions{.activation = kRelu}),
      std::make_shared<MaxPooling2D>(),
      std::make_shared<Flatten>(),
      std::make_shared<Dense>(64, DenseOptions{.activation = kRelu}),
      std::make_shared<Dense>(10),
  });
}

}  // namespace lockstep::examples
