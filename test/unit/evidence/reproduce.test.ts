import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { BundleCase } from '../../../src/evidence/bundle-format.ts';
import { reproduceBundle, type ReproduceOptions } from '../../../src/evidence/reproduce.ts';
import { createSandbox } from '../../../src/examiner/sandbox.ts';
import { verifyBundle } from '../../../src/evidence/verify.ts';
import { writeBundle } from '../../../src/evidence/write-bundle.ts';
import {
  wordFacts,
  wordFinding,
  wordProvenance,
  wordSkipped,
} from '../../../src/present/findings.ts';
import { createAuthority } from '../../fixtures/content-credentials.ts';
import { warmChildren } from '../examiner/warm-children.ts';
import { temporaryFolder } from '../ports/db/temporary.ts';
import { realCase } from './real-case.ts';
import { inOldFormat, readEntries } from './repack.ts';
import { newSigner, signedAt } from './small-case.ts';
import { refusal } from '../../fixtures/refusal.ts';

const children = warmChildren();
const real = await realCase(children);

function bundleOf(change: Partial<BundleCase> = {}, withOriginal = true): Uint8Array {
  return writeBundle({ ...real, ...change }, { withOriginal, signer: newSigner(), signedAt }).bytes;
}

function reproduce(bundle: Uint8Array, options: ReproduceOptions = {}) {
  return reproduceBundle((settings) => createSandbox({ ...settings, children }), bundle, options);
}

/** Of an examination with these other values. */
function changedBundle(change: Partial<BundleCase['examination']>): Uint8Array {
  return bundleOf({ examination: { ...real.examination, ...change } });
}

test('on the same machine every value and byte is reproduced, as of the original date', async () => {
  const { inconsistencies } = real.examination.provenance;

  const found = await reproduce(bundleOf());

  expect(found).toMatchObject({ outcome: 'identical', differences: [], environment: [] });
  expect(found.verdict.found).toBe(found.verdict.recorded);
  expect(found.files.map(({ isIdentical }) => isIdentical)).toEqual(Array(12).fill(true));
  expect(found.files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['report-en.html', 'report-de.html']),
  );
  expect(found.valuesCompared).toBeGreaterThan(4 * 10 * 9);
  expect(inconsistencies.map(({ code }) => code)).toContain('time_in_future');
});

test('the trust list is included only if a signer was checked against it', async () => {
  const { credentials } = real.examination.provenance;
  const unsigned = { ...real.examination.provenance, credentials: null };

  const entries = await readEntries(bundleOf());
  const without = await readEntries(changedBundle({ provenance: unsigned }));

  expect(credentials).toMatchObject({ integrity: 'valid', trust: 'trusted' });
  expect(entries).toHaveProperty(['trust-list.pem']);
  expect(String(entries['README.txt'])).toContain('report-*.html');
  expect(Object.keys(without)).not.toContain('trust-list.pem');
});

test('a bundle without its picture, made after the trust list was replaced, needs both', async () => {
  const trustList = (await createAuthority('Another')).certificate;
  const bundle = bundleOf({ trustList }, false);
  const folder = temporaryFolder();
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const original = write('right.jpg', real.original);
  const wrongOriginal = write('wrong.jpg', Buffer.alloc(2 * real.original.length));
  const list = write('right.pem', `The list of last year.\n${real.trustList}`);
  const wrongList = write('wrong.pem', (await createAuthority('A third')).certificate);

  expect(await readEntries(bundle)).not.toHaveProperty(['trust-list.pem']);
  await expect(reproduce(bundle)).rejects.toMatchObject({ code: 'usage' });
  await expect(reproduce(bundle, { original: wrongOriginal })).rejects.toEqual(
    refusal('image_not_as_declared'),
  );
  for (const options of [{ original }, { original, trustList: wrongList }]) {
    await expect(reproduce(bundle, options)).rejects.toEqual(refusal('usage', '--trust-list'));
  }
  expect(await reproduce(bundle, { original, trustList: list })).toMatchObject({
    outcome: 'identical',
  });
});

test('in a bundle of the first format the map cells are compared instead of the drawings', async () => {
  const signer = newSigner();
  // As large as the picture, like raw maps of that format.
  const rendering = { ...real.rendering, rawMaps: real.rendering.heatmaps };
  const written = writeBundle({ ...real, rendering }, { withOriginal: true, signer, signedAt });
  const bundle = inOldFormat(written.bytes, 'forensics-evidence-bundle/1', signer);

  const found = await reproduce(await bundle);

  expect(found).toMatchObject({ outcome: 'identical', differences: [] });
  expect(found.files.filter(({ name }) => name.endsWith('.png'))).toEqual([]);
});

test('a heatmap and a page changed before signing are found and named', async () => {
  const { heatmaps, reports } = real.rendering;
  const en = { ...reports.en!, html: `${reports.en!.html}<!-- one thing more -->` };
  const patch = { create: { width: 40, height: 40, channels: 3, background: 'red' } } as const;
  const painted = await sharp(heatmaps.fake)
    .composite([{ input: patch }])
    .removeAlpha()
    .png()
    .toBuffer();
  const changed = { heatmaps: { ...heatmaps, fake: painted }, reports: { ...reports, en } };

  const found = await reproduce(bundleOf({ rendering: { ...real.rendering, ...changed } }));

  expect(found).toMatchObject({ outcome: 'different', differences: [] });
  expect(found.files.filter(({ isTolerated }) => !isTolerated)).toEqual([
    {
      name: 'heatmap-fake.png',
      isIdentical: false,
      pixels: { differing: expect.any(Number), largest: expect.any(Number) },
      isTolerated: false,
    },
    { name: 'report-en.html', isIdentical: false, pixels: null, isTolerated: false },
  ]);
});

function reworded(): BundleCase['rendering'] {
  const { reports } = real.rendering;
  const en = { ...reports.en!, texts: { ...reports.en!.texts, summary: 'Other.' } };
  return { ...real.rendering, reports: { ...reports, en } };
}

test('differences in rounding and wording on another machine count as the same result, and it is named', async () => {
  const { examination } = real;
  const { fake, ...rest } = examination.predictions;
  const elsewhere = {
    ...examination,
    predictions: { ...rest, fake: fake + 4e-5 },
    environment: { ...examination.environment, cpu: 'Another processor' },
  };

  const found = await reproduce(bundleOf({ rendering: reworded(), examination: elsewhere }));

  expect(found.outcome).toBe('same-result');
  expect(found.environment).toEqual([
    { name: 'cpu', recorded: 'Another processor', found: examination.environment['cpu'] },
  ]);
  expect(found.differences.map(({ path, kind }) => `${path} ${kind}`)).toEqual(
    expect.arrayContaining(['examination.predictions.fake rounding', 'texts.en.summary wording']),
  );
});

test('different wording on the same machine is a different result', async () => {
  const found = await reproduce(bundleOf({ rendering: reworded() }));

  expect(found.outcome).toBe('different');
  expect(found.differences).toMatchObject([{ path: 'texts.en.summary', kind: 'wording' }]);
});

test.each([
  ['model.onnx', '0.9.0', /This machine has version \d/],
  ['manifest.json', null, /This machine has that version with different/],
])(
  'a model with another %s is refused, and the required one is named',
  async (name, otherVersion, instead) => {
    const { examination } = real;
    const version = otherVersion ?? examination.model.version;
    const files = { ...examination.model.files, [name]: 'ab'.repeat(32) };
    const model = { ...examination.model, version, files };

    const refused = reproduce(changedBundle({ model }));

    await expect(refused).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(refused).rejects.toThrow(`${examination.model.id} ${version} with these files`);
    await expect(refused).rejects.toThrow(`${name} ${'ab'.repeat(32)}`);
    await expect(refused).rejects.toThrow(instead);
  },
);

test('a model that this version no longer has is named with the release that has it', async () => {
  const { examination } = real;
  const model = { id: 'trace-1', version: '1.4.1', files: { 'votes.onnx': 'ab'.repeat(32) } };
  const environment = { ...examination.environment, forensics: '0.1.0' };
  const bundle = changedBundle({ model, environment });

  expect((await verifyBundle(bundle)).holds).toBe(true);
  await expect(reproduce(bundle)).rejects.toEqual(
    refusal('model_not_found', /model trace-1 1\.4\.1 .*with forensics 0\.1\.0, which made it/),
  );
});

test('a different localisation model is not used instead either', async () => {
  const locator = real.examination.locator!;
  const files = { ...locator.files, 'locate.onnx': 'ab'.repeat(32) };

  const refused = reproduce(changedBundle({ locator: { ...locator, version: '0.0.1', files } }));

  await expect(refused).rejects.toMatchObject({ code: 'model_not_found' });
  await expect(refused).rejects.toThrow(`${locator.id} 0.0.1 with these files: locate.onnx abab`);
});

test('a bundle from a version without a localisation model names that version', async () => {
  await expect(reproduce(changedBundle({ locator: null }))).rejects.toEqual(
    refusal('conflict', 'that version'),
  );
});

test('a bundle that fails verification is not reproduced', async () => {
  const bundle = Buffer.from(bundleOf());
  bundle[bundle.length >> 1]! ^= 1;

  await expect(reproduce(bundle)).rejects.toMatchObject({ code: 'bundle_changed' });
});

test.each(['all sentences', 'sentences only for warnings'])(
  'an older examination, stored with %s and a removed method, is compared as sentences',
  async (stored) => {
    const { examination } = real;
    const retired = { ...examination.findings[0]!, method: 'noise-level' };
    const { maps } = examination;
    const methods = { ...maps.methods, 'noise-level': maps.values.fake };
    const { facts, skipped, provenance } = examination;
    const findings = [retired, ...examination.findings];
    const worded = wordProvenance(provenance);
    const { warnings } = worded;
    const old =
      stored === 'all sentences'
        ? {
            findings: findings.map(wordFinding),
            skipped: skipped.map((one) => wordSkipped(one, facts)),
            provenance: worded,
          }
        : { findings, provenance: { ...provenance, warnings } };

    const found = await reproduce(
      changedBundle({ facts: wordFacts(facts), maps: { ...maps, methods }, ...old }),
    );

    expect(facts.metadata.warnings).toMatchObject([{ code: 'texts_cut' }]);
    expect(found).toMatchObject({ outcome: 'identical', differences: [] });
  },
);
