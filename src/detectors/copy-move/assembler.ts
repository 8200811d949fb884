/**
 * Builds WebAssembly from nested calls: each operation takes the code of its operands and returns its own. Only the
 * operations used in this room.
 *
 * @see WebAssembly Core Specification 2.0, chapter 5, for the opcodes.
 */

/** WebAssembly code, as bytes. */
export type Code = readonly number[];

const operation =
  (...opcode: readonly number[]) =>
  (...operands: readonly Code[]): Code => [...operands.flat(), ...opcode];

/** Memory access at the address on the stack plus `offset` bytes, aligned to `2 ** align` bytes. */
const access =
  (align: number, ...opcode: readonly number[]) =>
  (offset: number, ...operands: readonly Code[]): Code => [
    ...operands.flat(),
    ...opcode,
    align,
    ...unsigned(offset),
  ];

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  load: access(2, 0x28),
  store: access(2, 0x36),
  eq: operation(0x46),
  isLess: operation(0x48),
  isAtLeast: operation(0x4e),
  isAtLeastUnsigned: operation(0x4f),
  add: operation(0x6a),
  sub: operation(0x6b),
  mul: operation(0x6c),
  and: operation(0x71),
  or: operation(0x72),
  shiftLeft: operation(0x74),
  shiftRight: operation(0x75),
};

/** Vectors of eight 16-bit or four 32-bit integers. */
export const v128 = {
  load: access(4, 0xfd, 0x00),
  sub16: operation(0xfd, 0x91, 0x01),
  add32: operation(0xfd, 0xae, 0x01),
  /** Multiplies eight pairs and adds adjacent products, giving four sums. */
  dot16: operation(0xfd, 0xba, 0x01),
  /** Reorders the four 32-bit lanes. */
  order32: (order: readonly [number, number, number, number], operand: Code): Code => [
    ...operand,
    ...operand,
    0xfd,
    0x0d,
    ...order.flatMap((lane) => [4 * lane, 4 * lane + 1, 4 * lane + 2, 4 * lane + 3]),
  ],
  first32: operation(0xfd, 0x1b, 0x00),
};

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];

export const block = (...body: readonly Code[]): Code => [0x02, 0x40, ...body.flat(), 0x0b];
export const loop = (...body: readonly Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0b];
/** Jumps to the end of the enclosing block, or the start of the enclosing loop, `depth` levels out from the innermost. */
export const branch = (depth: number): Code => [0x0c, depth];
export const branchIf = (condition: Code, depth: number): Code => [...condition, 0x0d, depth];

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface Instance {
  readonly exports: Readonly<Record<string, unknown>>;
}

/** Provided by Node.js, but missing from the ECMAScript types. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => Memory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly room: { readonly memory: Memory } },
  ) => Instance;
};

interface Function32 {
  /** Number of 32-bit parameters. */
  readonly parameters: number;
  /** Locals after the parameters: the number of 32-bit locals, then of 128-bit locals. */
  readonly numbers: number;
  readonly vectors: number;
  /** Must leave one 32-bit value on the stack. */
  readonly body: Code;
}

/** Instantiates the function with its own memory, initially one page of `pageBytes`. */
export function instantiate(assembled: Function32) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(assemble(assembled));
  const { run } = new WebAssembly.Instance(module, { room: { memory } }).exports;
  if (!isFunction(run)) throw new TypeError('The module has no function.');
  return { memory, run };
}

export const pageBytes = 65_536;

function isFunction(run: unknown): run is (...numbers: readonly number[]) => number {
  return typeof run === 'function';
}

/** A module that imports `room.memory` and exports the function as `run`. */
function assemble({ parameters, numbers, vectors, body }: Function32): Uint8Array {
  const [int, vector] = [0x7f, 0x7b];
  const type = [0x60, parameters, ...Array<number>(parameters).fill(int), 1, int];
  const locals = [2, numbers, int, vectors, vector];
  const code = [...locals, ...body, 0x0b];
  const sections: readonly (readonly [id: number, content: Code])[] = [
    [1, [1, ...type]],
    [2, [1, ...named('room'), ...named('memory'), 2, 0, 1]],
    [3, [1, 0]],
    [7, [1, ...named('run'), 0, 0]],
    [10, [1, ...unsigned(code.length), ...code]],
  ];
  const head = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return Uint8Array.from([
    ...head,
    ...sections.flatMap(([id, content]) => [id, ...unsigned(content.length), ...content]),
  ]);
}

function named(name: string): Code {
  return [name.length, ...new TextEncoder().encode(name)];
}

/** Encodes an unsigned number as LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  return value >= -0x40 && value < 0x40
    ? [value & 0x7f]
    : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
