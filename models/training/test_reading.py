import numpy as np
import torch

from network import Backbone, Head
from reading import patch_means, read_picture


def test_patches_are_means_of_eight_cells_on_a_grid_of_four():
    cells = np.random.default_rng(1).random((3, 16, 12), dtype=np.float32)

    means = patch_means(cells)

    assert means.shape == (6, 3)
    assert np.allclose(means[3], cells[:, 4:12, 4:12].mean((1, 2)))


def test_a_picture_smaller_than_a_patch_is_one_patch():
    assert patch_means(np.ones((2, 3, 5), np.float32)).shape == (1, 2)


def test_only_the_most_textured_patches_are_read():
    rgb = np.full((256, 512, 3), 128, np.uint8)
    rgb[:, 384:] = np.random.default_rng(1).integers(0, 256, (256, 128, 3))

    reading = read_picture(rgb, lambda batch: np.zeros((4, batch.shape[1] // 16, batch.shape[2] // 16), np.float32))

    assert len(reading.features) == 16
    assert reading.texture[0] > 30 > reading.texture[-1]


def test_the_backbone_gives_one_vector_a_cell_and_sees_no_further_than_the_halo():
    torch.manual_seed(1)
    backbone = Backbone().eval()
    rgb = torch.randint(0, 256, (1, 160, 192, 3), dtype=torch.uint8)
    changed = rgb.clone()
    changed[:, 80:96, 80:96] = 255 - changed[:, 80:96, 80:96]

    with torch.no_grad():
        difference = (backbone(rgb) - backbone(changed)).abs().amax((0, 1))

    assert difference.shape == (10, 12)
    touched = np.argwhere(difference.numpy() > 1e-6)
    assert touched.min() >= 5 - 2 and touched.max() <= 5 + 2


def test_embeddings_are_unit_vectors_and_masks_touch_the_logits_only():
    torch.manual_seed(1)
    head, features = Head().eval(), torch.rand(5, 96)

    logits, embedding = head(features, torch.stack([torch.ones(96), torch.zeros(96)]))

    assert logits.shape == (2, 5, 3)
    assert torch.allclose(embedding.norm(dim=1), torch.ones(5), atol=1e-5)
    assert torch.allclose(logits[1], logits[1, :1].expand(5, 3))
