/** Texts that mention generators or resemble their settings but declare nothing, and hostile texts. */

import { describe, expect, test } from 'vitest';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { xmpPacket } from '../../fixtures/xmp.ts';
import { declarationsOf, png, withExif, withIptc, withTexts, withXmp } from './files.ts';
import {
  aigc,
  comment,
  earlyInvoke,
  hosted,
  novel,
  oneLine,
  settings,
  signature,
  uuid,
} from '../../fixtures/generator-texts.ts';

const json = JSON.stringify;
const titled = (Description: string) => withTexts({ Description });
const prompted = (graph: object) => withTexts({ prompt: json(graph) });

test.each(
  Object.entries({
    'a caption about Midjourney': titled('At a talk about midjourney, Bonn'),
    'a job number': titled('Wedding -- Job ID: 4711'),
    'a job without options': titled(`Wedding, Job ID: ${uuid}`),
    'steps of a stair': withTexts({ parameters: 'Steps: 20, Sampler: none' }),
    'settings without a seed': withTexts({ parameters: settings.replace(/Seed: \d+, /, '') }),
    'settings in a sentence': withExif(comment(`He wrote ${settings}`)),
    'settings in the middle of one': withExif(comment(`${oneLine} gave nothing, he said.`)),
    'a caption about a prompt': titled('A prompt for the debate: "harbour", seed money, 20 steps'),
    'a caption about steps': withExif({
      primary: { 0x010e: 'Steps: 20, Seed: 12 kg, Size: 30x40' },
    }),
    'a recipe': withExif(comment('Steps: 3, Seeds: 12, Model: oven, Size: 20')),
    'a comment of a camera': withExif(comment('                                        ')),
    'a comment of a phone': withExif(
      comment('{"cameraType":"Wide","macroEnabled":false,"qualityMode":3,"deviceTilt":-0.06}'),
    ),
    'a comment of a cutter': withExif(
      comment(
        '{"data":{"pictureId":"a","appversion":"6.8.0","enter_from":"enter_launch","filterId":"","tiktok_developers_3p_anchor_params":"x"},"source_type":"vicut","model":"x"}',
      ),
    ),
    'a graph whose sampler is muted': withTexts({
      workflow: json({ nodes: [{ type: 'KSampler', mode: 2 }, { type: 'LoadImage' }] }),
    }),
    'a graph that only scales what it loads': prompted(hosted('RecraftCrispUpscaleNode')),
    'a graph with a helper of a hosted model': prompted(hosted('FluxKontextImageScale')),
    'text for papers': withTexts({ prompt: '$ ls', workflow: '{"nodes": [{"type": "review"}]}' }),
    'no steps': withTexts({ parameters: json({ prompt: 'a', seed: 5, model: 'Snap 1' }) }),
    'a prompt in words': withTexts({ prompt: 'a harbour at night', workflow: 'scan, crop' }),
    'a list': withTexts({ prompt: '[{"class_type": "KSampler", "inputs": {}}]' }),
    'a graph that only scales a photograph': prompted({
      '1': { class_type: 'LoadImage', inputs: {} },
      '2': { class_type: 'ImageScale', inputs: {} },
    }),
    'foreign JSON': withTexts({ invokeai_metadata: '{"seed": 7}', parameters: '{"steps": 3}' }),
    'another app': withTexts({ 'sd-metadata': json({ ...earlyInvoke, app_id: 'sd-card' }) }),
    'a dream': withTexts({ Dream: '"I had a dream" -- M. L. King' }),
    'a comment of settings without NovelAI': withTexts({ Comment: novel, Software: 'GIMP' }),
    'AI software of no maker': withExif({ primary: { 0x0131: 'AI generated;txt2img;flux' } }),
    'a forest': withExif({ primary: { 0x010f: 'Black Forest Labs', 0x0131: 'Darkroom' } }),
    'a credit about Google': withIptc([[110, 'Not Made with Google AI']]),
    'a signature of an artist': withExif({ primary: { 0x010e: signature, 0x013b: 'A. B.' } }),
    'a short signature': withExif({ primary: { 0x010e: 'Signature: AB==', 0x013b: uuid } }),
    'a label of suspicion': withTexts({ AIGC: json({ ...aigc, Label: '3' }) }),
    'a label of nobody': withTexts({ AIGC: '{"Label": "1"}' }),
    'a plug-in': withTexts({ Software: 'Stable Diffusion plug-in for GIMP' }),
    'a name that begins alike': withExif({ primary: { 0x0131: 'Midjourney Travel Album 3' } }),
    'Firefly inside': withXmp(xmpPacket({ 'xmp:CreatorTool': 'Adobe Photoshop 25.0 (Firefly)' })),
    'ComfyUI alone, which also crops': withTexts({ Software: 'ComfyUI' }),
  }),
)('mere words are not a declaration: %s', async (_, file) => {
  expect(await declarationsOf(file)).toEqual([]);
});

describe('hostile texts', () => {
  test.each([
    ['nested a hundred thousand times', '{"a":'.repeat(100_000)],
    ['a million blanks', `{${' '.repeat(900_000)}`],
    ['a million names that are none', `{"a": ${'NaN '.repeat(200_000)}`],
    ['a line of settings without end', `Steps: 1, ${'a: "'.repeat(200_000)}`],
    ['a million options', ` --a${' --a Job ID: '.repeat(60_000)}`],
  ])('of %s are read in less than two seconds and declare nothing', async (_, text) => {
    const file = withTexts({ parameters: text, prompt: text, Description: text, AIGC: text });
    const began = performance.now();

    const declarations = await declarationsOf(file);

    expect(declarations).toEqual([]);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  test('are shown on one line, without control characters or changes of direction', async () => {
    const file = withTexts({
      parameters: `\u{202e}\u{1b}[31mharbour\r\n\u{200b}${'x'.repeat(500)}\n${settings}`,
    });

    const [declaration] = await declarationsOf(file);

    expect(declaration?.value).toMatch(/^\[31mharbour x+$/);
    expect(declaration?.value).toHaveLength(200);
  });

  test('are limited to fifty', async () => {
    const chunk = pngChunk('tEXt', `parameters\0a\n${settings}`);
    const file = withChunks(png, ...Array<Buffer>(150).fill(chunk));

    expect(await declarationsOf(file)).toHaveLength(50);
  });
});
