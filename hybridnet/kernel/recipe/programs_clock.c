// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Keeps the page in which programs read the clocks (programs_clock.h). A part of time.c, whose events it looks at.
 */
#include <linux/timekeeping.h>
#include <as-layout.h>
#include <mem.h>
#include <programs_clock.h>

/* A millisecond at most: whoever does nothing but read still calls the kernel now and then, and is seen to go on. */
#define MOST_READINGS 4096

static struct programs_clock *programs_clock;
static unsigned long long programs_clock_from;

void map_programs_clock(void);
void programs_clock_goes(void);
void programs_clock_stands(void);

static int __init programs_clock_init(void)
{
	programs_clock = (void *)get_zeroed_page(GFP_KERNEL);
	return programs_clock ? 0 : -ENOMEM;
}
core_initcall(programs_clock_init);

/* In the process of a program, before it is one. */
void map_programs_clock(void)
{
	unsigned long long offset;
	int fd = phys_mapping(uml_to_phys(programs_clock), &offset);

	if (os_map_memory((void *)TASK_SIZE, fd, offset, PAGE_SIZE, 1, 1, 0) < 0)
		panic("a program's clock cannot be mapped");
}

/* The instant before which nothing happens, whatever programs compute. */
static unsigned long long programs_clock_until(void)
{
	struct time_travel_event *event = time_travel_first_event();
	unsigned long long until = event ? event->time : S64_MAX;

	if (time_travel_mode == TT_MODE_INFCPU)
		return until;
#ifdef UM_TIMETRAVEL_SCHEDSHM_VERSION
	if (time_travel_mode == TT_MODE_EXTERNAL && time_travel_ext_free_until && !time_travel_ext_waiting)
		return min(until, *time_travel_ext_free_until - time_travel_shm_offset);
#endif
	return 0;
}

/* A program goes on. */
void programs_clock_goes(void)
{
	unsigned long long until, most = 0;
	unsigned long flags;

	local_irq_save(flags);	/* so that our own readings take no time */
	until = programs_clock_until();
	programs_clock_from = time_travel_time;
	if (until > programs_clock_from)
		most = (until - programs_clock_from - 1) / PROGRAMS_CLOCK_STEP;
	programs_clock->now[CLOCK_REALTIME] = ktime_get_real_ns();
	programs_clock->now[CLOCK_MONOTONIC] = ktime_get_ns();
	programs_clock->now[CLOCK_MONOTONIC_RAW] = ktime_get_raw_ns();
	programs_clock->now[CLOCK_BOOTTIME] = ktime_get_boottime_ns();
	programs_clock->readings = 0;
	programs_clock->most = min_t(unsigned long long, most, MOST_READINGS);
	local_irq_restore(flags);
}

/* It has stopped: what it read has taken its time. */
void programs_clock_stands(void)
{
	unsigned int readings = min(READ_ONCE(programs_clock->readings), (unsigned int)MOST_READINGS);
	unsigned long long now = programs_clock_from + readings * PROGRAMS_CLOCK_STEP;

	BUILD_BUG_ON(PROGRAMS_CLOCK_STEP != TIMER_MULTIPLIER);
	if (now > time_travel_time)
		time_travel_set_time(now);
}
