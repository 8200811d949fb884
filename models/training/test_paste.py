import cv2
import numpy as np

from paste import copy_move, draw_motion, join_gradients, match_colours, splice
from test_manipulate import textured


def centred_box(side: int = 224) -> np.ndarray:
    mask = np.zeros((side, side), bool)
    mask[60:130, 80:150] = True
    return mask


def test_a_move_by_whole_blocks_keeps_grid_and_pixels():
    host, donor = textured(1, 256), textured(2, 256)
    pieces = [splice(host, donor, np.random.default_rng(seed)) for seed in range(150)]

    unchanged, steps = 0, range(-256, 257, 8)
    for piece in (piece for piece in pieces if piece.how.endswith("whole blocks")):
        inside = piece.share == 255
        unchanged += any(found(piece.rgb, donor, inside, dy, dx) for dy in steps for dx in steps)

    assert unchanged >= 5  # the others got the host's colours


def found(rgb: np.ndarray, donor: np.ndarray, inside: np.ndarray, dy: int, dx: int) -> bool:
    y, x = (index[::37] for index in np.nonzero(inside))
    ok = (y - dy >= 0) & (y - dy < donor.shape[0]) & (x - dx >= 0) & (x - dx < donor.shape[1])
    return bool(ok.all()) and np.array_equal(rgb[y, x], donor[y - dy, x - dx])


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

    assert compared >= 5  # the others got other colours, or lie across the frame


def test_matched_colours_come_nearer_to_the_surroundings():
    host, donor = np.full((224, 224, 3), 60, np.uint8), np.full((224, 224, 3), 200, np.uint8)
    share = centred_box().astype(np.uint8) * 255

    matched = match_colours(donor, host, share, 0.5)

    assert np.abs(matched[share > 0].mean() - 130) < 2


def test_joined_gradients_bring_a_grey_ramp_to_the_hosts_level_and_leave_regions_at_the_frame_alone():
    host = np.full((224, 224, 3), 60, np.uint8)
    donor = textured(4, 224) // 8 + 180
    inside, at_frame = centred_box().astype(np.uint8) * 255, np.zeros((224, 224), np.uint8)
    cv2.circle(at_frame, (0, 0), 40, 255, -1)

    joined = join_gradients(donor, host, inside)

    assert np.abs(joined[inside > 0].astype(float).mean() - 60) < 30
    assert np.array_equal(join_gradients(donor, host, at_frame), donor)
