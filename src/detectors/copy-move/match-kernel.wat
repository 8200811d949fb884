;; The inner loop of the match field: sixteen 16-bit differences in four instructions. match-kernel.ts holds these bytes
;; as `wat2wasm match-kernel.wat` writes them, and the layout of the memory.
(module
  (import "room" "memory" (memory 1))
  (func (export "run")
    (param $cell i32) (param $pixel i32) (param $x i32) (param $y i32) (param $count i32) (param $mask i32)
    (result i32)
    (local $match i32) (local $least i32) (local $entry i32) (local $next i32) (local $end i32)
    (local $other i32) (local $otherX i32) (local $otherY i32) (local $sum i32)
    (local $low v128) (local $high v128) (local $difference v128) (local $sums v128)

    ;; The entry of the cell: its match so far and the squared distance to it. A match has 8 bytes, a descriptor 32.
    (local.set $entry (i32.add (i32.load offset=16 (i32.const 0)) (i32.shl (local.get $cell) (i32.const 3))))
    (local.set $match (i32.load (local.get $entry)))
    (local.set $least (i32.load offset=4 (local.get $entry)))
    (local.set $other (i32.shl (local.get $pixel) (i32.const 5)))
    (local.set $low (v128.load offset=256 (local.get $other)))
    (local.set $high (v128.load offset=272 (local.get $other)))
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    (block $done
      (loop $candidates
        (br_if $done (i32.ge_s (local.get $next) (local.get $end)))
        (block $skip
          (local.set $other
            (i32.add
              (i32.load offset=64 (local.get $next))
              (i32.and (local.get $match) (local.get $mask))))
          (br_if $skip (i32.eq (local.get $other) (local.get $match)))
          (local.set $otherX (i32.and (local.get $other) (i32.const 0xffff)))
          (local.set $otherY (i32.shr_s (local.get $other) (i32.const 16)))
          ;; Outside the picture. As unsigned, a coordinate left of or above it is a very large number.
          (br_if $skip
            (i32.or
              (i32.ge_u (i32.sub (local.get $otherX) (i32.const 8)) (i32.load offset=4 (i32.const 0)))
              (i32.ge_u (i32.sub (local.get $otherY) (i32.const 8)) (i32.load offset=8 (i32.const 0)))))
          ;; Too near.
          (br_if $skip
            (i32.lt_s
              (i32.add
                (i32.mul
                  (i32.sub (local.get $otherX) (local.get $x))
                  (i32.sub (local.get $otherX) (local.get $x)))
                (i32.mul
                  (i32.sub (local.get $otherY) (local.get $y))
                  (i32.sub (local.get $otherY) (local.get $y))))
              (i32.load offset=12 (i32.const 0))))
          (local.set $other
            (i32.shl
              (i32.add
                (i32.mul (local.get $otherY) (i32.load (i32.const 0)))
                (local.get $otherX))
              (i32.const 5)))
          ;; Squares of the differences, added in pairs, then across the vector.
          (local.set $difference (i16x8.sub (local.get $low) (v128.load offset=256 (local.get $other))))
          (i32x4.dot_i16x8_s (local.get $difference) (local.get $difference))
          (local.set $difference (i16x8.sub (local.get $high) (v128.load offset=272 (local.get $other))))
          (i32x4.dot_i16x8_s (local.get $difference) (local.get $difference))
          (local.set $sums (i32x4.add))
          (local.set $sums
            (i32x4.add
              (local.get $sums)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sums) (local.get $sums))))
          (local.set $sums
            (i32x4.add
              (local.get $sums)
              (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $sums) (local.get $sums))))
          (local.set $sum (i32x4.extract_lane 0 (local.get $sums)))
          (br_if $skip (i32.ge_s (local.get $sum) (local.get $least)))
          (local.set $least (local.get $sum))
          (local.set $match
            (i32.or (i32.shl (local.get $otherY) (i32.const 16)) (local.get $otherX))))
        (local.set $next (i32.add (local.get $next) (i32.const 4)))
        (br $candidates)))
    (i32.store (local.get $entry) (local.get $match))
    (i32.store offset=4 (local.get $entry) (local.get $least))
    (local.get $match)))
