// SPDX-License-Identifier: MIT
//
// What a process says of a fault of its own code before it dies of it.
#pragma once

namespace simcore {

// From now on SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT first write a line to standard error with the signal and the
// thread's name, and then its calls, innermost first, each with its file and offset (`addr2line -e FILE OFFSET` names
// the source line where FILE has debug information). The signal then does what it would have done. A thread that has
// no stack left says nothing.
void report_crashes();

}  // namespace simcore
