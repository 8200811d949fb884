/**
 * Where a thumbnail differs from its picture by more than the making of thumbnails explains: other brightness and contrast,
 * another filter, a shift by parts of a pixel, sharpening. All of these are fitted, and what they leave is compared with
 * how far cells that agree scatter.
 *
 * @see E. Kee and H. Farid, "Digital image authentication from thumbnails", SPIE Media Forensics and Security (2010), for
 * the steps of making a thumbnail.
 */

/** Row-major luma, 0..255. */
interface Plane {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
}

export interface CellSize {
  readonly cellPx: number;
  readonly columns: number;
  readonly rows: number;
}

/** Pixels of the thumbnail to a side of a cell: two cells to a block of its JPEG, so that ringing is averaged out. */
const thumbnailPx = 4;
const mostCells = 128;

/** Cells over the picture, fine enough for what a thumbnail can show. */
export function cellsFor(
  { width, height }: Omit<Plane, 'luma'>,
  thumbnail: Omit<Plane, 'luma'>,
): CellSize {
  const scale = Math.max(width / thumbnail.width, height / thumbnail.height);
  const cellPx = Math.ceil(Math.max(thumbnailPx * scale, Math.max(width, height) / mostCells));
  return { cellPx, columns: Math.ceil(width / cellPx), rows: Math.ceil(height / cellPx) };
}

export interface Differences {
  /** Of each cell, 0 or more: difference over what is usual in this picture and at a place of this contrast. */
  readonly deviations: Float32Array;
  /** Standard deviation of cells that agree, in grey levels. */
  readonly scatter: number;
  /** Of what the thumbnail shows, how much the picture explains in most places: 1 for the same picture, near 0 for another. */
  readonly likeness: number;
}

/** @param cells - over `picture`; `thumbnail` shows the whole of it and lies alike. */
export function differencesOf(picture: Plane, thumbnail: Plane, cells: CellSize): Differences {
  const { cellPx } = cells;
  const own = measureCells(picture, cells, { across: cellPx, down: cellPx });
  const small = measureCells(thumbnail, cells, {
    across: (cellPx * thumbnail.width) / picture.width,
    down: (cellPx * thumbnail.height) / picture.height,
  });
  const bounds = usualOf(own, small, cells);
  const fits = curves.map((powers) => fitRobustly(termsOf(own, cells, powers), small.means));
  const deviations = new Float32Array(own.means.length).map((_, cell) =>
    fits.reduce((least, { residuals, scatter }) => {
      const off = Math.abs(residuals[cell]!) / Math.hypot(scatter, bounds[cell]!);
      return Math.min(least, off);
    }, Number.POSITIVE_INFINITY),
  );
  const scatter = fits.reduce(
    (least, fit) => Math.min(least, fit.scatter),
    Number.POSITIVE_INFINITY,
  );
  return { deviations, scatter, likeness: 1 - scatter / spreadOf(small.means) };
}

/**
 * Powers of brightness: brightness and contrast alone, and the curves that cameras and programs lay over a picture. A place is
 * off only as far as it is under both, since a changed part that holds most of what is bright would bend the curve to itself.
 */
const curves = [1, 4] as const;

/**
 * How far a cell that agrees may be off: of the contrast between it and the cells around it, and of that between the
 * thumbnail's pixels inside it. Fitted on 500 untouched crops of the calibration split, with thumbnails of 96 to 320 pixels
 * made by five filters, with other brightness, gamma and sharpness, at JPEG quality 50 to 95.
 */
const contrastShare = 0.06;
const grainShare = 0.25;

function usualOf(own: Cells, small: Cells, cells: CellSize): Float64Array {
  return small.grain.map((grain, cell) =>
    Math.hypot(contrastShare * contrastAround(own, cells, cell), grainShare * grain),
  );
}

interface Cells {
  readonly means: Float64Array;
  /** Standard deviation of the pixels of each cell. */
  readonly grain: Float64Array;
}

/** @param box - pixels of a cell, which need not be whole numbers but are 1 or more. */
function measureCells(
  { width, height, luma }: Plane,
  { columns, rows }: CellSize,
  box: { readonly across: number; readonly down: number },
): Cells {
  // The column behind the last takes what rounding leaves of it.
  const stride = columns + 1;
  const [areas, sums, squares] = Array.from(
    { length: 3 },
    () => new Float64Array(stride * (rows + 1)),
  );
  const alongX = sharesOf(width, box.across, columns);
  const alongY = sharesOf(height, box.down, rows);
  for (let y = 0, from = 0; y < height; y++) {
    const row = alongY.cell[y]! * stride;
    const upper = alongY.share[y]!;
    for (let x = 0; x < width; x++, from++) {
      const value = luma[from]!;
      const left = alongX.share[x]!;
      const cell = row + alongX.cell[x]!;
      add(cell, upper * left, value);
      if (left < 1) add(cell + 1, upper * (1 - left), value);
      if (upper === 1) continue;
      add(cell + stride, (1 - upper) * left, value);
      if (left < 1) add(cell + stride + 1, (1 - upper) * (1 - left), value);
    }
  }
  const inside = (totals: Float64Array) =>
    Float64Array.from({ length: columns * rows }, (_, cell) => {
      const at = Math.floor(cell / columns) * stride + (cell % columns);
      return totals[at]! / areas![at]!;
    });
  const means = inside(sums!);
  const grain = inside(squares!).map((square, cell) =>
    Math.sqrt(Math.max(0, square - means[cell]! ** 2)),
  );
  return { means, grain };

  function add(cell: number, area: number, value: number): void {
    areas![cell]! += area;
    sums![cell]! += area * value;
    squares![cell]! += area * value * value;
  }
}

/** For each pixel the cell that it begins in, and how much of it lies there; the rest lies in the next. */
function sharesOf(length: number, cellLength: number, count: number) {
  const cell = new Int32Array(length);
  const share = new Float64Array(length);
  for (let at = 0; at < length; at++) {
    cell[at] = Math.min(count - 1, Math.floor(at / cellLength + 1e-9));
    const end = (cell[at]! + 1) * cellLength;
    share[at] = cell[at] === count - 1 ? 1 : Math.min(1, end - at);
  }
  return { cell, share };
}

/**
 * What a thumbnail's cell can be made of: a curve of brightness, the slopes (a shift), and the difference from the
 * neighbours (blur and sharpening).
 */
function termsOf(
  { means }: Cells,
  { columns, rows }: CellSize,
  powers: number,
): readonly Float64Array[] {
  const tone = Array.from({ length: powers + 1 }, (_, power) =>
    means.map((mean) => ((mean - 128) / 128) ** power),
  );
  const [slopesX, slopesY, bends] = Array.from({ length: 3 }, () => new Float64Array(means.length));
  for (let row = 0, cell = 0; row < rows; row++) {
    const up = row === 0 ? 0 : -columns;
    const down = row === rows - 1 ? 0 : columns;
    for (let column = 0; column < columns; column++, cell++) {
      const left = means[column === 0 ? cell : cell - 1]!;
      const right = means[column === columns - 1 ? cell : cell + 1]!;
      const [upper, lower] = [means[cell + up]!, means[cell + down]!];
      slopesX![cell] = (right - left) / 128;
      slopesY![cell] = (lower - upper) / 128;
      bends![cell] = (left + right + upper + lower - 4 * means[cell]!) / 128;
    }
  }
  return [...tone, slopesX!, slopesY!, bends!];
}

/** Standard deviation of the cell and the eight around it. */
function contrastAround({ means }: Cells, { columns, rows }: CellSize, cell: number): number {
  const column = cell % columns;
  const row = (cell - column) / columns;
  let [sum, squares, count] = [0, 0, 0];
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
      const value = means[y * columns + x]!;
      sum += value;
      squares += value * value;
      count++;
    }
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}

/** Rounds of the fit; the first ones by absolute differences, which a changed part hardly moves. */
const rounds = { absolute: 8, all: 14 };
/** Scatters beyond which a cell takes no part in the fit: Tukey's biweight, 95 % efficient for normal errors. */
const tukey = 4.685;
/** Grey levels: the JPEG of a thumbnail and its whole numbers leave no less. */
const leastScatter = 0.7;

function fitRobustly(terms: readonly Float64Array[], values: Float64Array) {
  const weights = new Float64Array(values.length).fill(1);
  const residuals = new Float64Array(values.length);
  let scatter = leastScatter;
  for (let round = 0; round < rounds.all; round++) {
    const factors = fitWeighted(terms, values, weights);
    for (let cell = 0; cell < values.length; cell++) {
      let sum = 0;
      for (let term = 0; term < terms.length; term++) sum += factors[term]! * terms[term]![cell]!;
      residuals[cell] = values[cell]! - Math.min(255, Math.max(0, sum));
    }
    scatter = Math.max(leastScatter, 1.4826 * median(residuals.map(Math.abs)));
    for (let cell = 0; cell < values.length; cell++) {
      const off = Math.abs(residuals[cell]!) / scatter;
      if (round < rounds.absolute) weights[cell] = 1 / Math.max(0.5, off);
      else weights[cell] = off >= tukey ? 0 : (1 - (off / tukey) ** 2) ** 2;
    }
  }
  return { residuals, scatter };
}

/** Weighted least squares by the normal equations; the little that is added to their diagonal keeps an even picture solvable. */
function fitWeighted(
  terms: readonly Float64Array[],
  values: Float64Array,
  weights: Float64Array,
): Float64Array {
  const count = terms.length;
  const system = Array.from({ length: count }, () => new Float64Array(count + 1));
  for (let i = 0; i < count; i++) {
    const [row, one] = [system[i]!, terms[i]!];
    for (let j = 0; j <= count; j++) {
      const other = j === count ? values : terms[j]!;
      let sum = 0;
      for (let cell = 0; cell < values.length; cell++) {
        sum += weights[cell]! * one[cell]! * other[cell]!;
      }
      row[j] = sum;
    }
    row[i]! += 1e-3;
  }
  return solve(system);
}

/** Gaussian elimination with pivoting. @param system - rows of the matrix, the right side behind each; used up. */
function solve(system: readonly Float64Array[]): Float64Array {
  const rows = [...system];
  const count = rows.length;
  for (let step = 0; step < count; step++) {
    const best = rows.reduce(
      (at, row, i) => (i >= step && Math.abs(row[step]!) > Math.abs(rows[at]![step]!) ? i : at),
      step,
    );
    [rows[step], rows[best]] = [rows[best]!, rows[step]!];
    const pivot = rows[step]!;
    for (let below = step + 1; below < count; below++) {
      const row = rows[below]!;
      const factor = row[step]! / pivot[step]!;
      for (let j = step; j <= count; j++) row[j]! -= factor * pivot[j]!;
    }
  }
  const answer = new Float64Array(count);
  for (let i = count - 1; i >= 0; i--) {
    let sum = rows[i]![count]!;
    for (let j = i + 1; j < count; j++) sum -= rows[i]![j]! * answer[j]!;
    answer[i] = sum / rows[i]![i]!;
  }
  return answer;
}

/** Standard deviation as the median tells it, which a few places hardly move. */
function spreadOf(values: Float64Array): number {
  const middle = median(values);
  return Math.max(leastScatter, 1.4826 * median(values.map((value) => Math.abs(value - middle))));
}

function median(values: Float64Array): number {
  const sorted = values.toSorted();
  return sorted[sorted.length >> 1]!;
}
