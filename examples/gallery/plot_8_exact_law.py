"""
Draws that fill a version space evenly
======================================

Three answers leave a triangle on the sphere of halfspaces. Its area is known in closed form
(Girard's theorem), so both the draws and the volume that is estimated can be held against it.
"""

import matplotlib.pyplot as plt
import numpy as np

from aluma import VersionSpace

walls = np.array([[1.0, 0.1, 0.2], [-0.2, 1.0, 0.1], [0.1, -0.3, 1.0]])
V = VersionSpace(3)
V.add(walls, [1, 1, 1])

units = walls / np.linalg.norm(walls, axis=1, keepdims=True)
angles = [np.pi - np.arccos(units[i] @ units[j]) for i, j in ((0, 1), (1, 2), (0, 2))]
exact = (sum(angles) - np.pi) / (4 * np.pi)
found = np.exp(V.log_volume(epsilon=0.1, random_state=0))
print(f"share of the sphere: {exact:.4f} exactly, {found:.4f} estimated")

# %%
# Both samplers have the same law. One draws it by flights that are reflected at the walls,
# the other by the steps of hit-and-run, as in the paper.

middle = units.sum(axis=0) / np.linalg.norm(units.sum(axis=0))
plane = np.linalg.svd(middle[None])[2][1:]

figure, row = plt.subplots(1, 2, figsize=(8, 4))
for axes, sampler in zip(row, ("reflection", "hit_and_run"), strict=True):
    W = V.sample(2000, sampler=sampler, random_state=0)
    W = W / np.linalg.norm(W, axis=1, keepdims=True)
    axes.scatter(*(W @ plane.T).T, s=3, color="#0072B2", lw=0)
    axes.set_title(sampler.replace("_", "-"), fontsize=11)
    axes.set_aspect("equal")
    axes.axis("off")
