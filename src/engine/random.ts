const mask64 = (1n << 64n) - 1n;

/**
 * Numbers 0 <= x < 1 with 53 random bits, the same for the same seed on every machine.
 *
 * SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the constants
 * of Vigna's reference code. Any integer is a good seed, also small ones.
 */
export function createRandom(seed: number): () => number {
  let state = BigInt.asUintN(64, BigInt(seed));
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask64;
    let mixed = state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & mask64;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & mask64;
    mixed ^= mixed >> 31n;
    return Number(mixed >> 11n) / 2 ** 53;
  };
}
