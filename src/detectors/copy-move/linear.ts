/** Solves `matrix x = right` for a symmetric positive matrix, row-major; null when it is singular. Both are used up. */
export function solveSymmetric(matrix: Float64Array, right: Float64Array): Float64Array | null {
  const n = right.length;
  for (let pivot = 0; pivot < n; pivot++) {
    const head = matrix[pivot * n + pivot]!;
    if (!(head > 1e-9)) return null;
    for (let row = pivot + 1; row < n; row++) {
      const factor = matrix[row * n + pivot]! / head;
      for (let column = pivot; column < n; column++) {
        matrix[row * n + column]! -= factor * matrix[pivot * n + column]!;
      }
      right[row]! -= factor * right[pivot]!;
    }
  }
  for (let row = n - 1; row >= 0; row--) {
    for (let column = row + 1; column < n; column++) {
      right[row]! -= matrix[row * n + column]! * right[column]!;
    }
    right[row]! /= matrix[row * n + row]!;
  }
  return right;
}
