/**
 * ComfyUI stores the graph that made a picture: `prompt` as it ran (nodes by number, each with `class_type` and
 * `inputs`), `workflow` as it was drawn (a list of nodes with their `type`). ComfyUI also scales and crops photographs,
 * so a graph counts only if it contains a sampler or a call to a hosted model.
 */

import type { DeclaredOrigin } from '../contract/vocabulary.ts';
import { asList, asMembers, type Members } from './file-texts.ts';

const maxNodes = 20_000;

const samples = /sampler|UltimateSDUpscale|(?:Face|Segs?)Detailer/i;
/** Nodes that call a hosted model, by vendor; excludes their helper nodes, which scale or hold a colour. */
const hosted =
  /^(?:OpenAI(?:Dalle|GPTImage)|Flux(?:Pro|KontextPro|KontextMax|2)\w*Node|Ideogram|LumaImage(?!Reference)|Recraft(?:Text|Image)|Stability(?:Stable)?Image|(?:Google)?Gemini\w*Image|GeminiNanoBanana|Imagen|ByteDance(?:Image|Seedream)|Seedream|Kling\w*Image(?:Generation|Expand)|Wan\w*ToImageApi|RunwayTextToImage|Reve\w*Image|Grok\w*Image|Bria\w*Image|HunyuanImage\w*Api|QwenImage\w*Api|Midjourney)/i;
const inpainting = /inpaint|SetLatentNoiseMask|ProFill|ProExpand|ImageExpand|Detailer/i;

/** What the graph generated; null if it only edits its input, or is not a graph. */
export function originOfGraph(graph: Members): Exclude<DeclaredOrigin, 'captured'> | null {
  const kinds = nodeClasses(graph);
  if (!kinds.some((kind) => samples.test(kind) || hosted.test(kind))) return null;
  const isLoaded = kinds.some((kind) => kind.startsWith('LoadImage'));
  return isLoaded && kinds.some((kind) => inpainting.test(kind))
    ? 'ai-manipulated'
    : 'ai-generated';
}

/** Class names of all nodes in a graph of either form, including its subgraphs. */
function nodeClasses(graph: Members): readonly string[] {
  const subgraphs = asList(asMembers(graph['definitions'])['subgraphs']);
  const groups = Object.values(asMembers(asMembers(graph['extra'])['groupNodes']));
  const drawn = [graph, ...subgraphs, ...groups]
    .flatMap((part) => asList(asMembers(part)['nodes']))
    .map(asMembers)
    // Muted (2) and bypassed (4) nodes do not run.
    .filter(({ mode }) => mode !== 2 && mode !== 4)
    .map(({ type }) => type);
  const ran = Object.values(graph)
    .map(asMembers)
    .filter(({ inputs }) => typeof inputs === 'object')
    .map((node) => node['class_type']);
  return [...drawn, ...ran].slice(0, maxNodes).filter((kind) => typeof kind === 'string');
}
