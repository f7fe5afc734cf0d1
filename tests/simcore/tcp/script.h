// SPDX-License-Identifier: MIT
//
// Script: a test of one TCP as a text in the manner of packetdrill: what goes in, what must come out, and when.
//
//   test RFC5681-3.2-three-duplicates          a test begins; its name says the clause
//   options rfc mss=1000 minimum_rto=0.2 sack=off   a preset, then options by their names; times in seconds
//   0     establish win 65535 mss 1000         connect and handshake; takes `rtt` (0.1 s unless told), peer's SYN options
//   0.2   write 5000                           the application: write, text, read, close, release, abort, ...
//   0.2   > AP 1:1001 ack 1                    must come out: flags, sequence numbers, any other fields to compare
//   0.3   < A 1 ack 1001 win 65535             comes in
//   0.3   icmp no_way 1001                     an error by ICMP about a segment, by its sequence number
//   0.3   reopens S 500 ts 9 0                   in TIME-WAIT this segment may open a new connection; or `reopens_not`
//   0.3   expect state=ESTABLISHED cwnd=2000   what must hold
//
// Times are seconds; +x counts from the line before. Output is compared at its exact nanosecond, `*` for any time. What
// comes out and is not asked for fails the test, so a `quiet` line states that nothing did until then. Sequence numbers
// are relative to both initial ones, which are chosen so that they wrap in every test. Flags: S F R P A E(CE echo) W(CWR),
// or a dot for none. Further fields: ack, win, mss, ws, sackok, ts V E, sack L-R[,L-R], ect, ce, train N, nowin.
#pragma once

#include <string>
#include <vector>

namespace simcore::testing {

struct ScriptLine {
  int number;
  std::vector<std::string> words;
};

struct Script {
  std::string file;
  std::string name;
  int line;
  std::vector<ScriptLine> lines;
};

// The tests of one file. Throws std::runtime_error when it cannot be read.
std::vector<Script> read_scripts(const std::string& path);

// Runs a test; returns what went wrong, with file and line, or nothing.
std::string run_script(const Script& script);

}  // namespace simcore::testing
