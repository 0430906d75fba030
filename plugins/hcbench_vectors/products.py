"""Average linkage of dot products and of similarities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench_vectors.agglomeration import linkage_of_similarities
from hcbench_vectors.scaling import dense, shift_of, unscaled

if TYPE_CHECKING:
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]

#: Sparse vectors of at most so many features are made dense: 8 kB each.
FEW_FEATURES = 1000


def merge_by_products(vectors: Vectors, algorithm: str, sign: float = 1.0) -> Floats:
    """Repeatedly merge the two clusters of largest mean of ``sign * <x, y>`` over their pairs.

    Dense vectors, and sparse ones of at most 1000 features, by the means of clusters
    (`average_of_products`): O(n^2 p) time, O(n p) memory. Other sparse vectors by the n x n matrix
    of their products: O(n^2) time and memory after the products.

    Parameters
    ----------
    vectors : (n, p) array or csr_array, n > 1
    algorithm
        For messages.
    sign : {1, -1}

    Returns
    -------
    (n-1, 4) linkage matrix
        Column 2 holds ``sign`` times the mean dot product, and decreases.

    Raises
    ------
    DataError
        If a product is too large for a number.
    """
    if isinstance(vectors, np.ndarray) or vectors.shape[1] <= FEW_FEATURES:
        # Imported where it is used, as are kernels that others do not need.
        from hcbench_vectors.means import average_of_products

        return average_of_products(dense(vectors), algorithm, sign)
    shift = shift_of(vectors)
    scaled: Any = vectors * 2.0**shift
    product = sign * dense(scaled @ scaled.T)
    merges = linkage_of_similarities(product, "average", algorithm)
    merges[:, 2] = unscaled(merges[:, 2], 2 * shift, algorithm, vectors)
    return merges
