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
# Both samplers have the same law. One draws it by flights that are reflected at the walls, the
# other by the steps of hit-and-run, as in the paper. The triangle is cut into three at a point
# inside: each piece has to hold its share of the draws, which is again an area.


def area(a, b, c):
    """Return the area of a spherical triangle, by the formula of Van Oosterom and Strackee."""
    volume = abs(a @ np.cross(b, c))
    return 2 * np.arctan2(volume, 1 + a @ b + b @ c + c @ a)


corners = [np.cross(units[i], units[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
corners = [c / np.linalg.norm(c) for c in corners]
inside = np.array([1.0, 0.6, 0.8]) / np.linalg.norm([1.0, 0.6, 0.8])
sides = [(corners[k], corners[(k + 1) % 3]) for k in range(3)]
shares = np.array([area(inside, a, b) for a, b in sides]) / area(*corners)


def piece(W):
    """Return in which of the three pieces draws are."""
    beside = [np.linalg.det(np.stack(np.broadcast_arrays(inside, c, W), axis=1)) for c in corners]
    signs = [np.sign(np.linalg.det(np.stack([inside, *side]))) for side in sides]
    return np.argmax(
        [(s * beside[k] >= 0) & (s * beside[(k + 1) % 3] <= 0) for k, s in enumerate(signs)], axis=0
    )


plane = np.linalg.svd(inside[None])[2][1:]
colours = np.array(["#0072B2", "#009E73", "#D55E00"])
figure, row = plt.subplots(1, 3, figsize=(10, 3.6), width_ratios=(1, 1, 0.8))
for axes, sampler, shift in zip(row, ("reflection", "hit_and_run"), (-0.2, 0.2), strict=False):
    W = V.sample(4000, sampler=sampler, random_state=0)
    W = W / np.linalg.norm(W, axis=1, keepdims=True)
    where = piece(W)
    axes.scatter(*(W @ plane.T).T, s=3, color=colours[where], lw=0)
    axes.set_title(sampler.replace("_", "-"), fontsize=11)
    axes.set_aspect("equal")
    axes.axis("off")
    counted = 100 * np.bincount(where, minlength=3) / len(W)
    row[2].bar(np.arange(3) + shift, counted, 0.36, color=colours, alpha=0.55 - shift)
for k, share in enumerate(100 * shares):
    row[2].plot([k - 0.42, k + 0.42], [share, share], color="k", lw=1.6)
row[2].set(xticks=[], ylabel="of the draws, %")
row[2].set_title("bars: counted, lines: exactly", fontsize=11)
