#include "text_datasets/made_texts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "reference/base/error.h"
#include "reference/base/random/example_random.h"

namespace lockstep {
namespace {

struct Subject {
  std::string_view english, pronoun, german;
};

constexpr std::array<Subject, 10> kSubjects = {
    {{"the dog", "it", "der Hund"},
     {"the cat", "it", "die Katze"},
     {"the child", "it", "das Kind"},
     {"the man", "he", "der Mann"},
     {"the woman", "she", "die Frau"},
     {"the teacher", "he", "der Lehrer"},
     {"the girl", "she", "das M\u00e4dchen"},
     {"the farmer", "he", "der Bauer"},
     {"the queen", "she", "die K\u00f6nigin"},
     {"the horse", "it", "das Pferd"}}};

struct Verb {
  std::string_view english, after_not, german;
};

constexpr std::array<Verb, 8> kVerbs = {{{"sees", "see", "sieht"},
                                         {"looks for", "look for", "sucht"},
                                         {"finds", "find", "findet"},
                                         {"likes", "like", "mag"},
                                         {"hears", "hear", "h\u00f6rt"},
                                         {"paints", "paint", "malt"},
                                         {"knows", "know", "kennt"},
                                         {"needs", "need", "braucht"}}};

struct Translated {
  std::string_view english, german;
};

constexpr std::array<Translated, 10> kObjects = {{{"the ball", "den Ball"},
                                                  {"the book", "das Buch"},
                                                  {"the flower", "die Blume"},
                                                  {"the apple", "den Apfel"},
                                                  {"the boat", "das Boot"},
                                                  {"the garden", "den Garten"},
                                                  {"the house", "das Haus"},
                                                  {"the lamp", "die Lampe"},
                                                  {"the bird", "den Vogel"},
                                                  {"the river", "den Fluss"}}};

// The first one is no time.
constexpr std::array<Translated, 5> kTimes = {{{"", ""},
                                               {"today", "heute"},
                                               {"now", "jetzt"},
                                               {"in the evening", "am Abend"},
                                               {"at night", "in der Nacht"}}};

constexpr int64_t kSentences =
    kSubjects.size() * kVerbs.size() * kObjects.size() * kTimes.size() * 2;

// Has no factor in common with kSentences, so that its multiples are different.
constexpr int64_t kStep = 2777;

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += ' ';
    text += part;
  }
  return text;
}

// The sentence of a number below kSentences.
TranslationPair PairOf(int64_t number) {
  const auto take = [&number](int64_t count) {
    const int64_t taken = number % count;
    number /= count;
    return taken;
  };
  const Subject& subject = kSubjects[take(kSubjects.size())];
  const Translated& object = kObjects[take(kObjects.size())];
  const Verb& verb = kVerbs[take(kVerbs.size())];
  const Translated& time = kTimes[take(kTimes.size())];
  const bool negated = take(2) == 1;
  const std::string english =
      negated ? Joined({time.english, subject.english, "does not",
                        verb.after_not, object.english})
              : Joined({time.english, subject.english, verb.english,
                        object.english});
  const std::string_view negation = negated ? "nicht" : "";
  // The verb is second: after the time, if there is one.
  const std::string german =
      time.german.empty()
          ? Joined({subject.german, verb.german, object.german, negation})
          : Joined({time.german, verb.german, subject.german, object.german,
                    negation});
  return {english, german};
}

std::vector<std::string> StoryOf(const StoryOptions& options, int64_t number) {
  Random random = ExampleRandom(options.seed, 0, number);
  const Subject& subject = kSubjects[random.UniformInt(kSubjects.size())];
  const Translated& object = kObjects[random.UniformInt(kObjects.size())];
  std::vector<std::string> story;
  for (int64_t i = 0; i < options.sentences; ++i) {
    const Verb& verb = kVerbs[random.UniformInt(kVerbs.size())];
    const Translated& time = kTimes[random.UniformInt(kTimes.size())];
    story.push_back(
        Joined({time.english, i == 0 ? subject.english : subject.pronoun,
                verb.english, object.english, "."}));
  }
  return story;
}

}  // namespace

int64_t CountTranslationPairs() { return kSentences; }

std::vector<TranslationPair> MakeTranslationPairs(int64_t count) {
  if (count < 0 || count > kSentences) {
    throw InvalidArgument("[MakeTranslationPairs] wanted 0 to {} pairs, got {}",
                          kSentences, count);
  }
  std::vector<TranslationPair> pairs;
  for (int64_t i = 0; i < count; ++i) {
    pairs.push_back(PairOf(i * kStep % kSentences));
  }
  return pairs;
}

TranslationData MakeTranslationData(int64_t count,
                                    const SplitOptions& options) {
  std::vector<TranslationPair> pairs = MakeTranslationPairs(count);
  std::ranges::sort(pairs);
  TranslationData data = SplitPairs(pairs, options);
  data.description = fmt::format("made, English to German ({} + {} sentences)",
                                 data.train.size(), data.test.size());
  return data;
}

std::vector<std::vector<std::string>> MakeStories(const StoryOptions& options) {
  if (options.count < 0 || options.sentences < 1) {
    throw InvalidArgument(
        "[MakeStories] wanted a count of 0 or more and 1 sentence or more, got "
        "{} and {}",
        options.count, options.sentences);
  }
  std::vector<std::vector<std::string>> stories;
  for (int64_t i = 0; i < options.count; ++i) {
    stories.push_back(StoryOf(options, i));
  }
  return stories;
}

}  // namespace lockstep
