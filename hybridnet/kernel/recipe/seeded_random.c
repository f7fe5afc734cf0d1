/* hybridnet: numbers of the seed in the variable UML_SEED; without it, the computer's own. */
ssize_t os_getrandom(void *buf, size_t len, unsigned int flags)
{
	static unsigned long long state;
	static int asked, seeded;
	unsigned char *bytes = buf;
	size_t i;

	if (!asked) {
		const char *seed = getenv("UML_SEED");

		asked = 1;
		if (seed) {
			seeded = 1;
			state = strtoull(seed, NULL, 10);
		}
	}
	if (!seeded)
		return getrandom(buf, len, flags);
	for (i = 0; i < len; i++) {	/* SplitMix64 (Steele, Lea and Flood 2014), its highest byte */
		unsigned long long z = state += 0x9e3779b97f4a7c15ULL;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		bytes[i] = (z ^ (z >> 31)) >> 56;
	}
	return len;
}
