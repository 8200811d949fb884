/**
 * Just enough of WebAssembly's binary format to write one function that works on four numbers at a time, which JavaScript
 * cannot. @see WebAssembly Core Specification 2.0, section 5.
 */

/** Instructions, or any other part of a module. */
export type Code = readonly number[];

/** A local of type v128: four numbers of 32 bits. */
export interface Four {
  readonly get: Code;
  set(value: Code): Code;
}

const [asI32, asV128, asFunction, asNothing] = [0x7f, 0x7b, 0x60, 0x40];
/** `\0asm`, and version 1. */
const magic = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const pageBytes = 65_536;

export const add = ofFour(0xe4);
export const subtract = ofFour(0xe5);
export const multiply = ofFour(0xe6);
/** All bits of each number where a < b, none elsewhere: -1 or 0 as a whole number. */
export const isLess = ofFour(0x43);
export const subtractWhole = ofFour(0xb1);
export const magnitude = (a: Code): Code => [...a, ...four(0xe0)];
export const zeros: Code = [...four(0x0c), ...Array<number>(16).fill(0)];

/** Four numbers from `address` plus the loop's place on. */
export const load = (address: number): Code => [...place, ...four(0x00), ...aligned(address)];
/** One number, four times. */
export const loadConstant = (address: number): Code => [
  ...wholeNumber(0),
  ...four(0x09),
  ...aligned(address),
];
export const store = (address: number, value: Code): Code => [
  ...place,
  ...value,
  ...four(0x0b),
  ...aligned(address),
];

/** The only local that is no `Four`: how far a loop has come, in bytes. */
const place: Code = [0x20, 0];

/** Runs `body` for the places 0, 16, 32, ... below `endBytes`. */
export function eachFour(endBytes: number, body: Code): Code {
  const advance = [...place, ...wholeNumber(16), 0x6a, 0x22, 0, ...wholeNumber(endBytes), 0x49];
  return [...wholeNumber(0), 0x21, 0, 0x03, asNothing, ...body, ...advance, 0x0d, 0, 0x0b];
}

/** @param index - from 0 up to the number of locals that the function is given. */
export function localFour(index: number): Four {
  const at = unsigned(index + 1);
  return { get: [0x20, ...at], set: (value) => [...value, 0x21, ...at] };
}

/** As much as is used of what every runtime of JavaScript offers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer };
      readonly run: () => void;
    };
  };
};

/**
 * The function whose instructions are `body`, ready to run.
 *
 * @param locals - how many of type v128 it uses.
 * @returns `buffer` that its addresses point into: `bytes` or more, at first all 0.
 */
export function compile(body: Code, locals: number, bytes: number) {
  const module = new WebAssembly.Module(moduleOf(body, locals, bytes));
  const { memory, run } = new WebAssembly.Instance(module).exports;
  return { buffer: memory.buffer, run };
}

/** A module with its memory and one function without parameters. */
function moduleOf(body: Code, locals: number, bytes: number): Uint8Array {
  const declared = [2, 1, asI32, ...unsigned(locals), asV128];
  const functionBody = [...declared, ...body, 0x0b];
  return Uint8Array.from([
    ...magic,
    ...section(1, [1, asFunction, 0, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, ...unsigned(Math.ceil(bytes / pageBytes))]),
    ...section(7, [2, ...named('memory'), 2, 0, ...named('run'), 0, 0]),
    ...section(10, [1, ...unsigned(functionBody.length), ...functionBody]),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function named(name: string): Code {
  return [name.length, ...Buffer.from(name)];
}

function ofFour(instruction: number): (a: Code, b: Code) => Code {
  return (a, b) => [...a, ...b, ...four(instruction)];
}

function four(instruction: number): Code {
  return [0xfd, ...unsigned(instruction)];
}

/** Addresses are of multiples of four bytes. */
function aligned(address: number): Code {
  return [2, ...unsigned(address)];
}

/** Signed: one more group where the highest bit of the last would be taken for the sign. */
function wholeNumber(value: number): Code {
  const groups = unsigned(value);
  const last = groups.at(-1)!;
  return last < 64 ? [0x41, ...groups] : [0x41, ...groups.slice(0, -1), last | 128, 0];
}

/** LEB128: seven bits a byte, the lowest first. */
function unsigned(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}
