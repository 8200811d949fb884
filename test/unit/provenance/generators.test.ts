import { describe, expect, test } from 'vitest';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { xmpPacket } from '../../fixtures/xmp.ts';
import { declarationsOf, png, withExif, withIptc, withTexts, withXmp } from './files.ts';

const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const settings =
  'Steps: 20, Sampler: DPM++ 2M Karras, CFG scale: 7, Seed: 965400086, Size: 512x512';
const automatic = `a harbour at night, rain\nNegative prompt: people\n${settings}, Model hash: abc, Version: v1.10.1`;
const comment = (text: string) => ({ exif: { 0x9286: Buffer.from(`ASCII\0\0\0${text}`) } });

const comfyPrompt = {
  '3': { class_type: 'KSampler', inputs: { seed: 5, steps: 20 } },
  '9': { class_type: 'SaveImage', inputs: { images: ['8', 0] } },
};
const comfyDrawn = { nodes: [{ id: 1, type: 'KSampler' }], links: [], version: 0.4 };
const fooocus = { prompt: 'a', seed: '12', steps: 30, version: 'Fooocus v2.5.5' };
const swarm = { sui_image_params: { prompt: 'a', seed: 1, steps: 20, swarm_version: '0.9.4' } };
const invoke = { generation_mode: 'sdxl_txt2img', positive_prompt: 'a', seed: 7 };
const earlyInvoke = { app_id: 'invoke-ai/InvokeAI', image: { prompt: [], steps: 50 } };
const novel = JSON.stringify({ steps: 28, sampler: 'k_euler', seed: 4 });
const aigc = { Label: '1', ContentProducer: 'x', ProduceID: 'y' };
const signature = `Signature: ${'Qz9'.repeat(30)}==`;

const json = JSON.stringify;

describe('what a generator leaves behind declares generated content, unsigned', () => {
  test.each([
    ['AUTOMATIC1111', withTexts({ parameters: automatic }), /AUTOMATIC1111/],
    ['Forge', withTexts({ parameters: automatic.replace('v1.10.1', 'f2.0.1v1.10.1') }), /Forge/],
    [
      'SD.Next',
      withTexts({ parameters: `a\n${settings}, App: SD.Next, Version: 1` }),
      /^SD\.Next$/,
    ],
    ['Civitai', withExif(comment(`a\n${settings}, Civitai resources: []`)), /^Civitai$/],
    ['a kindred program', withExif(comment(`a\n${settings}`)), /AUTOMATIC1111, Forge, \.\.\.\)$/],
    ['ComfyUI, as it ran', withTexts({ prompt: json(comfyPrompt) }), /^ComfyUI$/],
    ['ComfyUI, as it was drawn', withTexts({ workflow: json(comfyDrawn) }), /^ComfyUI$/],
    [
      'ComfyUI with a number that is none',
      withTexts({ prompt: json(comfyPrompt).replace('"steps":20', '"is_changed":[NaN]') }),
      /^ComfyUI$/,
    ],
    [
      'ComfyUI in EXIF',
      withExif({ primary: { 0x0110: `prompt:${json(comfyPrompt)}` } }),
      /^ComfyUI$/,
    ],
    ['InvokeAI', withTexts({ invokeai_metadata: json(invoke) }), /^InvokeAI$/],
    ['early InvokeAI', withTexts({ 'sd-metadata': json(earlyInvoke) }), /^InvokeAI$/],
    [
      'the first InvokeAI',
      withTexts({ Dream: '"a harbour" -s 50 -S 42 -W 512 -H 512 -C 7.5 -A k_lms' }),
      /^InvokeAI$/,
    ],
    ['Fooocus', withTexts({ parameters: json(fooocus) }), /^Fooocus$/],
    ['Fooocus in EXIF', withExif(comment(json(fooocus))), /^Fooocus$/],
    ['SwarmUI', withTexts({ parameters: json(swarm) }), /^SwarmUI$/],
    [
      'Midjourney',
      withTexts({ Description: `a harbour, rain --ar 3:2 --v 6.1 Job ID: ${uuid}` }),
      /^Midjourney$/,
    ],
    [
      'Midjourney in EXIF',
      withExif({ primary: { 0x010e: `a harbour --v 7 Job ID: ${uuid}` } }),
      /^Midjourney$/,
    ],
    [
      'FLUX',
      withExif({ primary: { 0x010f: 'Black Forest Labs', 0x0131: 'AI generated;txt2img;flux' } }),
      /FLUX/,
    ],
    ['Google', withIptc([[110, 'Made with Google AI']]), /^Google AI$/],
    ['Grok', withExif({ primary: { 0x010e: signature, 0x013b: uuid } }), /Grok/],
    ['Draw Things', withXmp(xmpPacket({ 'xmp:CreatorTool': 'Draw Things' })), /^Draw Things$/],
    ['Adobe Firefly', withXmp(xmpPacket({ 'xmp:CreatorTool': 'Adobe Firefly 3.0' })), /Firefly$/],
    ['DALL-E', withTexts({ Software: 'DALL·E 3' }), /^DALL-E$/],
    ['Ideogram', withExif({ primary: { 0x010f: 'Ideogram AI' } }), /^Ideogram$/],
    ['Leonardo', withExif({ primary: { 0x0131: 'Leonardo.Ai' } }), /^Leonardo\.Ai$/],
    ['Bing', withExif({ primary: { 0x0131: 'Bing Image Creator' } }), /^Bing Image Creator$/],
  ])('%s', async (_, file, generator) => {
    const [declaration, ...others] = await declarationsOf(file);

    expect(others).toEqual([]);
    expect(declaration).toMatchObject({
      origin: 'ai-generated',
      assurance: 'unsigned',
      generator: expect.stringMatching(generator),
    });
  });

  test('NovelAI, by its name and by its settings', async () => {
    const declarations = await declarationsOf(withTexts({ Software: 'NovelAI', Comment: novel }));

    expect(declarations.map(({ generator, field }) => [generator, field])).toEqual([
      ['NovelAI', 'Comment'],
      ['NovelAI', 'Software'],
    ]);
  });

  test.each([
    [
      'XMP',
      withXmp(xmpPacket({}, `<TC260:AIGC xmlns:TC260="t">${json(aigc)}</TC260:AIGC>`)),
      'xmp',
    ],
    ['a PNG text', withTexts({ AIGC: json(aigc) }), 'png-text'],
    ['EXIF', withExif(comment(json({ AIGC: aigc }))), 'exif'],
  ])('the Chinese label in %s, which names no program', async (_, file, place) => {
    expect(await declarationsOf(file)).toMatchObject([
      { origin: 'ai-generated', place, generator: null },
    ]);
  });
});

describe('generated parts make a manipulation', () => {
  test.each([
    [
      'AUTOMATIC1111',
      withTexts({ parameters: `a\n${settings}, Denoising strength: 0.7, Mask blur: 4` }),
    ],
    [
      'ComfyUI',
      withTexts({
        prompt: json({
          ...comfyPrompt,
          '1': { class_type: 'LoadImage', inputs: {} },
          '2': { class_type: 'VAEEncodeForInpaint', inputs: {} },
        }),
      }),
    ],
    ['InvokeAI', withTexts({ invokeai_metadata: json({ ...invoke, generation_mode: 'inpaint' }) })],
    ['Google', withIptc([[110, 'Edited with Google AI']])],
  ])('%s', async (_, file) => {
    expect(await declarationsOf(file)).toMatchObject([{ origin: 'ai-manipulated' }]);
  });
});

describe('a word is no declaration', () => {
  test.each([
    ['a caption about Midjourney', withTexts({ Description: 'At a talk about midjourney, Bonn' })],
    ['a job number', withTexts({ Description: 'Wedding -- Job ID: 4711' })],
    ['a job without options', withTexts({ Description: `Wedding, Job ID: ${uuid}` })],
    ['steps of a stair', withTexts({ parameters: 'Steps: 20, Sampler: none' })],
    ['settings without a seed', withTexts({ parameters: settings.replace(/Seed: \d+, /, '') })],
    ['settings in a sentence', withExif(comment(`He wrote ${settings}`))],
    ['a prompt in words', withTexts({ prompt: 'a harbour at night', workflow: 'scan, crop' })],
    ['a list', withTexts({ prompt: '[{"class_type": "KSampler", "inputs": {}}]' })],
    [
      'a graph that only scales a photograph',
      withTexts({
        prompt: json({
          '1': { class_type: 'LoadImage', inputs: {} },
          '2': { class_type: 'ImageScale', inputs: {} },
        }),
      }),
    ],
    ['foreign JSON', withTexts({ invokeai_metadata: '{"seed": 7}', parameters: '{"steps": 3}' })],
    ['another app', withTexts({ 'sd-metadata': json({ ...earlyInvoke, app_id: 'sd-card' }) })],
    ['a dream', withTexts({ Dream: '"I had a dream" -- M. L. King' })],
    ['a comment of settings without NovelAI', withTexts({ Comment: novel, Software: 'GIMP' })],
    ['AI software of no maker', withExif({ primary: { 0x0131: 'AI generated;txt2img;flux' } })],
    ['a forest', withExif({ primary: { 0x010f: 'Black Forest Labs', 0x0131: 'Darkroom' } })],
    ['a credit about Google', withIptc([[110, 'Not Made with Google AI']])],
    [
      'a signature without an artist of its kind',
      withExif({ primary: { 0x010e: signature, 0x013b: 'A. B.' } }),
    ],
    ['a short signature', withExif({ primary: { 0x010e: 'Signature: AB==', 0x013b: uuid } })],
    ['a label of suspicion', withTexts({ AIGC: json({ ...aigc, Label: '3' }) })],
    ['a label of nobody', withTexts({ AIGC: '{"Label": "1"}' })],
    ['a plug-in', withTexts({ Software: 'Stable Diffusion plug-in for GIMP' })],
    ['a name that begins alike', withExif({ primary: { 0x0131: 'Midjourney Travel Album 3' } })],
    [
      'Photoshop with Firefly inside',
      withXmp(xmpPacket({ 'xmp:CreatorTool': 'Adobe Photoshop 25.0 (Firefly)' })),
    ],
    ['ComfyUI alone, which also crops', withTexts({ Software: 'ComfyUI' })],
  ])('%s', async (_, file) => {
    expect(await declarationsOf(file)).toEqual([]);
  });
});

describe('digital source types', () => {
  const trained = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
  const capture = 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture';

  test.each([
    ['an attribute', xmpPacket({ 'Iptc4xmpExt:DigitalSourceType': trained })],
    [
      'an element',
      xmpPacket({}, `<Iptc4xmpExt:DigitalSourceType>${trained}</Iptc4xmpExt:DigitalSourceType>`),
    ],
    ['a resource', xmpPacket({}, `<Iptc4xmpExt:DigitalSourceType rdf:resource="${trained}"/>`)],
  ])('as %s are read', async (_, packet) => {
    expect(await declarationsOf(withXmp(packet))).toEqual([
      {
        origin: 'ai-generated',
        place: 'xmp',
        field: 'DigitalSourceType',
        value: trained,
        generator: null,
        assurance: 'unsigned',
      },
    ]);
  });

  test('bring the name of the system that stands beside them', async () => {
    const packet = xmpPacket({
      'Iptc4xmpExt:DigitalSourceType': trained,
      'Iptc4xmpExt:AISystemUsed': 'Acme Dream 2',
    });

    expect(await declarationsOf(withXmp(packet))).toMatchObject([{ generator: 'Acme Dream 2' }]);
  });

  test('of a capture stand behind generated content in the list', async () => {
    const file = withXmp(
      xmpPacket({ 'Iptc4xmpExt:DigitalSourceType': capture, 'xmp:CreatorTool': 'Midjourney' }),
    );

    const origins = (await declarationsOf(file)).map(({ origin }) => origin);

    expect(origins).toEqual(['ai-generated', 'captured']);
  });
});

describe('hostile texts', () => {
  test.each([
    ['nested a hundred thousand times', '{"a":'.repeat(100_000)],
    ['a million blanks', `{${' '.repeat(900_000)}`],
    ['a million names that are none', `{"a": ${'NaN '.repeat(200_000)}`],
    ['a line of settings without end', `Steps: 1, ${'a: "'.repeat(200_000)}`],
    ['a million options', ` --a${' --a Job ID: '.repeat(60_000)}`],
  ])('of %s end in less than two seconds and declare nothing', async (_, text) => {
    const file = withTexts({ parameters: text, prompt: text, Description: text, AIGC: text });
    const began = performance.now();

    const declarations = await declarationsOf(file);

    expect(declarations).toEqual([]);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  test('are shown on one line, without control characters and without turning the direction', async () => {
    const file = withTexts({
      parameters: `\u{202e}\u{1b}[31mharbour\r\n\u{200b}${'x'.repeat(500)}\n${settings}`,
    });

    const [declaration] = await declarationsOf(file);

    expect(declaration?.value).toMatch(/^\[31mharbour x+$/);
    expect(declaration?.value).toHaveLength(200);
  });

  test('by the hundred are told by fifty', async () => {
    const chunk = pngChunk('tEXt', `parameters\0a\n${settings}`);
    const file = withChunks(png, ...Array<Buffer>(150).fill(chunk));

    expect(await declarationsOf(file)).toHaveLength(50);
  });
});
