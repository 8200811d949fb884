/** Values of options that several commands take. */

import { availableParallelism } from 'node:os';
import { InvalidArgumentError } from 'commander';

/** As the lab's own default: every child needs memory for a whole picture. */
export const defaultJobs = Math.min(4, availableParallelism());

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('It has to be a whole number.');
  }
  return value;
}

export function jobCount(text: string): number {
  const value = wholeNumber(text);
  if (value < 1 || value > 64) throw new InvalidArgumentError('It has to be 1 to 64.');
  return value;
}

export function named(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

export function countFromOne(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError('It has to be 1 at least.');
  return value;
}

/** 0 lets the system choose. */
export function portNumber(text: string): number {
  const value = wholeNumber(text);
  if (value < 0 || value > 65_535) throw new InvalidArgumentError('It has to be 0 to 65535.');
  return value;
}

/** A day or a moment of it, as the interface takes it. */
export function dayOf(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}(?:T\S+)?$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isDay) throw new InvalidArgumentError('Write a day: 2026-03-01.');
  return text;
}

/** `en,de` and `--lang en --lang de` would differ, so a repeated option replaces the one before it. */
export function listOf<T extends string>(allowed: readonly T[]): (text: string) => T[] {
  return (text) => {
    const words = text.split(',').map((word) => word.trim());
    const chosen = allowed.filter((word) => words.includes(word));
    if (words.some((word) => !chosen.some((one) => one === word))) {
      throw new InvalidArgumentError(`Allowed, parted by commas: ${allowed.join(', ')}.`);
    }
    return chosen;
  };
}
