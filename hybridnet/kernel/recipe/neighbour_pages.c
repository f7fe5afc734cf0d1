// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Gives a program more than the one page of memory that it has touched: those beside it, as far as they are the same kind
 * and nothing is there. To touch one takes three turns between kernel and program, and who touches one touches more.
 */
#include <linux/mm.h>
#include <asm/tlbflush.h>

#define TOGETHER (16 * PAGE_SIZE)

void touch_neighbours(struct vm_area_struct *vma, unsigned long address);

/* After a program has written to an address in memory that no file is behind. */
void touch_neighbours(struct vm_area_struct *vma, unsigned long address)
{
	unsigned long begin = max(address & ~(TOGETHER - 1), vma->vm_start);
	unsigned long end = min((address & ~(TOGETHER - 1)) + TOGETHER, vma->vm_end);
	unsigned long page;
	pte_t *pte;

	if (!vma_is_anonymous(vma))
		return;
	for (page = begin; page < end; page += PAGE_SIZE) {
		pte = virt_to_pte(vma->vm_mm, page);
		if (pte && !pte_none(*pte))
			continue;
		if (handle_mm_fault(vma, page, FAULT_FLAG_WRITE | FAULT_FLAG_USER, NULL) & VM_FAULT_ERROR)
			return;	/* there is no memory: who touches it is told */
		flush_tlb_page(vma, page);
	}
}
