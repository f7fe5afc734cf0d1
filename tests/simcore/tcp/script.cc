// SPDX-License-Identifier: MIT
#include "tests/simcore/tcp/script.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "simcore/options/option_table.h"
#include "simcore/tcp/connection.h"
#include "simcore/units/error.h"

namespace simcore::testing {

namespace {

constexpr SeqNum kOurs(4'294'967'000u);    // wraps after 296 bytes
constexpr SeqNum kTheirs(4'294'966'800u);  // wraps after 496

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::int64_t number(const std::string& text) {
  std::size_t used = 0;
  const std::int64_t value = std::stoll(text, &used);
  if (used != text.size()) throw Failure("\"" + text + "\" is not a number");
  return value;
}

Duration seconds(const std::string& text) {
  return Duration::ns(static_cast<std::int64_t>(std::llround(std::stod(text) * 1e9)));
}

// As a script writes it: a whole number, seconds, on or off, a name.
OptionValue option_value(const OptionFacts& facts, const std::string& text) {
  if (facts.kind == OptionKind::flag && (text == "on" || text == "off")) return text == "on";
  if (facts.kind == OptionKind::duration) return seconds(text).count_ns();
  if (facts.kind == OptionKind::count || facts.kind == OptionKind::size || facts.kind == OptionKind::rate)
    return number(text);
  return text;
}

// The preset with the options that differ: "rfc timestamps=off minimum_rto=0.2".
TcpOptions options_of(const std::vector<std::string>& words) {
  OptionValue::Dict given = {{"preset", words.at(1)}};
  const std::vector<OptionFacts>& known = TcpOptions::options().facts().options;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const auto facts = std::ranges::find(known, name, &OptionFacts::name);
    if (facts == known.end()) throw Failure("option \"" + name + "\" is unknown");
    given.emplace_back(facts->key, option_value(*facts, words[i].substr(equals + 1)));
  }
  return TcpOptions::options().read(given, "the script");
}

// A segment as a line describes it; what it does not mention is absent.
struct Described {
  TcpFlags flags;
  std::int64_t start = 0;
  std::int64_t length = 0;
  std::map<std::string, std::string> fields;
  std::optional<TcpTimestamps> timestamps;

  bool has(const std::string& field) const { return fields.contains(field); }
  std::int64_t value(const std::string& field) const { return number(fields.at(field)); }
};

TcpFlags parse_flags(const std::string& letters) {
  const std::map<char, TcpFlag> names = {{'S', TcpFlag::syn}, {'F', TcpFlag::fin}, {'R', TcpFlag::rst},
                                         {'P', TcpFlag::psh}, {'A', TcpFlag::ack}, {'U', TcpFlag::urg},
                                         {'E', TcpFlag::ece}, {'W', TcpFlag::cwr}};
  TcpFlags flags;
  if (letters == ".") return flags;
  for (const char letter : letters) {
    if (!names.contains(letter)) throw Failure(std::string("flag ") + letter + " is unknown");
    flags = flags | names.at(letter);
  }
  return flags;
}

Described parse_segment(const std::vector<std::string>& words, std::size_t at) {
  Described described;
  described.flags = parse_flags(words.at(at++));
  const std::string& range = words.at(at++);
  const std::size_t colon = range.find(':');
  described.start = number(range.substr(0, colon));
  if (colon != std::string::npos) described.length = number(range.substr(colon + 1)) - described.start;
  while (at < words.size()) {
    const std::string field = words[at++];
    if (field == "ts") {
      described.timestamps = TcpTimestamps{static_cast<std::uint32_t>(number(words.at(at))),
                                           static_cast<std::uint32_t>(number(words.at(at + 1)))};
      at += 2;
    } else if (field == "ack" || field == "win" || field == "mss" || field == "ws" || field == "sack" ||
               field == "train") {
      described.fields[field] = words.at(at++);
    } else if (field == "sackok" || field == "ect" || field == "ce" || field == "nots") {
      described.fields[field] = "";
    } else {
      throw Failure("field \"" + field + "\" is unknown");
    }
  }
  return described;
}

SackBlocks parse_sack(const std::string& text, SeqNum initial) {
  SackBlocks blocks;
  if (text == "none") return blocks;
  std::stringstream list(text);
  std::string block;
  while (std::getline(list, block, ',')) {
    const std::size_t dash = block.find('-');
    blocks.add({wrap(number(block.substr(0, dash)), initial), wrap(number(block.substr(dash + 1)), initial)});
  }
  return blocks;
}

class Runner {
 public:
  void run(const Script& script) {
    for (const ScriptLine& line : script.lines) {
      try {
        run_line(line.words);
      } catch (const std::exception& error) {
        std::ostringstream text;
        text << script.file << ":" << line.number << ": " << error.what();
        throw Failure(text.str());
      }
    }
    connection();
    if (!given_.empty()) throw Failure(script.file + ": at the end: " + unexpected());
  }

 private:
  struct Given {
    SimTime at;
    TcpSegment segment;
  };

  TcpConnection& connection() {
    if (!connection_) {
      options_.check("the script");
      connection_.emplace(options_, kOurs);
    }
    return *connection_;
  }

  void run_line(const std::vector<std::string>& words) {
    if (words[0] == "options") {
      options_ = options_of(words);
      return;
    }
    const bool any_time = words[0] == "*";
    if (!any_time) {
      line_time_ =
          words[0][0] == '+' ? line_time_ + seconds(words[0].substr(1)) : SimTime::zero() + seconds(words[0]);
    }
    const std::string& verb = words.at(1);
    if (verb == ">") {
      expect_segment(parse_segment(words, 2), any_time);
      return;
    }
    advance(line_time_);
    if (!given_.empty()) throw Failure("before this line " + unexpected());
    if (verb == "<") {
      connection().on_segment(now_, segment_of(parse_segment(words, 2)));
    } else if (verb == "reopens" || verb == "reopens_not") {
      const bool may = connection().may_be_reopened_by(segment_of(parse_segment(words, 2)));
      if (may != (verb == "reopens")) throw Failure(may ? "it may open one" : "it may not open one");
    } else if (verb == "establish") {
      establish(words);
    } else if (verb == "icmp") {
      report(words.at(2), number(words.at(3)));
    } else if (verb == "expect") {
      for (std::size_t i = 2; i < words.size(); ++i) expect_value(words[i]);
    } else if (verb != "quiet") {
      command(verb, words.size() > 2 ? words[2] : "");
    }
    drain();
  }

  void advance(SimTime to) {
    while (connection().deadline() <= to) {
      const SimTime due = std::max(now_, connection().deadline());
      if (++steps_ > 100'000) throw Failure("the deadline does not move: the state machine spins");
      now_ = due;
      connection().expire(now_);
      drain();
    }
    now_ = to;
  }

  void drain() {
    TcpSegment segment;
    for (int i = 0; connection().next_segment(now_, segment); ++i) {
      if (i > 10'000) throw Failure("segments without end");
      if (segment.options.timestamps) last_timestamp_ = segment.options.timestamps->value;
      given_.push_back({now_, segment});
    }
  }

  TcpSegment segment_of(const Described& described) {
    TcpSegment segment;
    segment.flags = described.flags;
    segment.seq = wrap(described.start, kTheirs);
    segment.length = static_cast<std::uint32_t>(described.length);
    segment.segment_payload = static_cast<std::uint16_t>(described.length);
    if (described.has("ack")) segment.ack = wrap(described.value("ack"), kOurs);
    segment.window =
        described.has("win") ? static_cast<std::uint16_t>(described.value("win")) : std::uint16_t{65'535};
    if (described.has("mss")) segment.options.mss = static_cast<std::uint16_t>(described.value("mss"));
    if (described.has("ws")) segment.options.window_scale = static_cast<std::uint8_t>(described.value("ws"));
    segment.options.sack_permitted = described.has("sackok");
    if (described.has("sack")) segment.options.sack = parse_sack(described.fields.at("sack"), kOurs);
    if (described.has("ce")) segment.ecn = EcnCodepoint::ce;
    if (described.has("ect")) segment.ecn = EcnCodepoint::ect0;
    if (described.has("train")) {
      segment.segments = static_cast<std::uint16_t>(described.value("train"));
      segment.segment_payload = static_cast<std::uint16_t>(described.length / segment.segments);
    }
    segment.options.timestamps = described.timestamps;
    if (!described.timestamps && !described.has("nots") && connection().uses_timestamps()) {
      segment.options.timestamps = TcpTimestamps{ms_now(), last_timestamp_};
    }
    return segment;
  }

  std::uint32_t ms_now() const { return static_cast<std::uint32_t>(now_.count_ns() / 1'000'000 + 1); }

  void establish(const std::vector<std::string>& words) {
    std::vector<std::string> answer = {"SA", "0", "ack", "1"};
    Duration rtt = Duration::ms(100);
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (words[i] == "rtt") {
        rtt = seconds(words.at(++i));
      } else {
        answer.push_back(words[i]);
      }
    }
    connection().connect(now_);
    drain();
    given_.clear();
    advance(now_ + rtt);
    connection().on_segment(now_, segment_of(parse_segment(answer, 0)));
    drain();
    given_.clear();
    line_time_ = now_;
    if (connection().state() != TcpState::established) throw Failure("the handshake did not succeed");
  }

  void report(const std::string& failure, std::int64_t quoted) {
    const std::map<std::string, IcmpFailure> failures = {{"no_way", IcmpFailure::no_way},
                                                         {"refused", IcmpFailure::refused},
                                                         {"unreachable", IcmpFailure::unreachable},
                                                         {"time_exceeded", IcmpFailure::time_exceeded}};
    if (!failures.contains(failure)) throw Failure("ICMP failure " + failure + " is unknown");
    connection().on_icmp_error(now_, failures.at(failure), wrap(quoted, kOurs));
  }

  void command(const std::string& verb, const std::string& argument) {
    TcpConnection& tcp = connection();
    if (verb == "connect") {
      tcp.connect(now_);
    } else if (verb == "listen") {
      tcp.listen();
    } else if (verb == "write") {
      const std::int64_t wanted = number(argument);
      const std::int64_t taken = tcp.write_virtual(wanted);
      if (taken != wanted) throw Failure("write took " + std::to_string(taken) + " bytes");
    } else if (verb == "write_refused") {
      if (tcp.write_virtual(1) != 0) throw Failure("write took a byte");
    } else if (verb == "read") {
      const std::int64_t wanted = number(argument);
      const std::int64_t taken = tcp.discard(wanted);
      if (taken != wanted) throw Failure("read had " + std::to_string(taken) + " bytes");
    } else if (verb == "close") {
      tcp.close(now_);
    } else if (verb == "abort") {
      tcp.abort();
    } else if (verb == "no_delay") {
      tcp.no_delay();
    } else if (verb == "release") {
      tcp.release(now_);
    } else if (verb == "reduce_mss") {
      tcp.reduce_mss(number(argument));
    } else {
      throw Failure("\"" + verb + "\" is not a command");
    }
  }

  void expect_segment(const Described& wanted, bool any_time) {
    const SimTime until = any_time ? SimTime::never() : line_time_;
    while (given_.empty()) {
      const SimTime due = connection().deadline();
      if (due > until || due == SimTime::never()) {
        if (!any_time) now_ = until;
        throw Failure("nothing was sent");
      }
      advance(std::max(now_, due));
    }
    const Given got = given_.front();
    given_.pop_front();
    std::ostringstream wrong;
    const auto compare = [&wrong](const std::string& what, std::int64_t is, std::int64_t should) {
      if (is != should) wrong << " " << what << " is " << is << ", not " << should << ";";
    };
    const TcpSegment& segment = got.segment;
    if (!any_time) compare("time in ns", got.at.count_ns(), line_time_.count_ns());
    if (any_time) line_time_ = got.at;
    compare("flags", segment.flags.to_header(), wanted.flags.to_header());
    compare("start", unwrap(segment.seq, kOurs, wanted.start), wanted.start);
    compare("length", segment.length, wanted.length);
    if (wanted.has("ack"))
      compare("ack", unwrap(segment.ack, kTheirs, wanted.value("ack")), wanted.value("ack"));
    if (wanted.has("win")) compare("win", segment.window, wanted.value("win"));
    if (wanted.has("mss")) compare("mss", segment.options.mss.value_or(0), wanted.value("mss"));
    if (wanted.has("ws")) compare("ws", segment.options.window_scale.value_or(99), wanted.value("ws"));
    if (wanted.has("train")) compare("segments", segment.segments, wanted.value("train"));
    if (wanted.has("ect"))
      compare("ecn", static_cast<int>(segment.ecn), static_cast<int>(EcnCodepoint::ect0));
    if (wanted.has("sackok")) compare("sackok", segment.options.sack_permitted ? 1 : 0, 1);
    if (wanted.has("nots")) compare("timestamps", segment.options.timestamps ? 1 : 0, 0);
    if (wanted.timestamps) {
      const TcpTimestamps is = segment.options.timestamps.value_or(TcpTimestamps{});
      compare("ts value", is.value, wanted.timestamps->value);
      compare("ts echo", is.echo, wanted.timestamps->echo);
    }
    if (wanted.has("sack")) {
      const SackBlocks should = parse_sack(wanted.fields.at("sack"), kTheirs);
      const SackBlocks& is = segment.options.sack;
      compare("sack blocks", is.count, should.count);
      for (std::size_t i = 0; i < is.count && i < should.count; ++i) {
        if (!(is.block[i] == should.block[i])) {
          wrong << " sack block " << i << " is " << unwrap(is.block[i].left, kTheirs, 0) << "-"
                << unwrap(is.block[i].right, kTheirs, 0) << ";";
        }
      }
    }
    if (!wrong.str().empty()) throw Failure("wrong segment:" + wrong.str() + " it is " + describe(got));
  }

  void expect_value(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    TcpConnection& tcp = connection();
    const TcpSender& sender = tcp.sender();
    const std::map<std::string, std::function<std::string()>> values = {
        {"state", [&] { return std::string(name_of(tcp.state())); }},
        {"error",
         [&] {
           const std::array names = {"none", "refused", "reset", "timed_out", "aborted", "unreachable"};
           return std::string(names.at(static_cast<std::size_t>(tcp.error())));
         }},
        {"cwnd", [&] { return std::to_string(sender.congestion_window().cwnd); }},
        {"ssthresh", [&] { return std::to_string(sender.congestion_window().ssthresh); }},
        {"mss", [&] { return std::to_string(sender.congestion_window().mss); }},
        {"in_flight", [&] { return std::to_string(sender.in_flight()); }},
        {"window", [&] { return std::to_string(sender.send_window()); }},
        {"readable", [&] { return std::to_string(tcp.readable()); }},
        {"next_initial", [&] { return std::to_string(unwrap(tcp.initial_of_next(), kOurs, 0)); }},
        {"rto_ms", [&] { return std::to_string(sender.rtt().rto().count_ns() / 1'000'000); }},
        {"srtt_ms", [&] { return std::to_string(sender.rtt().srtt().count_ns() / 1'000'000); }},
        {"rttvar_ms", [&] { return std::to_string(sender.rtt().rttvar().count_ns() / 1'000'000); }},
        {"timeouts", [&] { return std::to_string(sender.counters().timeouts); }},
        {"recoveries", [&] { return std::to_string(sender.counters().fast_recoveries); }},
        {"retransmitted", [&] { return std::to_string(sender.counters().retransmitted_segments); }},
        {"spurious", [&] { return std::to_string(sender.counters().spurious_timeouts); }},
        {"rescues", [&] { return std::to_string(sender.counters().rescues); }},
        {"recovery", [&] { return std::string(name_of(sender.state())); }},
        {"episodes", [&] { return std::to_string(sender.counters().ecn_reductions); }},
        {"dsacks", [&] { return std::to_string(sender.counters().dsacks_received); }},
        {"undone", [&] { return std::to_string(sender.counters().undone); }},
        {"probes", [&] { return std::to_string(sender.counters().tail_probes); }},
        {"duplicates", [&] { return std::to_string(tcp.receiver().counters().duplicate_segments); }},
        {"refused", [&] { return std::to_string(tcp.receiver().counters().refused_segments); }},
        {"paws", [&] { return std::to_string(tcp.counters().paws_drops); }},
        {"malformed", [&] { return std::to_string(tcp.counters().malformed_segments); }},
        {"compressed", [&] { return std::to_string(tcp.receiver().counters().compressed_acks); }},
        {"app_limited", [&] { return std::string(sender.application_limited() ? "yes" : "no"); }},
        {"skipped", [&] { return std::to_string(tcp.counters().acks_skipped); }},
        {"end_of_stream", [&] { return std::string(tcp.at_end_of_stream() ? "yes" : "no"); }},
        {"ecn", [&] { return std::string(tcp.uses_ecn() ? "on" : "off"); }},
        {"sack", [&] { return std::string(tcp.uses_sack() ? "on" : "off"); }},
        {"ts", [&] { return std::string(tcp.uses_timestamps() ? "on" : "off"); }},
    };
    const auto found = values.find(name);
    if (found == values.end()) throw Failure("value \"" + name + "\" is unknown");
    const std::string is = found->second();
    if (is != value) throw Failure(name + " is " + is + ", not " + value);
  }

  static std::string describe(const Given& given) {
    std::ostringstream text;
    text << given.at.in_seconds() << " > ";
    const std::string letters = "FSRPAUEW";
    for (std::size_t bit = 0; bit < letters.size(); ++bit) {
      if ((given.segment.flags.to_header() >> bit & 1) != 0) text << letters[bit];
    }
    const std::int64_t start = unwrap(given.segment.seq, kOurs, 0);
    text << " " << start << ":" << start + given.segment.length << " ack "
         << unwrap(given.segment.ack, kTheirs, 0) << " win " << given.segment.window;
    if (given.segment.segments > 1) text << " train " << given.segment.segments;
    for (const SackBlock& block : given.segment.options.sack.used()) {
      text << " sack " << unwrap(block.left, kTheirs, 0) << "-" << unwrap(block.right, kTheirs, 0);
    }
    return text.str();
  }

  std::string unexpected() const {
    return "a segment came out that was not asked for: " + describe(given_.front());
  }

  TcpOptions options_ = TcpOptions::rfc();
  std::optional<TcpConnection> connection_;
  SimTime now_ = SimTime::zero();
  SimTime line_time_ = SimTime::zero();
  std::deque<Given> given_;
  std::uint32_t last_timestamp_ = 0;
  int steps_ = 0;
};

}  // namespace

std::vector<Script> read_scripts(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("read TCP scripts: " + path + " cannot be opened");
  std::vector<Script> scripts;
  std::string line;
  for (int line_number = 1; std::getline(in, line); ++line_number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> parsed;
    for (std::string word; words >> word;) parsed.push_back(word);
    if (parsed.empty()) continue;
    if (parsed[0] == "test") {
      scripts.push_back({path, parsed.at(1), line_number, {}});
    } else {
      if (scripts.empty())
        throw std::runtime_error("read TCP scripts: " + path + " has lines before its first test");
      scripts.back().lines.push_back({line_number, parsed});
    }
  }
  return scripts;
}

std::string run_script(const Script& script) {
  try {
    Runner().run(script);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace simcore::testing
