/** Programs, devices and platforms that a file names. A name is what somebody wrote; it is sorted, never believed. */

import type { FileText } from '../image/file-texts.ts';
import type { JpegStructure } from '../image/jpeg-structure.ts';
import { isStructure } from '../image/text.ts';
import { type ForeignTexts, printable } from './file-texts.ts';
import { generatorNamed, toolFields } from './generator-parameters.ts';
import type { ContentCredentials, Declaration, HistoryStep, NamedSoftware } from './provenance.ts';

interface Sources {
  readonly texts: ForeignTexts;
  readonly declarations: readonly Declaration[];
  readonly credentials: ContentCredentials | null;
  readonly history: readonly HistoryStep[];
  readonly jpeg: JpegStructure | null;
}

const maxNames = 20;

/** Each name once, generators first. */
export function nameSoftware({ texts, declarations, credentials, history, jpeg }: Sources) {
  const names: readonly NamedSoftware[] = [
    ...declarations.flatMap(({ generator, place }) => {
      if (generator === null) return [];
      // A program for editing that has a model inside stays a program for editing.
      const { kind, name } = sorted(generator);
      return { kind: kind === 'editor' ? kind : ('generator' as const), name, place };
    }),
    ...cameraIn(texts),
    ...texts.of(...toolFields).map((text) => toolIn(text, texts)),
    ...history.flatMap(({ software }) =>
      software === null ? [] : { ...sorted(software), place: 'xmp' as const },
    ),
    ...platformsIn(texts),
    ...(credentials === null ? [] : namedByCredentials(credentials)),
    // Photoshop's export for the web leaves its quality in a segment that no other program writes.
    ...(jpeg?.segments.some(({ label }) => label === 'APP12 Ducky') ? [savedForWeb] : []),
  ];
  const byName = new Map<string, NamedSoftware>();
  for (const named of names) {
    if (named.name !== '' && !byName.has(named.name)) byName.set(named.name, named);
  }
  return [...byName.values()].slice(0, maxNames);
}

const savedForWeb: NamedSoftware = {
  kind: 'editor',
  name: 'Adobe Photoshop (Save for Web)',
  place: 'exif',
};

/** Programs that change pictures, by how the names that they write begin. */
const editors: readonly RegExp[] = [
  /^(?:ACD Systems|ACDSee|Adobe (?:Photoshop|Lightroom|Camera Raw|Illustrator|Bridge|ImageReady))/i,
  /^(?:Affinity Photo|Aperture|Aurora HDR|BeautyPlus|Canva|Capture One|CorelDRAW|darktable|DxO)/i,
  /^(?:FaceApp|Facetune|FastStone|GIMP|GraphicConverter|ImageMagick|IrfanView|Krita|Luminar)/i,
  /^(?:Meitu|Microsoft (?:Windows )?Photo|Microsoft Office|ON1|PaintShop|Corel PaintShop|paint\.net)/i,
  /^(?:Paint\.NET|Photopea|PhotoScape|PhotoDirector|Photomatix|Picasa|PicsArt|Pixelmator|Pixlr)/i,
  /^(?:Polarr|Prisma|RawTherapee|Remini|SNOW|Snapseed|Topaz|VSCO|Windows Photo|XnView|Zoner)/i,
];

function sorted(text: string): Pick<NamedSoftware, 'kind' | 'name'> {
  const name = printable(text);
  // ComfyUI and InvokeAI also crop and scale: their names alone declare nothing.
  const isGenerator = generatorNamed(name) !== null || /^(?:ComfyUI|InvokeAI)\b/.test(name);
  if (isGenerator) return { kind: 'generator', name };
  return { kind: editors.some((editor) => editor.test(name)) ? 'editor' : 'unknown', name };
}

/** What a camera writes as its software is its firmware, unless it is a program that we know. */
function toolIn(tool: FileText, texts: ForeignTexts): NamedSoftware {
  const { kind, name } = sorted(tool.text);
  const { place } = tool;
  const system = kind === 'unknown' && place !== 'png-text' ? firmwareNamed(name, texts) : null;
  return system === null ? { kind, name, place } : { kind: 'firmware', name: system, place };
}

/** Versions alone (Apple, Huawei), or after the maker's words for one: `Ver.1.00`, `ILCE-7M3 v3.10`, `HDR+ 1.0.585804401zd`. */
const version =
  /^\d+(?:\.\d+){1,3}$|^(?:.{0,40} )?(?:firmware |ver(?:sion)?[. ]?|v)\d+(?:\.\d+)+\w*$|^HDR\+ /i;

/**
 * Null for what names no firmware. Apple writes the bare version of iOS or iPadOS, Samsung a build that begins with the
 * model, `G991BXXS5CVGB` of an `SM-G991B`.
 */
function firmwareNamed(name: string, texts: ForeignTexts): string | null {
  const [make, model] = [texts.of('Make')[0]?.text ?? '', texts.of('Model')[0]?.text ?? ''];
  if (make === '' || model === '') return null;
  const isApple = /^apple\b/i.test(make) && /^\d+(?:\.\d+){0,3}$/.test(name);
  if (isApple)
    return `${/^ipad/i.test(model) && Number.parseInt(name, 10) >= 13 ? 'iPadOS' : 'iOS'} ${name}`;
  const code = model.trim().replace(/^(?:SM|GT|SAMSUNG)-/i, '');
  const isBuild = code.length >= 4 && name.startsWith(code);
  return isBuild || version.test(name) ? name : null;
}

/** Maker and model; models that begin with their maker's name, or with its first word, are not named twice: `NIKON CORPORATION`, `NIKON D800`. */
function cameraIn(texts: ForeignTexts): readonly NamedSoftware[] {
  const firstText = (field: string): FileText | undefined => texts.of(field)[0];
  const make = firstText('Make');
  const model = firstText('Model');
  if (make === undefined || model === undefined || generatorNamed(make.text) !== null) return [];
  // A workflow may stand where the camera is named.
  if (isStructure(make.text) || isStructure(model.text)) return [];
  const maker = printable(make.text);
  const type = printable(model.text);
  const [brand = maker] = maker.split(' ');
  const name = type.toLowerCase().startsWith(brand.toLowerCase()) ? type : `${maker} ${type}`;
  return [{ kind: 'camera', name, place: make.place }];
}

/** What Facebook and Instagram write into the instructions of IPTC: `FBMD` and hexadecimal digits. */
function platformsIn(texts: ForeignTexts): readonly NamedSoftware[] {
  return texts
    .of('Special Instructions', 'SpecialInstructions', 'Instructions')
    .filter(({ text }) => /^FBMD[0-9a-f]{10,}/.test(text))
    .map(({ place }) => ({ kind: 'platform', name: 'Facebook or Instagram', place }));
}

function namedByCredentials({
  claimGenerator,
  actions,
}: ContentCredentials): readonly NamedSoftware[] {
  return [claimGenerator, ...actions.map(({ software }) => software)].flatMap((name) =>
    name === null ? [] : { ...sorted(name), place: 'c2pa' as const },
  );
}
