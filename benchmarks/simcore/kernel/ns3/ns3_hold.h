// SPDX-License-Identifier: MIT
//
// The hold model on ns-3's kernel. A file of its own, because ns-3's headers do not compile as C++20.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Events per second with this scheduler ("ns3::HeapScheduler"), over `events` events after a warm-up of `pending`.
double ns3_rate(const std::string& scheduler, std::size_t pending, std::size_t events,
                const std::vector<std::int64_t>& increments_ns);
