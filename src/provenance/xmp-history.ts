/** What editing programs say of their own work in XMP: each step with its program and time, as they wrote it. */

import { readXmpHistory } from '../image/metadata-readers.ts';
import { textIn } from './file-texts.ts';
import type { HistoryStep } from './provenance.ts';

const maxSteps = 100;

/** @param packet - XMP, or null. None for a packet that cannot be read: the metadata's warnings name it. */
export function readHistory(packet: Uint8Array | null): readonly HistoryStep[] {
  if (packet === null) return [];
  try {
    return readXmpHistory(packet).slice(-maxSteps).map(toStep);
  } catch {
    return [];
  }
}

function toStep(fields: Readonly<Record<string, unknown>>): HistoryStep {
  return {
    action: textIn(fields['action']) ?? '',
    software: textIn(fields['softwareAgent']),
    when: textIn(fields['when']),
    parameters: textIn(fields['parameters']),
  };
}
