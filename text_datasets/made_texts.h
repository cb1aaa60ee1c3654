// Sentences that were made for this project, to try and test training on texts
// without a network: a grammar of a few words of English and German. Reports call
// them "made": what a model reaches on them compares with no published figure.
//
//   const auto pairs = MakeTranslationPairs(2000);
//   pairs[0];   // {"the dog sees the ball", "der Hund sieht den Ball"}
//   const auto stories = MakeStories({.count = 200});
//   stories[0];   // {"the dog looks for the ball .", "it finds the ball .", ...}
#ifndef LOCKSTEP_TEXT_DATASETS_MADE_TEXTS_H_
#define LOCKSTEP_TEXT_DATASETS_MADE_TEXTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "text_datasets/translation_pairs.h"

namespace lockstep {

// How many different pairs there are.
int64_t CountTranslationPairs();

// Different sentences in English and German, which orders words in another way:
//   now the cat does not like the garden    jetzt mag die Katze den Garten nicht
// The same ones each time; a longer list begins with a shorter one. Errors:
// InvalidArgument unless 0 <= count <= CountTranslationPairs().
std::vector<TranslationPair> MakeTranslationPairs(int64_t count);

// A split of such pairs, with a description.
TranslationData MakeTranslationData(int64_t count,
                                    const SplitOptions& options = {});

struct StoryOptions {
  int64_t count = 200;
  int64_t sentences = 6;  // of each story
  uint64_t seed = 1;
};

// Stories of one subject and one thing, so that a reader can tell whether a
// sentence follows another. A story depends on the seed and its number only.
// Errors: InvalidArgument for a negative count and for less than one sentence.
std::vector<std::vector<std::string>> MakeStories(
    const StoryOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_MADE_TEXTS_H_
