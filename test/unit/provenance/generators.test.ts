import { describe, expect, test } from 'vitest';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { xmpPacket } from '../../fixtures/xmp.ts';
import { declarationsOf, jpeg, png, withExif, withIptc, withTexts, withXmp } from './files.ts';
import {
  aigc,
  comfyPrompt,
  comment,
  earlyInvoke,
  hosted,
  novel,
  oneLine,
  settings,
  signature,
  uuid,
} from '../../fixtures/generator-texts.ts';
import { originOfSourceType } from '../../../src/contract/provenance.ts';

const automatic = `a harbour at night, rain\nNegative prompt: people\n${settings}, Model hash: abc, Version: v1.10.1`;

const comfyDrawn = { nodes: [{ id: 1, type: 'KSampler' }], links: [], version: 0.4 };
const fooocus = { prompt: 'a', seed: '12', steps: 30, version: 'Fooocus v2.5.5' };
const swarm = { sui_image_params: { prompt: 'a', seed: 1, steps: 20, swarm_version: '0.9.4' } };
const invoke = { generation_mode: 'sdxl_txt2img', positive_prompt: 'a', seed: 7 };

const json = JSON.stringify;
const drawn = (...types: readonly string[]) => ({
  nodes: types.map((type) => ({ type })),
  links: [],
});
const stable = { 'Stable Diffusion model': 'sd' };
const easy = { prompt: 'a', seed: 4, use_stable_diffusion_model: 'sd', num_inference_steps: 25 };
const drawThings = { c: 'a harbour', uc: '', sampler: 'DDIM', seed: 5, steps: 20, model: 'x' };
const invokeGraph = { id: 'a', nodes: { b: { type: 'denoise_latents' } }, edges: [] };
const alt = (text: string) => `<rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt>`;

const withInner = (text: string) => withXmp(xmpPacket({}, text));
const described = (text: string) => withInner(`<dc:description>${text}</dc:description>`);
const created = (tool: string) => withXmp(xmpPacket({ 'xmp:CreatorTool': tool }));
const hostedKinds = `OpenAIGPTImage1 OpenAIDalle3 FluxProUltraImageNode FluxKontextProImageNode
  IdeogramV3 RecraftTextToImageNode GeminiImageNode ByteDanceSeedreamNode
  StabilityStableImageUltraNode KlingImageGenerationNode LumaImageNode WanTextToImageApi
  RunwayTextToImageNode`.split(/\s+/);

/** Files by the generator that they name. */
const traces: Readonly<Record<string, Readonly<Record<string, Buffer>>>> = {
  'Stable Diffusion web UI (AUTOMATIC1111)': {
    'its own line': withTexts({ parameters: automatic }),
  },
  'Stable Diffusion web UI Forge': {
    'its own version': withTexts({ parameters: automatic.replace('v1.10.1', 'f2.0.1v1.10.1') }),
    'the settings of FLUX': withTexts({
      parameters: `a\nSteps: 20, Sampler: Euler, Schedule type: Simple, CFG scale: 1, Distilled CFG Scale: 3.5, Seed: 1, Size: 896x1152, Version: f2.0.1`,
    }),
  },
  'Stable Diffusion web UI (AUTOMATIC1111, Forge, ...)': {
    'a kindred program': withExif(comment(`a\n${settings}`)),
    'one line': withExif(comment(oneLine)),
    'one line with what is unwanted': withExif(
      comment(`a cat. Negative prompt: people, ${settings}`),
    ),
    'no CFG': withTexts({ parameters: `a\n${settings.replace(/CFG scale: 7, /, '')}` }),
    'another order': withTexts({
      parameters: `a\nSeed: 5, Size: 512x512, Steps: 20, Sampler: Euler`,
    }),
    'escaped line breaks': withTexts({ parameters: `a\\n${settings}` }),
  },
  'SD.Next': {
    'its own name': withTexts({ parameters: `a\n${settings}, App: SD.Next, Version: 1` }),
  },
  Civitai: { 'its own field': withExif(comment(`a\n${settings}, Civitai resources: []`)) },
  ComfyUI: {
    'a graph as it ran': withTexts({ prompt: json(comfyPrompt) }),
    'a graph as it was drawn': withTexts({ workflow: json(comfyDrawn) }),
    'a number that is none': withTexts({
      prompt: json(comfyPrompt).replace('"steps":20', '"is_changed":[NaN]'),
    }),
    EXIF: withExif({ primary: { 0x0110: `prompt:${json(comfyPrompt)}` } }),
    'a subgraph': withTexts({
      workflow: json({ ...drawn('9f1c-uuid'), definitions: { subgraphs: [drawn('KSampler')] } }),
    }),
    'a group node': withTexts({
      workflow: json({ ...drawn('workflow/a'), extra: { groupNodes: { a: drawn('KSampler') } } }),
    }),
    'a comment, wrapped': withExif(comment(json({ prompt: comfyPrompt, workflow: {} }))),
    'a comment, wrapped as text': withExif(comment(json({ workflow: json(comfyDrawn) }))),
    XMP: described(`Workflow: ${json(comfyDrawn)}`),
    ...Object.fromEntries(
      hostedKinds.map((kind) => [`a call of ${kind}`, withTexts({ prompt: json(hosted(kind)) })]),
    ),
  },
  'Easy Diffusion': {
    'its settings': withExif(comment(json(easy))),
    'its older names': withExif(comment(json({ Prompt: 'a', Seed: 4, Steps: 25, ...stable }))),
    'a text each': withTexts({ Prompt: 'a', Seed: '4', Steps: '25', ...stable }),
  },
  'Draw Things': {
    'its settings': withInner(
      `<exif:UserComment>${alt(json(drawThings).replaceAll('"', '&quot;'))}</exif:UserComment>`,
    ),
    'its name': created('Draw Things'),
  },
  Fooocus: {
    'the comment of a JPEG': withSegments(jpeg, jpegSegment(0xfe, json(fooocus))),
    'a PNG text': withTexts({ parameters: json(fooocus) }),
    EXIF: withExif(comment(json(fooocus))),
  },
  SwarmUI: {
    EXIF: withExif({ primary: { 0x0110: json(swarm) } }),
    'a PNG text': withTexts({ parameters: json(swarm) }),
  },
  InvokeAI: {
    'its graph': withTexts({ invokeai_graph: json(invokeGraph) }),
    'its metadata': withTexts({ invokeai_metadata: json(invoke) }),
    'its early metadata': withTexts({ 'sd-metadata': json(earlyInvoke) }),
    'its first command line': withTexts({
      Dream: '"a harbour" -s 50 -S 42 -W 512 -H 512 -C 7.5 -A k_lms',
    }),
  },
  Midjourney: {
    XMP: described(alt(`a harbour --v 7 Job ID: ${uuid}`)),
    'a PNG text': withTexts({ Description: `a harbour, rain --ar 3:2 --v 6.1 Job ID: ${uuid}` }),
    EXIF: withExif({ primary: { 0x010e: `a harbour --v 7 Job ID: ${uuid}` } }),
  },
  'FLUX (Black Forest Labs)': {
    'maker and program': withExif({
      primary: { 0x010f: 'Black Forest Labs', 0x0131: 'AI generated;txt2img;flux' },
    }),
  },
  'Google AI': { 'the credit': withIptc([[110, 'Made with Google AI']]) },
  'Grok (xAI)': { 'a signature': withExif({ primary: { 0x010e: signature, 0x013b: uuid } }) },
  'Adobe Firefly': { 'its name': created('Adobe Firefly 3.0') },
  'DALL-E': { 'its name': withTexts({ Software: 'DALL·E 3' }) },
  Ideogram: { 'its name as the maker': withExif({ primary: { 0x010f: 'Ideogram AI' } }) },
  'Leonardo.Ai': { 'its name': withExif({ primary: { 0x0131: 'Leonardo.Ai' } }) },
  'Bing Image Creator': { 'its name': withExif({ primary: { 0x0131: 'Bing Image Creator' } }) },
};

describe('traces of a generator declare generated content, unsigned:', () => {
  test.each(
    Object.entries(traces).flatMap(([generator, files]) =>
      Object.entries(files).map(([trace, file]) => ({ generator, trace, file })),
    ),
  )('$generator, by $trace', async ({ generator, file }) => {
    expect(await declarationsOf(file)).toMatchObject([
      { origin: 'ai-generated', assurance: 'unsigned', generator },
    ]);
  });

  test('an unknown program, recognised by prompt, seed, steps and model', async () => {
    const own = json({ prompt: 'a', seed: 5, steps: 4, model: 'schnell', mflux_version: '0.4' });

    expect(await declarationsOf(withExif(comment(own)))).toMatchObject([
      { origin: 'ai-generated', generator: null },
    ]);
  });

  test('NovelAI, by its name and its settings', async () => {
    const declarations = await declarationsOf(withTexts({ Software: 'NovelAI', Comment: novel }));

    expect(declarations.map(({ generator, field }) => [generator, field])).toEqual([
      ['NovelAI', 'Comment'],
      ['NovelAI', 'Software'],
    ]);
  });

  test.each([
    ['XMP', withInner(`<TC260:AIGC xmlns:TC260="t">${json(aigc)}</TC260:AIGC>`), 'xmp'],
    ['a PNG text chunk', withTexts({ AIGC: json(aigc) }), 'png-text'],
    ['EXIF', withExif(comment(json({ AIGC: aigc }))), 'exif'],
  ])('the Chinese label in %s, which names no program', async (_, file, place) => {
    expect(await declarationsOf(file)).toMatchObject([
      { origin: 'ai-generated', place, generator: null },
    ]);
  });
});

const inpainting = {
  ...comfyPrompt,
  '1': { class_type: 'LoadImage', inputs: {} },
  '2': { class_type: 'VAEEncodeForInpaint', inputs: {} },
};
const masked = `a\n${settings}, Denoising strength: 0.7, Mask blur: 4`;

test.each([
  ['AUTOMATIC1111', withTexts({ parameters: masked })],
  ['ComfyUI', withTexts({ prompt: json(inpainting) })],
  ['InvokeAI', withTexts({ invokeai_metadata: json({ ...invoke, generation_mode: 'inpaint' }) })],
  ['Google', withIptc([[110, 'Edited with Google AI']])],
])('generated parts make it a manipulation: %s', async (_, file) => {
  expect(await declarationsOf(file)).toMatchObject([{ origin: 'ai-manipulated' }]);
});

const scheme = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

describe('digital source types', () => {
  const trained = `${scheme}trainedAlgorithmicMedia`;
  const tag = 'Iptc4xmpExt:DigitalSourceType';
  const capture = `${scheme}digitalCapture`;

  test.each([
    ['an attribute', xmpPacket({ [tag]: trained })],
    ['an element', xmpPacket({}, `<${tag}>${trained}</${tag}>`)],
    ['a resource', xmpPacket({}, `<${tag} rdf:resource="${trained}"/>`)],
  ])('as %s are read', async (_, packet) => {
    const found = { origin: 'ai-generated', place: 'xmp', field: 'DigitalSourceType' };
    expect(await declarationsOf(withXmp(packet))).toEqual([
      { ...found, value: trained, generator: null, assurance: 'unsigned' },
    ]);
  });

  test('include the name of an accompanying AI system, and are not needed beside it', async () => {
    const generator = 'Acme Dream 2';
    const named = { 'Iptc4xmpExt:AISystemUsed': generator };
    const alone = { origin: 'ai-generated', field: 'AISystemUsed', generator };

    const both = await declarationsOf(withXmp(xmpPacket({ [tag]: trained, ...named })));
    expect(both).toMatchObject([{ generator }]);
    expect(await declarationsOf(withXmp(xmpPacket(named)))).toMatchObject([alone]);
  });

  test('of a capture are listed after generated content', async () => {
    const file = withXmp(xmpPacket({ [tag]: capture, 'xmp:CreatorTool': 'Midjourney' }));

    const origins = (await declarationsOf(file)).map(({ origin }) => origin);

    expect(origins).toEqual(['ai-generated', 'captured']);
  });
});

test.each([
  ['trainedAlgorithmicMedia', 'ai-generated'],
  ['compositeWithTrainedAlgorithmicMedia', 'ai-manipulated'],
  ['digitalCapture', 'captured'],
  ['computationalCapture', 'captured'],
  ['negativeFilm', 'captured'],
  ['positiveFilm', 'captured'],
  ['print', 'captured'],
  ['algorithmicMedia', null],
  ['compositeCapture', null],
  ['screenCapture', null],
])('%s declares %s', (term, origin) => {
  expect(originOfSourceType(scheme + term)).toBe(origin);
});

test.each([
  'https://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia',
  'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia/',
  'http://c2pa.org/digitalsourcetype/trainedAlgorithmicData',
  'digsrctype:trainedAlgorithmicMedia',
  'trainedAlgorithmicMedia',
  ' trainedAlgorithmicMedia\n',
])('%j also means generated', (type) => {
  expect(originOfSourceType(type)).toBe('ai-generated');
});

test.each([
  null,
  '',
  'not trainedAlgorithmicMedia',
  'http://example.org/digitalsourcetype/trainedAlgorithmicMedia',
  'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMediaX',
  'constructor',
  '__proto__',
])('%j declares nothing', (type) => {
  expect(originOfSourceType(type)).toBeNull();
});

// Texts that mention generators or resemble their settings but declare nothing, and hostile texts.

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
