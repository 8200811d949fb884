import { afterAll, expect, test } from 'vitest';
import type { DecisionStrategy, ReasonCode } from '../../../src/contract/vocabulary.ts';
import type { Examination } from '../../../src/detectors/result.ts';
import { createSandbox } from '../../../src/examiner/sandbox.ts';
import { createAuthority, withCredentials } from '../../fixtures/content-credentials.ts';
import { sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';

/** What files declare, examined in a real sandbox: children, threads, model, decision. */

const scheme = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const settings = 'a harbour\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512';
const size = { width: 160, height: 136, seed: 21 };

const authority = await createAuthority('Authority of Tests');
const sandbox = createSandbox({ poolSize: 1, trustList: authority.certificate });
afterAll(() => sandbox.close());
const [jpeg, png] = [await sceneJpeg(size), await scenePng(size)];

function examine(bytes: Buffer, decisionStrategy: DecisionStrategy): Promise<Examination> {
  return sandbox.examine({
    source: { bytes },
    options: { model: null, decisionStrategy, seed: 1337 },
  });
}

/** Signed by a trusted signer, with this source type. */
async function signed(type: string): Promise<Buffer> {
  const actions = [{ action: 'c2pa.created', digitalSourceType: scheme + type }];
  return withCredentials(jpeg, { signer: await authority.issue('Signer of Tests'), actions });
}

/** Signs of a local change, which turn a verdict of real into a doubtful one without reversing it. */
const signs: ReadonlySet<ReasonCode> = new Set(['manipulation_suspected', 'single_weak_method']);

/**
 * The outcome depends on the traces under the most permissive strategy: only traces of a camera
 * contradict a declaration.
 */
async function expectedFor(undeclared: Buffer) {
  const { decision } = await examine(undeclared, 'relaxed');
  const { resultClass, reasons } = decision;
  const isSuspectedAlone = reasons.length > 0 && reasons.every((reason) => signs.has(reason));
  return resultClass === 'real' || isSuspectedAlone
    ? { resultClass: 'uncertain', reasons: ['declaration_contradicts_traces'] }
    : { resultClass: 'fake', reasons: [] };
}

test.each([
  ['generated', 'trainedAlgorithmicMedia', 'ai-generated'],
  ['with generated parts', 'compositeWithTrainedAlgorithmicMedia', 'ai-manipulated'],
] as const)(
  'a trusted signature decides, whatever the traces indicate: a picture declared %s is fake under the strictest strategy',
  async (_, type, subClass) => {
    const { decision, findings } = await examine(await signed(type), 'pedantic');

    const called = { resultClass: 'fake', resultSubClasses: [subClass], reasons: [] };
    expect(decision).toMatchObject({ ...called, basis: 'declaration' });
    const strong = { method: 'content-credentials', speaksFor: 'fake', strength: 'strong' };
    expect(findings).toContainEqual(expect.objectContaining(strong));
  },
);

test('what anyone can write does not override traces of a camera: settings in a PNG text', async () => {
  const file = withChunks(png, pngChunk('tEXt', `parameters\0${settings}`));

  const { decision, findings } = await examine(file, 'default');

  expect(decision).toMatchObject({ ...(await expectedFor(png)), basis: 'declaration' });
  const weak = { method: 'declared-origin', speaksFor: 'fake', strength: 'weak' };
  expect(findings).toContainEqual(expect.objectContaining(weak));
});

test('a trusted capture leaves the decision to the traces and supports real', async () => {
  const { decision, findings } = await examine(await signed('digitalCapture'), 'default');

  const plain = await examine(jpeg, 'default');
  expect(decision).toEqual({ ...plain.decision, basis: 'traces' });
  const moderate = { method: 'content-credentials', speaksFor: 'real', strength: 'moderate' };
  expect(findings).toContainEqual(expect.objectContaining(moderate));
});
