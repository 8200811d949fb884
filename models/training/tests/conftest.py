"""One thread, as in training: short tests do not wait for busy cores, and sums come out alike."""

import cv2
import torch

torch.set_num_threads(1)
cv2.setNumThreads(1)
