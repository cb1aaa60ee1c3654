// Ratings of items by users, in the files of MovieLens.
//
//   const Ratings ratings = ReadRatings("ml-1m/ratings.dat");
//   ratings.users;              // 6040, numbered from 0
//   ratings.all[0].item;        // of ratings.items, numbered from 0
//   const LastOut split = LeaveLastOut(ratings);
//   split.test[0];              // what user 0 rated last
//
// MovieLens' licences do not allow copies; get it from
// https://grouplens.org/datasets/movielens/ after reading them.
#ifndef LOCKSTEP_RATING_DATASETS_RATINGS_H_
#define LOCKSTEP_RATING_DATASETS_RATINGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct Rating {
  int64_t user = 0;
  int64_t item = 0;
  double value = 0;
  int64_t time = 0;  // in seconds

  bool operator==(const Rating&) const = default;
};

struct Ratings {
  std::string description = "";  // for reports: "MovieLens, 6040 users, ..."
  int64_t users = 0;
  int64_t items = 0;
  std::vector<Rating> all = {};  // in the order of the file
};

// The numbers as the file has them. Two formats, by the first line:
//   1::1193::5::978300760              ratings.dat of ml-1m
//   userId,movieId,rating,timestamp    ratings.csv of ml-20m and later ones
//   1,2,3.5,1112486027
// Errors, with origin and line: DataLoss for a line with other fields, for a
// number that is negative or too large, for a rating outside 0 to 5, and for no
// ratings.
std::vector<Rating> ParseRatings(std::string_view text,
                                 const std::string& origin);

// Users and items are numbered from 0, in the order of the file's numbers.
Ratings NumberFromZero(std::vector<Rating> ratings);

// Both for a file. Errors also: NotFound, Unavailable.
Ratings ReadRatings(const std::string& path);

struct LastOut {
  std::vector<Rating> train;  // in the order of users and times
  std::vector<Rating> test;   // at most one of each user, in their order
};

// For each user the last rating by time is for the test, and of equal times the
// last one of the file. Of several ratings of one item the last one counts. The
// only rating of a user is for training.
LastOut LeaveLastOut(const Ratings& ratings);

}  // namespace lockstep

#endif  // LOCKSTEP_RATING_DATASETS_RATINGS_H_
