// SPDX-License-Identifier: MIT
/*
 * The page in which programs read the clocks in simulated time, without a system call. It follows that of the vDSO, and the
 * kernel fills it in each time that a program goes on (programs_clock.c). All programs have the same one: one of them runs.
 *
 * A reading takes some time, as one by a system call does, so that whoever waits by reading goes on. Programs count their
 * readings, and the kernel lets that much time pass when it comes to run again. They read here only as long as nothing
 * happens meanwhile, so that what they read, and when anything happens, is as if each reading were a system call.
 */
#ifndef PROGRAMS_CLOCK_H
#define PROGRAMS_CLOCK_H

#define PROGRAMS_CLOCK_STEP 256		/* nanoseconds of a reading: the TIMER_MULTIPLIER of time-internal.h */
#define PROGRAMS_CLOCK_CLOCKS 8		/* CLOCK_REALTIME to CLOCK_BOOTTIME */

struct programs_clock {
	unsigned long long now[PROGRAMS_CLOCK_CLOCKS];	/* nanoseconds when the program went on; 0: ask the kernel */
	unsigned int readings;	/* since then */
	unsigned int most;	/* of them */
};

/* Read a clock, in a function of the vDSO, which is one page. Returns 0: the kernel is to be asked. */
static inline int programs_clock_reads(unsigned int clock, unsigned long long *ns)
{
	volatile struct programs_clock *page;
	unsigned long here;

	asm ("lea 0(%%rip), %0" : "=r" (here));
	page = (void *)((here & ~4095UL) + 4096);
	if (clock >= PROGRAMS_CLOCK_CLOCKS || !page->now[clock] || page->readings >= page->most)
		return 0;
	*ns = PROGRAMS_CLOCK_STEP * ++page->readings;	/* first: it may be interrupted, and begin anew */
	*ns += page->now[clock];
	return 1;
}

#endif
