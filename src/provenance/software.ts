/**
 * Collects the names of programs, devices and platforms in a file. Anyone can write a name, so
 * names are classified but not trusted.
 */

import type { FileText } from '../image/file-texts.ts';
import type { JpegStructure } from '../image/jpeg-structure.ts';
import { isStructure } from '../image/text.ts';
import { type ForeignTexts, printable } from './file-texts.ts';
import { generatorNamed, toolFields } from './generator-parameters.ts';
import type { NamedSoftware, Provenance } from './provenance.ts';

interface Sources extends Pick<Provenance, 'declarations' | 'credentials' | 'history'> {
  readonly texts: ForeignTexts;
  readonly jpeg: JpegStructure | null;
}

const maxNames = 20;

/** Each name once, generators first. */
export function nameSoftware({ texts, declarations, credentials, history, jpeg }: Sources) {
  const names: readonly NamedSoftware[] = [
    ...declarations.flatMap(({ generator, place }) => {
      if (generator === null) return [];
      // An editing program that includes a model is still an editor.
      const { kind, name } = sorted(generator);
      return { kind: kind === 'editor' ? kind : ('generator' as const), name, place };
    }),
    ...cameraIn(texts),
    ...texts.of(...toolFields).map((text) => toolIn(text, texts)),
    ...history.flatMap(({ software }) =>
      software === null ? [] : { ...sorted(software), place: 'xmp' as const },
    ),
    ...platformsIn(texts),
    ...[
      credentials?.claimGenerator,
      ...(credentials?.actions ?? []).map((it) => it.software),
    ].flatMap((name) => (name ? { ...sorted(name), place: 'c2pa' as const } : [])),
    // When exporting for the web, Photoshop stores the quality in a segment that no other program writes.
    ...(jpeg?.segments.some(({ label }) => label === 'APP12 Ducky') ? [savedForWeb] : []),
  ];
  const byName = Map.groupBy(
    names.filter(({ name }) => name !== ''),
    ({ name }) => name,
  );
  return Array.from(byName.values(), ([first]) => first!).slice(0, maxNames);
}

const savedForWeb: NamedSoftware = {
  kind: 'editor',
  name: 'Adobe Photoshop (Save for Web)',
  place: 'exif',
};

/** Programs that edit pictures, recognised by how their names begin. */
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
  // ComfyUI and InvokeAI also crop and scale pictures, so their names alone declare nothing.
  const isGenerator = generatorNamed(name) !== null || /^(?:ComfyUI|InvokeAI)\b/.test(name);
  if (isGenerator) return { kind: 'generator', name };
  return { kind: editors.some((editor) => editor.test(name)) ? 'editor' : 'unknown', name };
}

/** A camera's software is its firmware, unless the name is that of a known program. */
function toolIn(tool: FileText, texts: ForeignTexts): NamedSoftware {
  const { kind, name } = sorted(tool.text);
  const { place } = tool;
  const system = kind === 'unknown' && place !== 'png-text' ? firmwareNamed(name, texts) : null;
  return system === null ? { kind, name, place } : { kind: 'firmware', name: system, place };
}

/** On their own (Apple, Huawei) or after a prefix: `Ver.1.00`, `ILCE-7M3 v3.10`, `HDR+ 1.0.585804401zd`. */
const version =
  /^\d+(?:\.\d+){1,3}$|^(?:.{0,40} )?(?:firmware |ver(?:sion)?[. ]?|v)\d+(?:\.\d+)+\w*$|^HDR\+ /i;

/**
 * Null if the name is not that of firmware. Apple writes only the version of iOS or iPadOS; Samsung
 * writes a build that starts with the model, such as `G991BXXS5CVGB` for an `SM-G991B`.
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

/** The maker is left out if the model starts with its first word: `NIKON CORPORATION`, `NIKON D800`. */
function cameraIn(texts: ForeignTexts): readonly NamedSoftware[] {
  const [[make], [model]] = [texts.of('Make'), texts.of('Model')];
  if (make === undefined || model === undefined || generatorNamed(make.text) !== null) return [];
  // The camera fields may contain a workflow instead.
  if (isStructure(make.text) || isStructure(model.text)) return [];
  const maker = printable(make.text);
  const type = printable(model.text);
  const [brand = maker] = maker.split(' ');
  const name = type.toLowerCase().startsWith(brand.toLowerCase()) ? type : `${maker} ${type}`;
  return [{ kind: 'camera', name, place: make.place }];
}

/** In the IPTC instructions, Facebook and Instagram write `FBMD` and hexadecimal digits. */
function platformsIn(texts: ForeignTexts): readonly NamedSoftware[] {
  return texts
    .of('Special Instructions', 'SpecialInstructions', 'Instructions')
    .filter(({ text }) => /^FBMD[0-9a-f]{10,}/.test(text))
    .map(({ place }) => ({ kind: 'platform', name: 'Facebook or Instagram', place }));
}
