"""What fitting IDGL needs, told before it starts."""

from __future__ import annotations

from cogsl.cost import Cost, Estimate, GraphSize, dense_slowness, slowness
from cogsl.methods.idgl_settings import IDGLSettings

# On the reference machine, one thread.
_PRODUCT_SECONDS = 6e-11  # for a multiplication in a dense product
_NARROW_SECONDS = 1.5e-10  # the same where one side has few columns
_SPARSE_SECONDS = 3e-10  # the same in a sparse product
_ENTRY_SECONDS = 1.5e-9  # to write, compare and read an entry of a block
_STORED_SHARE = 0.1  # of all pairs that A^(1) is taken to store
_STORED_BYTES = 60  # for an entry of A^(1): pattern, transpose, values, their gradients, a copy


def expected_cost(settings: IDGLSettings, size: GraphSize) -> Estimate:
    """Return what ``fit`` needs if all turns are taken in each epoch that may have them.

    The full version's A^(1) is taken to store a tenth of all pairs; should ``epsilon`` let more
    through, each costs some 60 bytes.
    """
    anchors = settings.anchors_for(size.nodes)
    turns = settings.max_turns
    width = settings.heads * settings.hidden
    columns = settings.hidden + size.classes
    lasting = size.feature_bytes + 24 * (size.entries + size.nodes)
    network = 4 * size.nodes * (4 * columns + 2 * width) * (turns + 1)
    first = _first_seconds(settings.heads * size.multiplied * (anchors or size.nodes), size)
    if anchors is None:
        held, turn = _full(settings, size, width + columns)
        remedy = "Set 'anchors', or 'smoothness' to 0."
    else:
        held, turn = _anchored(settings, size, anchors, width + columns)
        remedy = "Lower 'anchors', 'max_turns' or 'heads'."
    sparse = _SPARSE_SECONDS * 6 * (size.entries + size.nodes) * columns
    later = turns * (settings.epochs - settings.warm_up) / settings.epochs  # in the mean
    seconds = first + (later + 1) * (slowness() * sparse + dense_slowness() * turn)
    return Estimate(
        views=Cost(slowness() * 1e-7 * size.entries, lasting),
        iteration=Cost(seconds, lasting + network + held),
        iterations=settings.epochs,
        result=Cost(
            dense_slowness() * 4e-8 * size.nodes**2,
            lasting + 60 * size.nodes * settings.kept_neighbours + 8e7,
        ),
        remedy=remedy,
    )


def _first_seconds(multiplications: float, size: GraphSize) -> float:
    """Return the seconds of the similarities of the features, and of their gradient."""
    if size.feature_entries is None:
        return dense_slowness() * 3 * _PRODUCT_SECONDS * multiplications
    return slowness() * 3 * _SPARSE_SECONDS * multiplications


def _full(settings: IDGLSettings, size: GraphSize, width: int) -> tuple[float, float]:
    """Return the bytes of A^(1) and X X^T, and the seconds of a turn over half of all pairs."""
    pairs = size.nodes**2
    gram = 4 * pairs if settings.weights_for(size.nodes).smoothness else 0
    seconds = pairs / 2 * (6 * _NARROW_SECONDS * width + 8 * _ENTRY_SECONDS)
    return _STORED_BYTES * _STORED_SHARE * pairs + gram, seconds


def _anchored(
    settings: IDGLSettings, size: GraphSize, anchors: int, width: int
) -> tuple[float, float]:
    """Return the bytes of R and its gradients in all turns, and the seconds of a turn."""
    entries = size.nodes * anchors
    smoothness, _, sparsity = settings.weights_for(size.nodes)
    weighs = smoothness > 0 or sparsity > 0
    seconds = entries * (3 * _NARROW_SECONDS * width + 8 * _ENTRY_SECONDS)
    if weighs:
        seconds += 3 * _PRODUCT_SECONDS * entries * anchors
    held = 4 * entries * ((2 if weighs else 1) * (settings.max_turns + 1) + 8)
    dense_anchors = 12 * settings.heads * anchors * size.features
    return held + dense_anchors, seconds
