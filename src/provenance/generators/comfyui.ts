/**
 * ComfyUI keeps the graph that made a picture: `prompt` as it ran (nodes by number, each with `class_type` and `inputs`),
 * `workflow` as it was drawn (a list of nodes with their `type`). Other formats carry the same two behind their names in
 * EXIF. The program also scales and crops photographs, so a graph counts only when something in it samples.
 */

import { listOf, type Members, membersOf, parseObject } from '../foreign.ts';
import type { ForeignText, ForeignTexts } from '../foreign-texts.ts';
import type { Recognised } from './recognise.ts';

const maxNodes = 5000;

export function recogniseComfyUi(texts: ForeignTexts): readonly Recognised[] {
  const inPng = texts.of('prompt', 'workflow');
  const inExif = texts
    .of('Make', 'Model', 'ImageDescription', 'UserComment')
    .filter(({ text }) => /^(?:prompt|workflow):\s*\{/i.test(text));
  return [...inPng, ...inExif].flatMap((text) => recogniseIn(text) ?? []);
}

function recogniseIn(text: ForeignText): Recognised | null {
  const kinds = kindsOfNodes(text.text);
  if (!kinds.some((kind) => /sampler/i.test(kind))) return null;
  const isInpainted =
    kinds.some((kind) => /inpaint|SetLatentNoiseMask/i.test(kind)) &&
    kinds.some((kind) => kind.startsWith('LoadImage'));
  return { text, origin: isInpainted ? 'ai-manipulated' : 'ai-generated', generator: 'ComfyUI' };
}

/** Names of the node classes of a graph of either form; none when it is no graph. */
function kindsOfNodes(text: string): readonly string[] {
  const json = text.replace(/^\w+:/, '');
  // Python writes NaN where a node is to run each time; that is no JSON.
  const graph = parseObject(json) ?? parseObject(json.replaceAll(/\bNaN\b/g, 'null')) ?? {};
  const drawn = listOf(graph['nodes']).map((node) => membersOf(node)['type']);
  const ran = Object.values(graph).map(membersOf).filter(isNode);
  return [...drawn, ...ran.map((node) => node['class_type'])]
    .slice(0, maxNodes)
    .filter((kind) => typeof kind === 'string');
}

function isNode(node: Members): boolean {
  return typeof node['class_type'] === 'string' && typeof node['inputs'] === 'object';
}
