// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The processor's own clock in simulated time: the instructions RDTSC and RDTSCP read the kernel's, in nanoseconds.
 *
 * The computer is asked to refuse both to programs (prctl(PR_SET_TSC)), which comes here as a general protection fault.
 * As each reading of a clock, one takes some time, so that a program which waits by reading it goes on.
 */
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <sysdep/ptrace.h>

#define GENERAL_PROTECTION 13

int reads_processor_clock(struct uml_pt_regs *regs);

/* Whether the program was refused one of the two; then it has read the clock, and goes on behind the instruction. */
int reads_processor_clock(struct uml_pt_regs *regs)
{
	unsigned char code[3] = { 0 };
	unsigned long length;
	u64 now;

	if (regs->faultinfo.trap_no != GENERAL_PROTECTION)
		return 0;
	length = sizeof(code) - copy_from_user(code, (void __user *)UPT_IP(regs), sizeof(code));
	if (length >= 2 && code[0] == 0x0f && code[1] == 0x31) {
		length = 2;
	} else if (length == 3 && code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9) {
		regs->gp[HOST_CX] = 0;	/* the one processor's number */
	} else {
		return 0;
	}
	now = ktime_get_raw_ns();
	regs->gp[HOST_AX] = (u32)now;
	regs->gp[HOST_DX] = now >> 32;
	UPT_IP(regs) += length;
	return 1;
}
