// SPDX-License-Identifier: MIT
//
// The clocks of this machine. Nothing else in simcore reads one.
#pragma once

#include <cstdint>

namespace simcore {

std::int64_t monotonic_ns();  // CLOCK_MONOTONIC: never set, slewed by NTP
std::int64_t realtime_ns();   // CLOCK_REALTIME: the clock of the kernel's frame timestamps and of pcap files

// Sleeps until that instant of CLOCK_MONOTONIC; returns earlier when a signal is handled.
void sleep_until_ns(std::int64_t monotonic_ns);

// CPU time that the calling thread has used, in user and kernel mode.
std::int64_t thread_cpu_ns();

// What has to be added to a CLOCK_REALTIME instant to get CLOCK_MONOTONIC. It changes when the clock is set,
// so it is read again for each batch of timestamps.
std::int64_t monotonic_minus_realtime_ns();

// Whether the kernel's clocks are of simulated time: it is User-Mode Linux, and its command line has `time-travel`.
bool clock_is_simulated();

}  // namespace simcore
