import cv2
import numpy as np

from forensics_training.edits.paste import warp, copy_move, draw_motion, poisson_blend, match_colours
from tests.helpers import textured


def centred_box(side: int = 224) -> np.ndarray:
    mask = np.zeros((side, side), bool)
    mask[60:130, 80:150] = True
    return mask


def test_a_translation_by_whole_blocks_keeps_grid_and_pixels():
    donor, box = textured(2, 256), np.pad(centred_box(), (0, 32))
    motions = [draw_motion(box, (224, 240), np.random.default_rng(seed)) for seed in range(80)]
    whole = [motion for motion, name in motions if name == "whole blocks"]

    assert len(whole) >= 5
    for motion in whole:
        after, share = warp(donor, box, motion, (224, 240), np.random.default_rng(1))

        dx, dy = motion[:, 2].astype(int)
        y, x = np.nonzero(share == 255)
        assert dx % 8 == dy % 8 == 0
        assert y.size > 500
        assert np.array_equal(after[y, x], donor[y - dy, x - dx])


def test_motions_turn_scale_mirror_and_move_and_the_middle_stays_in_the_picture():
    box = centred_box()

    drawn = [draw_motion(box, (200, 300), np.random.default_rng(seed)) for seed in range(200)]

    for motion, _ in drawn:
        x, y = motion @ [114.5, 94.5, 1]
        assert 0 < x < 300 and 0 < y < 200
    sizes = [np.sqrt(abs(np.linalg.det(motion[:, :2]))) for motion, _ in drawn]
    assert min(sizes) < 0.7 and max(sizes) > 1.4
    assert {name.split()[0] for _, name in drawn} == {"whole", "moved", "scaled"}
    assert any(np.linalg.det(motion[:, :2]) < 0 for motion, _ in drawn)
    assert any(abs(motion[0, 1]) > 0.3 for motion, _ in drawn)


def test_the_origin_of_a_copy_is_where_its_pixels_lie_in_the_host():
    host, compared = textured(3, 256), 0

    for seed in range(120):
        piece = copy_move(host, np.random.default_rng(seed))
        y, x = np.nonzero(piece.share)
        moved_only = piece.how.endswith(("moved", "whole blocks")) and set(np.unique(piece.share)) == {0, 255}
        if moved_only and (piece.share > 0).sum() == (piece.origin > 0).sum():
            from_y, from_x = np.nonzero(piece.origin)
            compared += np.array_equal(piece.rgb[y, x], host[from_y, from_x])

    assert compared >= 5  # the others were recoloured, or extend beyond the frame


def test_matched_colours_come_nearer_to_the_surroundings():
    host, donor = np.full((224, 224, 3), 60, np.uint8), np.full((224, 224, 3), 200, np.uint8)
    share = centred_box().astype(np.uint8) * 255

    matched = match_colours(donor, host, share, 0.5)

    assert np.abs(matched[share > 0].mean() - 130) < 2


def test_poisson_blending_moves_a_grey_ramp_to_the_hosts_level_and_skips_regions_at_the_frame():
    host = np.full((224, 224, 3), 60, np.uint8)
    donor = textured(4, 224) // 8 + 180
    inside, at_frame = centred_box().astype(np.uint8) * 255, np.zeros((224, 224), np.uint8)
    cv2.circle(at_frame, (0, 0), 40, 255, -1)

    joined = poisson_blend(donor, host, inside)

    assert np.abs(joined[inside > 0].astype(float).mean() - 60) < 30
    assert np.array_equal(poisson_blend(donor, host, at_frame), donor)
