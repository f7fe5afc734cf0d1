// SPDX-License-Identifier: MIT
#include "simcore/application/json.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

TEST(Json, every_kind_of_value_comes_back_as_it_was_written) {
  for (const char* text : {"null", "true", "false", "0", "-7", "9223372036854775807", "-9223372036854775808",
                           "0.5", "1e+300", R"("")", R"("a\"b\\c")", "[]", "{}", R"([1,[2,{"a":null}],"x"])",
                           R"({"tcp":true,"time":10,"streams":[{"id":1,"jitter":0.25}]})"}) {
    const auto value = Json::parse(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(value->to_string(), text);
  }
}

TEST(Json, white_space_between_tokens_means_nothing) {
  EXPECT_EQ(Json::parse(" {\n\"a\" :\t[ 1 , 2 ]\r} "), Json::parse(R"({"a":[1,2]})"));
}

TEST(Json, escapes_become_what_they_stand_for) {
  EXPECT_EQ(Json::parse(R"("\u0041\n\u00e9\u20ac\ud83d\ude00")"),
            Json(std::string("A\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")));
  EXPECT_EQ(Json(std::string("\x01")).to_string(), R"("\u0001")");
}

TEST(Json, whatever_is_not_exactly_one_value_is_refused) {
  for (const char* text : {"",
                           " ",
                           "nul",
                           "tru",
                           "01",
                           "-",
                           "+1",
                           ".5",
                           "1.",
                           "1e",
                           "1e999",
                           "--1",
                           "\"",
                           "\"\\",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\n\"",
                           "[",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "{\"a\":1,",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{\"a\" 1}",
                           "{\"a\":1,\"a\":2}",
                           "1 2",
                           "NaN",
                           "Infinity",
                           "'a'",
                           "/**/1",
                           "\xef\xbb\xbf"
                           "1"}) {
    EXPECT_FALSE(Json::parse(text)) << text;
  }
}

TEST(Json, values_nested_deeper_than_the_bound_are_refused) {
  const std::string deepest(Json::kDeepest, '[');
  EXPECT_TRUE(Json::parse(deepest + std::string(Json::kDeepest, ']')));
  EXPECT_FALSE(Json::parse(std::string(1'000'000, '[')));
  EXPECT_FALSE(Json::parse(deepest + "[1]" + std::string(Json::kDeepest, ']')));
}

TEST(Json, a_value_is_read_only_as_what_it_is) {
  const auto value = Json::parse(R"({"whole":3,"real":3.0,"truth":true,"text":"3"})");
  EXPECT_EQ(value->find("whole")->integer(), 3);
  EXPECT_EQ(value->find("whole")->number(), 3.0);
  EXPECT_EQ(value->find("real")->integer(), std::nullopt);
  EXPECT_EQ(value->find("real")->number(), 3.0);
  EXPECT_EQ(value->find("truth")->integer(), std::nullopt);
  EXPECT_EQ(value->find("truth")->boolean(), true);
  EXPECT_EQ(value->find("text")->number(), std::nullopt);
  EXPECT_EQ(value->find("absent"), nullptr);
  EXPECT_EQ(Json(true).find("whole"), nullptr);
}

}  // namespace
}  // namespace simcore
