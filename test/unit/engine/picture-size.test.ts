import { expect, test } from 'vitest';
import { findGeneratorSize, pictureSize } from '../../../src/detectors/network-findings.ts';
import { defaultSeed } from '../../../src/contract/vocabulary.ts';
import { examine } from '../../../src/engine/observe.ts';
import type { Models } from '../../../src/engine/schedule.ts';
import { worded } from '../detectors/input.ts';
import { loadPackagedModels, scenePicture } from './fixtures.ts';

const sources = { generated: { found: 99, of: 431 }, photographs: { found: 0, of: 521 } };
const models = await loadPackagedModels();
const picture = await scenePicture(302, 238);
const options = { decisionStrategy: 'default', seed: defaultSeed } as const;

/** The packaged models with another list of sizes. */
function withSizes(...sizes: readonly string[]): Models {
  const { trace } = models;
  const generatorSizes = sizes.length === 0 ? [] : [{ ratio: 5, sources, sizes }];
  return { ...models, trace: { ...trace, manifest: { ...trace.manifest, generatorSizes } } };
}

const odds = (probability: number) => probability / (1 - probability);

test('a size is found whether the picture is upright or not, and only if both sides match', () => {
  const { manifest } = withSizes('1408x768').trace;

  expect(findGeneratorSize({ width: 1408, height: 768 }, manifest)?.ratio).toBe(5);
  expect(findGeneratorSize({ width: 768, height: 1408 }, manifest)?.ratio).toBe(5);
  expect(findGeneratorSize({ width: 1408, height: 767 }, manifest)).toBeNull();
});

test('where proportions are enough, a scaled picture matches within the rounding of its sides', () => {
  const { manifest } = withSizes('1408x768').trace;
  const generatorSizes = manifest.generatorSizes.map((one) => ({ ...one, leastSide: 256 }));
  const find = (width: number, height: number) =>
    findGeneratorSize({ width, height }, { generatorSizes });

  expect(find(1080, 589)).not.toBeNull();
  expect(find(587, 1076)).not.toBeNull();
  expect(find(1080, 590)).toBeNull();
  // 183 x 100 has them too, but so does much else at that size.
  expect(find(460, 251)).toBeNull();
});

test('no size of the packaged list is one that cameras, screens or web pages commonly use', () => {
  const { manifest } = models.trace;
  const common = [
    [640, 480],
    [800, 600],
    [1024, 768],
    [1080, 1080],
    [1200, 800],
    [1280, 720],
    [1366, 768],
    [1600, 1200],
    [1920, 1080],
    [4032, 3024],
  ] as const;

  expect(manifest.generatorSizes.map(({ ratio }) => ratio)).toEqual([5, 3, 3]);
  for (const [width, height] of common) {
    expect(findGeneratorSize({ width, height }, manifest)).toBeNull();
  }
});

test('a size that generators use multiplies the odds of the decision', async () => {
  const plain = await examine(picture, withSizes('1408x768'), options);
  const sized = await examine(picture, withSizes('302x238'), options);

  const [before, after] = [plain, sized].map(({ decision }) => odds(decision.fakeProbability));
  expect(after! / before!).toBeCloseTo(5, 6);
  expect(sized.predictions).toEqual(plain.predictions);
  expect(sized.maps).toEqual(plain.maps);
  // What the traces show remains a finding of its own.
  const traces = ({ findings }: typeof plain) => findings[0];
  expect(traces(sized)).toEqual(traces(plain));
});

test('the finding states the size, how many sources have it, and that anyone can make it', async () => {
  const { findings } = await examine(picture, withSizes('302x238'), options);
  const finding = worded(findings.find(({ method }) => method === pictureSize.method)!);

  expect(finding).toMatchObject({
    speaksFor: 'fake',
    strength: 'weak',
    score: 5 / 6,
    measures: { likelihoodRatio: 5, width: 302, height: 238 },
    statement: {
      en: expect.stringMatching(/302 × 238.*99 of the 431.*none of the 521.*Anyone can/),
      de: expect.stringMatching(/302 × 238.*99 der 431.*keiner der 521.*Jeder kann/),
    },
  });
});

test('any other size says nothing, and models without a list do not mention it', async () => {
  const other = await examine(picture, withSizes('1408x768'), options);
  const earlier = await examine(picture, withSizes(), options);
  const methodsOf = ({ findings, skipped }: typeof other) =>
    [...findings, ...skipped].map(({ method }) => method);

  expect(other.skipped).toContainEqual({ method: 'picture-size', reason: 'size_of_no_generator' });
  expect(methodsOf(other)).toContain('picture-size');
  expect(methodsOf(earlier)).not.toContain('picture-size');
  expect(earlier.decision).toEqual(other.decision);
});
