// Fashion-MNIST (Xiao, Rasul, Vollgraf, 2017): 60,000 + 10,000 images of
// clothing, 28 x 28, in ten classes.
#ifndef LOCKSTEP_DATASETS_FASHION_MNIST_H_
#define LOCKSTEP_DATASETS_FASHION_MNIST_H_

#include <array>
#include <string_view>

#include "datasets/image_data.h"
#include "datasets/load_images.h"

namespace lockstep {

inline constexpr std::array<std::string_view, 10> kFashionMnistClasses = {
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

// Errors: as LoadImages.
ImageData LoadFashionMnist(const LoadOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_DATASETS_FASHION_MNIST_H_
