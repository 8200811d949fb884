/** Where single methods point, each with what it says. Nothing for an examination of an earlier version. */

import { type Block, heading, type MethodBlock, note, type SectionInput } from '../blocks.ts';
import { capitalised } from '../capitalised.ts';
import { printable } from '../printable.ts';
import { sideOf } from './evaluation.ts';

export function methodMapBlocks(input: SectionInput): readonly Block[] {
  const { examination, evidence, prose } = input;
  const { findings } = evidence;
  const maps = Object.keys(examination.maps.methods).flatMap((method) => {
    const finding = findings.find((one) => one.method === method);
    return finding === undefined ? [] : [toBlock(input, finding)];
  });
  if (maps.length === 0) return [];
  const { title, intro } = prose.methodMaps;
  return [heading(title), note(intro), { kind: 'methods', maps }];
}

type Finding = SectionInput['evidence']['findings'][number];

function toBlock(input: SectionInput, finding: Finding): MethodBlock {
  const { phrases, prose, language } = input;
  const { method, statement } = finding;
  const { shownOnly, neutral } = prose.methodMaps;
  const weight = sideOf(input, finding) ?? neutral;
  return {
    method,
    title: capitalised(phrases.methods[method] ?? printable(method, 60)),
    text: printable(statement[language], 600),
    note: capitalised(notJudged.includes(method) ? shownOnly : weight),
  };
}

/** Shown because examiners know it; it takes no part in any verdict. */
const notJudged: readonly string[] = ['error-level'];
