// SPDX-License-Identifier: MIT
#include "simcore/application/http_request.h"

#include <algorithm>

namespace simcore {

namespace {

constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || kTokenMarks.find(c) != std::string_view::npos;
  });
}
bool is_visible(char c) { return c > ' ' && c < '\x7f'; }
bool is_value_character(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f'); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Whether the comma-separated `list` has `item`.
bool lists(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (same_but_for_case(trimmed(list.substr(0, comma)), item)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

// Lines end in CRLF, or in LF alone, as RFC 9112 section 2.2 allows a recipient to take them. Empty lines before
// the request line are skipped.
HttpRequestReader::Outcome HttpRequestReader::take(std::span<const std::uint8_t>& bytes) {
  if (status_ != 0) return Outcome::refused;
  while (!bytes.empty()) {
    const char next = static_cast<char>(bytes.front());
    bytes = bytes.subspan(1);
    head_.push_back(next);
    if (next == '\n') {
      const bool blank = head_ == "\n" || head_ == "\r\n";
      if (blank) head_.clear();
      if (!blank && (head_.ends_with("\n\n") || head_.ends_with("\n\r\n"))) return parse();
    }
    if (head_.size() >= kLargestHead) {
      refuse(431);
      return Outcome::refused;
    }
  }
  return Outcome::more;
}

HttpRequestReader::Outcome HttpRequestReader::parse() {
  request_ = {};
  hosts_ = 0;
  version_1_0_ = false;
  std::string_view rest = head_;
  for (bool first = true; !rest.empty(); first = false) {
    const auto end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    rest.remove_prefix(end + 1);
    if (line.empty()) break;
    if (!(first ? parse_line(line) : parse_field(line))) break;
  }
  head_.clear();
  // RFC 9112 section 3.2: exactly one Host, unless the client speaks HTTP/1.0.
  if (status_ == 0 && (hosts_ > 1 || (hosts_ == 0 && !version_1_0_))) refuse(400);
  return status_ == 0 ? Outcome::request : Outcome::refused;
}

// method SP request-target SP HTTP-version
bool HttpRequestReader::parse_line(std::string_view line) {
  const auto after_method = line.find(' ');
  const auto before_version = line.rfind(' ');
  if (after_method == std::string_view::npos || after_method == before_version) return refuse(400), false;
  const std::string_view method = line.substr(0, after_method);
  std::string_view target = line.substr(after_method + 1, before_version - after_method - 1);
  const std::string_view version = line.substr(before_version + 1);
  const bool origin_form = target.starts_with('/') && std::ranges::all_of(target, is_visible);
  if (!is_token(method) || !(origin_form || target == "*")) return refuse(400), false;
  const bool is_http = version.size() == 8 && version.starts_with("HTTP/") && version[6] == '.' &&
                       version[5] >= '0' && version[5] <= '9' && version[7] >= '0' && version[7] <= '9';
  if (!is_http) return refuse(400), false;
  if (version[5] != '1') return refuse(505), false;
  version_1_0_ = version[7] == '0';
  request_.method = method;
  request_.target = target.substr(0, target.find('?'));
  request_.keep_alive = !version_1_0_;
  return true;
}

// field-name ":" OWS field-value OWS. A line that continues the one before is refused (RFC 9112 section 5.2).
bool HttpRequestReader::parse_field(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return refuse(400), false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!std::ranges::all_of(value, is_value_character)) return refuse(400), false;
  if (same_but_for_case(name, "host")) {
    ++hosts_;
  } else if (same_but_for_case(name, "connection")) {
    if (lists(value, "close")) request_.keep_alive = false;
    if (version_1_0_ && lists(value, "keep-alive")) request_.keep_alive = true;
  } else if (same_but_for_case(name, "transfer-encoding")) {
    return refuse(501), false;
  } else if (same_but_for_case(name, "content-length")) {
    const bool digits =
        !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    const bool nothing = digits && std::ranges::all_of(value, [](char c) { return c == '0'; });
    if (!nothing) return refuse(digits ? 413 : 400), false;
  }
  return true;
}

}  // namespace simcore
