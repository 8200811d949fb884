import numpy as np
import torch

from network import Backbone, Head
from reading import cell_textures, halved, patches_of, read_both_sizes, read_picture, starts

random = np.random.default_rng(1)


def cells_of(channels: int):
    """Stands for an arm: in each cell the number of its row, its column, and zeros."""

    def read(batch: np.ndarray) -> np.ndarray:
        rows, columns = batch.shape[1] // 16, batch.shape[2] // 16
        cells = np.zeros((channels, rows, columns), np.float32)
        cells[0], cells[1] = np.mgrid[:rows, :columns]
        return cells

    return read


def test_patches_lie_four_cells_apart_and_one_ends_at_the_edge():
    assert starts(16 * 16) == [0, 4, 8]
    assert starts(16 * 18) == [0, 4, 8, 10]


def test_patches_lie_inside_the_picture_unless_it_is_smaller_than_one():
    assert starts(16 * 9 + 15) == [0, 1]
    assert starts(16 * 5 + 1) == [0]


def test_a_patch_is_the_mean_of_eight_by_eight_cells():
    rgb = random.integers(0, 256, (128, 192, 3), dtype=np.uint8)
    row, column = patches_of(rgb)[0]

    features = read_picture(rgb, cells_of(2)).features

    assert features[0].tolist() == [row + 3.5, column + 3.5]


def test_only_the_most_textured_patches_are_read():
    rgb = np.full((256, 512, 3), 128, np.uint8)
    rgb[:, 384:] = random.integers(0, 256, (256, 128, 3))

    read = patches_of(rgb)

    assert len(read) == 16
    assert {column for _, column in read[:3]} == {24}


def test_texture_is_luma_steps_to_the_right_and_below_and_a_pixel_counts_32_at_most():
    rgb = np.zeros((16, 32, 3), np.uint8)
    rgb[4, 4] = 10
    rgb[8:, 16:] = 255

    textures = cell_textures(rgb)

    # The dot differs from its left, upper, right and lower neighbour; the block's edges are 8 and 16 pixels long.
    assert textures.tolist() == [[2 * 10 + 2 * 10 - 0 + 8 * 32, 16 * 32]]


def test_half_size_is_the_mean_of_two_by_two_pixels_rounded_half_up():
    rgb = np.array([[[1, 0, 0], [1, 0, 0], [9, 9, 9]], [[0, 0, 0], [0, 0, 0], [9, 9, 9]]], np.uint8)

    assert halved(rgb).tolist() == [[[1, 0, 0]]]


def test_the_votes_of_both_sizes_add_up_where_half_size_holds_a_patch():
    large, small = (random.integers(0, 256, (side, side, 3), dtype=np.uint8) for side in (256, 255))
    ones = lambda batch: np.ones((3, batch.shape[1] // 16, batch.shape[2] // 16), np.float32)

    assert read_both_sizes(large, cells_of(2), ones).features[:, 2:].tolist() == [[2.0] * 3] * 9
    assert read_both_sizes(small, cells_of(2), ones).features[:, 2:].tolist() == [[1.0] * 3] * 9


def test_a_vote_is_read_in_the_middle_of_its_patch():
    rgb = random.integers(0, 256, (128, 160, 3), dtype=np.uint8)
    row, column = patches_of(rgb)[0]

    features = read_both_sizes(rgb, cells_of(2), cells_of(2)).features

    assert features[0, 2:].tolist() == [row + 4, column + 4]


def test_the_backbone_gives_one_vector_a_cell_and_sees_no_further_than_the_halo():
    torch.manual_seed(1)
    backbone = Backbone().eval()
    rgb = torch.randint(0, 256, (1, 160, 192, 3), dtype=torch.uint8)
    changed = rgb.clone()
    changed[:, 80:96, 80:96] = 255 - changed[:, 80:96, 80:96]

    with torch.no_grad():
        difference = (backbone(rgb) - backbone(changed)).abs().amax((0, 1))

    assert difference.shape == (10, 12)
    # A trickle gets further, through the planes at half size: in exact arithmetic 1.1e-5 of the strongest change, with any rounding.
    touched = np.argwhere((difference > 2e-5 * difference.max()).numpy())
    assert touched.min() >= 5 - 2 and touched.max() <= 5 + 2


def test_embeddings_are_unit_vectors_and_masks_touch_the_logits_only():
    torch.manual_seed(1)
    head, features = Head().eval(), torch.rand(5, 96)

    logits, embedding = head(features, torch.stack([torch.ones(96), torch.zeros(96)]))

    assert logits.shape == (2, 5, 3)
    assert torch.allclose(embedding.norm(dim=1), torch.ones(5), atol=1e-5)
    assert torch.allclose(logits[1], logits[1, :1].expand(5, 3))
