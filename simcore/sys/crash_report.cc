// SPDX-License-Identifier: MIT
#include "simcore/sys/crash_report.h"

#include <execinfo.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "simcore/sys/checked_call.h"

namespace simcore {

namespace {

constexpr int kMostCalls = 48;

// Only what a signal handler may call: no memory is asked for, no lock is taken.
void write_text(const char* text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void report(int signal) {
  std::array<char, 16> name{};  // as the kernel has it, with its zero byte
  ::prctl(PR_GET_NAME, name.data());
  const std::array<char, 3> digits{static_cast<char>('0' + signal / 10), static_cast<char>('0' + signal % 10),
                                   '\0'};
  write_text("crash: signal ");
  write_text(digits.data());
  write_text(" in thread ");
  write_text(name.data());
  write_text("; its calls, innermost first:\n");
  std::array<void*, kMostCalls> calls{};
  ::backtrace_symbols_fd(calls.data(), ::backtrace(calls.data(), kMostCalls), STDERR_FILENO);
  ::raise(signal);  // SA_RESETHAND has put back what it does by default
}

}  // namespace

void report_crashes() {
  std::array<void*, 1> first{};
  ::backtrace(first.data(), 1);  // loads the library that it needs, which a handler may not
  struct sigaction action {};
  action.sa_handler = report;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    checked(::sigaction(signal, &action, nullptr), "have crashes reported");
}

}  // namespace simcore
