// SPDX-License-Identifier: MIT
//
// Registers every test of tests/simcore/tcp/scripts/*.tcp: the suite is the file, the name is the clause.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/simcore/tcp/script.h"

namespace simcore::testing {
namespace {

class ScriptedTest : public ::testing::Test {
 public:
  explicit ScriptedTest(Script script) : script_(std::move(script)) {}
  void TestBody() override {
    const std::string wrong = run_script(script_);
    if (!wrong.empty()) ADD_FAILURE() << wrong;
  }

 private:
  Script script_;
};

std::vector<Script> all_scripts() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(__FILE__).parent_path() / "scripts")) {
    if (entry.path().extension() == ".tcp") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Script> scripts;
  for (const auto& file : files) {
    for (Script& script : read_scripts(file.string())) scripts.push_back(std::move(script));
  }
  return scripts;
}

const bool kRegistered = [] {
  for (const Script& script : all_scripts()) {
    const std::string suite = "TcpScript_" + std::filesystem::path(script.file).stem().string();
    ::testing::RegisterTest(suite.c_str(), script.name.c_str(), nullptr, nullptr, script.file.c_str(),
                            script.line, [script]() -> ::testing::Test* { return new ScriptedTest(script); });
  }
  return true;
}();

TEST(TcpScripts, AreAtLeastAHundredAndEachNameIsUsedOnce) {
  std::set<std::string> names;
  for (const Script& script : all_scripts()) EXPECT_TRUE(names.insert(script.name).second) << script.name;
  EXPECT_GE(names.size(), 100u);
  EXPECT_TRUE(kRegistered);
}

}  // namespace
}  // namespace simcore::testing
