// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What a kernel in simulated time shares with the computer that runs it: descriptors of the program that it is.
 *
 * /dev/host3 to /dev/host6 are descriptors 3 to 6. Reading and writing block the kernel as a whole, so no simulated time
 * passes meanwhile: a prompt that waits for a person stops the network. A read ends with the line, whatever pieces the
 * line came in, so that the same input takes the same system calls.
 *
 * Each byte that comes over descriptor 7 is the number of a signal for the first process. It comes as an interrupt, so
 * also where a program computes and never calls the kernel.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <irq_user.h>
#include <irq_kern.h>
#include <os.h>

#define SIGNALS 7
#define FIRST 3
#define COUNT 4
#define LONGEST 65536

static struct miscdevice host_files[COUNT];
static const char *const names[COUNT] = { "host3", "host4", "host5", "host6" };

static int descriptor_of(struct file *file)
{
	int i;

	for (i = 0; i < COUNT; i++)
		if (host_files[i].minor == iminor(file_inode(file)))
			return FIRST + i;
	return -ENODEV;
}

static ssize_t host_read(struct file *file, char __user *to, size_t count, loff_t *unused)
{
	int descriptor = descriptor_of(file);
	size_t got = 0;
	ssize_t result;
	char *buffer;

	if (descriptor < 0)
		return descriptor;
	count = min_t(size_t, count, LONGEST);
	buffer = kmalloc(count, GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;
	while (got < count) {
		result = os_read_file(descriptor, buffer + got, 1);
		if (result == -EINTR) {	/* an interrupt, perhaps of whoever is to end this reader */
			cond_resched();
			if (!signal_pending(current))
				continue;
			if (!got)
				got = -ERESTARTSYS;
			break;
		}
		if (result < 0 && !got)
			got = result;
		if (result <= 0)
			break;
		if (buffer[got++] == '\n')
			break;
	}
	if ((ssize_t)got > 0 && copy_to_user(to, buffer, got))
		got = -EFAULT;
	kfree(buffer);
	return got;
}

/* All of it, or an error. */
static ssize_t write_whole(int descriptor, const char *buffer, size_t count)
{
	size_t sent = 0;
	ssize_t result;

	while (sent < count) {
		result = os_write_file(descriptor, buffer + sent, count - sent);
		if (result == -EINTR || result == -EAGAIN)
			continue;
		if (result < 0)
			return result;
		sent += result;
	}
	return sent;
}

/* Whole, as to a file: who writes does not expect that a part is left. */
static ssize_t host_write(struct file *file, const char __user *from, size_t count, loff_t *unused)
{
	int descriptor = descriptor_of(file);
	size_t sent = 0;
	ssize_t result;
	char *buffer;

	if (descriptor < 0)
		return descriptor;
	while (sent < count) {
		size_t part = min_t(size_t, count - sent, LONGEST);

		buffer = memdup_user(from + sent, part);
		if (IS_ERR(buffer))
			return sent ? (ssize_t)sent : PTR_ERR(buffer);
		result = write_whole(descriptor, buffer, part);
		kfree(buffer);
		if (result < 0)
			return sent ? (ssize_t)sent : result;
		sent += part;
	}
	return sent;
}

static const struct file_operations host_operations = {
	.owner = THIS_MODULE,
	.read = host_read,
	.write = host_write,
	.llseek = noop_llseek,
};

static irqreturn_t host_signal(int irq, void *unused)
{
	unsigned char number;

	while (os_read_file(SIGNALS, &number, 1) == 1)
		kill_cad_pid(number, 1);
	return IRQ_HANDLED;
}

static int __init host_files_init(void)
{
	int i, result;

	for (i = 0; i < COUNT; i++) {
		host_files[i].minor = MISC_DYNAMIC_MINOR;
		host_files[i].name = names[i];
		host_files[i].fops = &host_operations;
		host_files[i].mode = 0666;
		result = misc_register(&host_files[i]);
		if (result)
			return result;
	}
	result = os_set_fd_block(SIGNALS, 0);
	if (result)	/* nobody sends any */
		return 0;
	result = um_request_irq(UM_IRQ_ALLOC, SIGNALS, IRQ_READ, host_signal, 0, "host signals", host_files);
	return result < 0 ? result : 0;
}
device_initcall(host_files_init);
