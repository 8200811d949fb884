import torch

from forensics_training.edits.autoencoder import decoder, encoder


def test_the_published_autoencoder_downscales_by_eight_and_restores_the_size():
    rgb = torch.rand(1, 3, 32, 48)

    with torch.no_grad():
        latent = encoder()(rgb)
        out = decoder()(latent)

    assert latent.shape == (1, 32, 4, 6)
    assert out.shape == rgb.shape
