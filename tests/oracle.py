"""The paper's equations written once more, densely: what the library is compared with.

Every function is one equation on N x N tensors of any floating dtype, with autograd for the
gradients. Nothing is fast, nothing is sparse, nothing is random: parameters and dropout masks
are handed in. Symbols: N nodes, D features, m estimated views, d the width at hand, C classes.
A list over "all views" holds the m estimated views and then the final one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

FLOOR = 1e-8  # lower bound of a norm in a cosine, and of the arguments of the logs in Eq. (7)
FINAL_SHARE = 0.3  # of L_cls for the final view
PAIRS_SHARE = 0.3  # of L_MI for the pairs of estimated views


# ---------------------------------------------------------------------------- parameters


class BasicView(NamedTuple):
    """A normalised basic view and the node pairs that are estimated anew."""

    matrix: Tensor  # N x N
    scope: Tensor  # N x N, bool


class PaperEstimator(NamedTuple):
    """Parameters of Eqs. (2) and (3)."""

    weight: Tensor  # D x d
    pair_weight: Tensor  # 2d: first the half of z_i, then that of z_j
    pair_bias: Tensor  # a scalar
    bias: Tensor | None = None  # d, where Eq. (2) is given one


class AgreementEstimator(NamedTuple):
    """Parameters of Eqs. (2) and (3), and how much agreement counts."""

    weight: Tensor  # D x d
    pair_weight: Tensor  # 2d
    pair_bias: Tensor  # a scalar
    scale: Tensor  # a scalar
    bias: Tensor | None = None  # d


class CosineEstimator(NamedTuple):
    """Parameters of Eq. (2) and of the cosine scorer."""

    weight: Tensor  # D x d
    projection: Tensor  # d x d, u_i = z_i Q
    scale: Tensor  # a scalar
    bias: Tensor | None = None  # d


Estimator = PaperEstimator | AgreementEstimator | CosineEstimator


class Classifier(NamedTuple):
    """Parameters of Eqs. (6) and (13)."""

    first: Tensor  # D x d
    second: Tensor  # d x C
    first_bias: Tensor | None = None  # d, where the layers are given one
    second_bias: Tensor | None = None  # C


class Encoder(NamedTuple):
    """Parameters of Eq. (15)."""

    weight: Tensor  # D x d
    slope: Tensor  # a scalar, of PReLU
    bias: Tensor | None = None  # d, where Eq. (15) is given one


class Projection(NamedTuple):
    """Parameters of Eq. (16); weights lie (out, in) as the paper's W.h and torch's Linear."""

    first_weight: Tensor  # d x d
    first_bias: Tensor  # d
    second_weight: Tensor  # d x d
    second_bias: Tensor  # d


class Parameters(NamedTuple):
    """Omega, Theta and Phi."""

    estimators: Sequence[Estimator]  # m
    classifiers: Sequence[Classifier]  # m + 1, the final view's last
    encoders: Sequence[Encoder]  # m + 1, the final view's last
    projection: Projection
    attention: Tensor | None = None  # m, for fusion="attention"


def tensors(groups: Iterable[Estimator | Classifier | Encoder]) -> list[Tensor]:
    """Return all parameters of some groups; a bias that is not there is left out."""
    return [tensor for each in groups for tensor in each if tensor is not None]


class Masks(NamedTuple):
    """Dropout, as factors: 0 or 1 / (1 - p)."""

    embeddings: Sequence[Tensor | None]  # m, each N x d, on Z
    hidden: Sequence[Tensor | None]  # m + 1, each N x d, on the classifiers' hidden layer


class Settings(NamedTuple):
    """Numbers that are not learned."""

    mu: Sequence[float]  # m
    fusion: str = "adaptive"  # or "average", "attention"
    epsilon: float = 0.1
    lam: float = 0.5
    tau: float = 0.5
    eta: float = 0.1
    activation: Callable[[Tensor], Tensor] = torch.relu  # sigma of the classifiers
    self_loops: bool = True  # of the estimated views


class Outcome(NamedTuple):
    """Everything that one pass gives."""

    estimated: list[Tensor]  # m, each N x N, normalised
    fusion_weights: Tensor  # N x m
    final: Tensor  # N x N
    predictions: list[Tensor]  # m + 1, each N x C
    projected: list[Tensor]  # m + 1, each N x d
    cls_loss: Tensor
    mi_loss: Tensor
    objective: Tensor


# --------------------------------------------------------------------------- basic views


def normalise(V: Tensor) -> Tensor:
    """Scale both sides by the root of the row sums; a zero row gives zeros. Implements Eq. (1).

    D^-1/2 V D^-1/2,  D_ii = sum_j V_ij,  0^-1/2 := 0
    """
    degree = V.sum(dim=1)
    present = degree > 0
    # The inner where keeps the gradient of rsqrt finite on rows that are dropped anyway.
    root = torch.where(present, degree, torch.ones_like(degree)).rsqrt()
    root = torch.where(present, root, torch.zeros_like(root))
    return root[:, None] * V * root[None, :]


def with_self_loops(A: Tensor) -> Tensor:
    """Add the identity: A + I."""
    return A + torch.eye(len(A), dtype=A.dtype)


def top_entries(values: Tensor, h: int) -> Tensor:
    """Mark the h largest entries of each row; of equal entries the one of lower index wins.

    Entries are equal if they differ by rounding only: by less than 1e-12 in float64, 1e-6 in
    float32. Returns an N x N mask.
    """
    grid = 1e-12 if values.dtype == torch.float64 else 1e-6
    ranks = torch.sort((values / grid).round(), dim=1, descending=True, stable=True).indices
    kept = torch.zeros_like(values, dtype=torch.bool)
    return kept.scatter(1, ranks[:, :h], True)


def hops(V: Tensor, k: int) -> Tensor:
    """Mark the pairs at most k steps apart, along the entries of V.

    scope_ij = (V + V^2 + ... + V^k)_ij != 0, from the pattern of V
    """
    step = V != 0
    reached = step
    for _ in range(k - 1):
        reached = reached | ((reached.to(V.dtype) @ step.to(V.dtype)) != 0)
    return reached


def adjacency_view(A: Tensor, scope: int) -> BasicView:
    """Normalise A + I; its scope is ``scope`` hops."""
    looped = with_self_loops(A)
    return BasicView(normalise(looped), hops(looped, scope))


def knn_graph(X: Tensor, k: int) -> Tensor:
    """Join each node to itself and to the k - 1 others of the largest cosine, with weight 1."""
    similarity = cosine(X, X).fill_diagonal_(math.inf)
    return top_entries(similarity, k).to(X.dtype)


def knn_view(X: Tensor, k: int, scope: int) -> BasicView:
    """Normalise the KNN graph, by its row sums and as asymmetric as it is."""
    graph = knn_graph(X, k)
    return BasicView(normalise(graph), hops(graph, scope))


def diffusion(A: Tensor, teleport: float) -> Tensor:
    """Return personalised PageRank in closed form, of the graph with self-loops.

    S = alpha (I - (1 - alpha) D^-1/2 (A + I) D^-1/2)^-1
    """
    identity = torch.eye(len(A), dtype=A.dtype)
    inverse: Tensor = torch.linalg.inv(identity - (1 - teleport) * normalise(with_self_loops(A)))
    return teleport * inverse


def diffusion_view(A: Tensor, teleport: float, scope: int) -> BasicView:
    """Keep the ``scope`` largest entries of each row of S, then normalise by the new row sums.

    Nodes that cannot be reached have the value 0 and are no neighbours, however few are left.
    """
    S = diffusion(A, teleport)
    kept = top_entries(S, scope) & (S > 0)
    return BasicView(normalise(S * kept), kept)


# -------------------------------------------------------------------------- view estimator


def plus(H: Tensor, bias: Tensor | None) -> Tensor:
    """Add a bias to every row, if there is one."""
    return H if bias is None else H + bias[None, :]


def cosine(U: Tensor, V: Tensor) -> Tensor:
    """Return the cosine of every row of U with every row of V.

    cos_ij = u_i . v_j / (max(|u_i|, 1e-8) max(|v_j|, 1e-8))
    """
    length_u: Tensor = torch.linalg.vector_norm(U, dim=1).clamp(min=FLOOR)
    length_v: Tensor = torch.linalg.vector_norm(V, dim=1).clamp(min=FLOOR)
    return (U @ V.T) / (length_u[:, None] * length_v[None, :])


def embed(
    V: Tensor, X: Tensor, W: Tensor, mask: Tensor | None = None, bias: Tensor | None = None
) -> Tensor:
    """Embed the nodes of a basic view. Implements Eq. (2).

    Z = relu(V X W + b), times the dropout mask if there is one
    """
    Z = torch.relu(plus(V @ X @ W, bias))
    return Z if mask is None else Z * mask


def paper_scores(Z: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Score every node pair by its concatenated embeddings. Implements Eq. (3).

    w_ij = W . [z_i || z_j] + b
    """
    n, d = Z.shape
    left = Z[:, None, :].expand(n, n, d)  # z_i at (i, j)
    right = Z[None, :, :].expand(n, n, d)  # z_j at (i, j)
    return torch.cat([left, right], dim=2) @ w + b


def cosine_scores(Z: Tensor, Q: Tensor, scale: Tensor | float) -> Tensor:
    """Score every node pair by the cosine of projected embeddings; not in the paper.

    w_ij = scale cos(z_i Q, z_j Q)
    """
    U = Z @ Q
    return scale * cosine(U, U)


def agreement_scores(Q: Tensor, scale: Tensor | float) -> Tensor:
    """Score every node pair by how likely both are of one class; not in the paper.

    w_ij = scale log(q_i . q_j)
    """
    return scale * (Q[:, None, :] * Q[None, :, :]).sum(dim=2).log()


def first_opinion(
    views: Sequence[BasicView],
    X: Tensor,
    classifiers: Sequence[Classifier],
    activation: Callable[[Tensor], Tensor],
    n_labels: int,
) -> Tensor:
    """Return the mean of the predictions on the basic views, N x C, as a constant.

    Twenty more labels are thought to be there, spread evenly over the classes.
    """
    outputs = [
        classify(view.matrix, X, each, activation=activation)
        for view, each in zip(views, classifiers, strict=False)
    ]
    mean = sum(outputs[1:], outputs[0]).detach() / len(outputs)
    return (n_labels * mean + 20 / mean.shape[1]) / (n_labels + 20)


def probabilities(scores: Tensor, scope: Tensor) -> Tensor:
    """Normalise the scores of a row over its scope. Implements Eq. (4).

    p_ij = exp(w_ij) / sum_{k in S_i} exp(w_ik) for j in S_i, else 0
    """
    assert bool(scope.any(dim=1).all()), "a row of the scope is empty"
    return scores.masked_fill(~scope, -math.inf).softmax(dim=1)


def combine(V: Tensor, P: Tensor, mu: float) -> Tensor:
    """Add the probabilities to the basic view. Implements Eq. (5).

    V_es = V + mu P
    """
    return V + mu * P


def finish(V_es: Tensor, self_loops: bool = True) -> Tensor:
    """Make an estimated view ready for use: symmetric, with self-loops, normalised.

    normalise(V_es + V_es^T + I), or beyond the paper without the I
    """
    both = V_es + V_es.T
    return normalise(with_self_loops(both) if self_loops else both)


def estimate(
    view: BasicView,
    X: Tensor,
    parameters: Estimator,
    mu: float,
    mask: Tensor | None = None,
    self_loops: bool = True,
    beliefs: Tensor | None = None,
) -> Tensor:
    """Estimate a view, from Eq. (2) to Eq. (5), and finish it."""
    Z = embed(view.matrix, X, parameters.weight, mask, parameters.bias)
    if isinstance(parameters, CosineEstimator):
        scores = cosine_scores(Z, parameters.projection, parameters.scale)
    else:
        scores = paper_scores(Z, parameters.pair_weight, parameters.pair_bias)
    if isinstance(parameters, AgreementEstimator):
        assert beliefs is not None
        scores = scores + agreement_scores(beliefs, parameters.scale)
    return finish(combine(view.matrix, probabilities(scores, view.scope), mu), self_loops)


# --------------------------------------------------------------------- classifier and fusion


def classify(
    V: Tensor,
    X: Tensor,
    parameters: Classifier,
    mask: Tensor | None = None,
    activation: Callable[[Tensor], Tensor] = torch.relu,
) -> Tensor:
    """Predict the classes on a view that is normalised already. Implements Eqs. (6) and (13).

    O = softmax(V sigma(V X W0 + b0) W1 + b1), the hidden layer times the dropout mask if there is
    one; the paper's equations have no biases
    """
    hidden = activation(plus(V @ X @ parameters.first, parameters.first_bias))
    if mask is not None:
        hidden = hidden * mask
    return plus(V @ hidden @ parameters.second, parameters.second_bias).softmax(dim=1)


def importance(O: Tensor, epsilon: float, lam: float) -> Tensor:  # noqa: E741
    """Weigh a view for each node by how confident its prediction is. Implements Eq. (7).

    pi_i = exp(eps (lam log o_m + (1 - lam) log(o_m - o_sm))), both arguments at least 1e-8
    """
    largest, second = O.topk(2, dim=1).values.unbind(dim=1)
    peak = largest.clamp(min=FLOOR).log()
    margin = (largest - second).clamp(min=FLOOR).log()
    return torch.exp(epsilon * (lam * peak + (1 - lam) * margin))


def adaptive_weights(predictions: Sequence[Tensor], epsilon: float, lam: float) -> Tensor:
    """Share each node among the views by importance. Implements Eq. (8).

    beta_i^k = pi_i^k / sum_l pi_i^l; returns N x m
    """
    pi = torch.stack([importance(each, epsilon, lam) for each in predictions], dim=1)
    return pi / pi.sum(dim=1, keepdim=True)


def average_weights(predictions: Sequence[Tensor]) -> Tensor:
    """Give every view 1/m; N x m."""
    m = len(predictions)
    return torch.full((len(predictions[0]), m), 1.0 / m, dtype=predictions[0].dtype)


def attention_weights(scores: Tensor, n_nodes: int) -> Tensor:
    """Give view k softmax(a)_k at every node; N x m."""
    return scores.softmax(dim=0).expand(n_nodes, len(scores))


def fuse(views: Sequence[Tensor], weights: Tensor) -> Tensor:
    """Mix the estimated views row by row. Implements Eq. (9).

    V*_i = sum_k beta_i^k V^k_es_i; ``weights`` is N x m
    """
    return (torch.stack(list(views), dim=2) * weights[:, None, :]).sum(dim=2)


# -------------------------------------------------------------------------------- losses


def cross_entropy(O: Tensor, labels: Tensor, train: Tensor) -> Tensor:  # noqa: E741
    """Return the mean over the training nodes of -log o_{i, y_i}."""
    return -O[train, labels[train]].log().mean()


def classification_loss(predictions: Sequence[Tensor], labels: Tensor, train: Tensor) -> Tensor:
    """Weigh the cross-entropies of all views. Implements Eq. (14).

    L_cls = 0.3 CE(O*) + sum_k (0.7 / m) CE(O^k)
    """
    *estimated, final = (cross_entropy(each, labels, train) for each in predictions)
    share = (1 - FINAL_SHARE) / len(estimated)
    return FINAL_SHARE * final + share * torch.stack(estimated).sum()


def encode(V: Tensor, X: Tensor, parameters: Encoder) -> Tensor:
    """Embed a view's nodes for the MI estimator. Implements Eq. (15).

    H = PReLU(V X W + b),  PReLU(x) = max(x, 0) + a min(x, 0)
    """
    H = plus(V @ X @ parameters.weight, parameters.bias)
    return H.clamp(min=0) + parameters.slope * H.clamp(max=0)


def project(H: Tensor, parameters: Projection) -> Tensor:
    """Bring embeddings into the space shared by all views. Implements Eq. (16).

    H_p = W1 . ELU(W0 . H + b0) + b1,  ELU(x) = x if x > 0 else exp(x) - 1
    """
    inner = H @ parameters.first_weight.T + parameters.first_bias
    inner = torch.where(inner > 0, inner, torch.expm1(inner.clamp(max=0)))
    return inner @ parameters.second_weight.T + parameters.second_bias


def infonce(H: Tensor, K: Tensor, batch: Tensor, tau: float) -> Tensor:
    """Contrast two views on a batch of nodes, both ways. Implements Eq. (17).

    L = -1/(2|B|) sum_i [ log e^{s_ii} / (e^{s_ii} + sum_{k != i} e^{s_ik})
                        + log e^{s_ii} / (e^{s_ii} + sum_{j != i} e^{s_ji}) ]
    s_ij = cos(h_i, k_j) / tau, rows of H and K in B
    """
    E = torch.exp(cosine(H[batch], K[batch]) / tau)  # |B| x |B|
    positive = E.diagonal()
    negative = E - torch.diag(positive)
    forth = torch.log(positive / (positive + negative.sum(dim=1)))
    back = torch.log(positive / (positive + negative.sum(dim=0)))
    return -(forth + back).sum() / (2 * len(batch))


def pair_losses(
    projected: Sequence[Tensor], batch: Tensor, tau: float
) -> dict[tuple[int, int], Tensor]:
    """Return Eq. (17) for every pair k < l of all views; the last index is the final view."""
    n = len(projected)
    return {
        (k, j): infonce(projected[k], projected[j], batch, tau)
        for k in range(n)
        for j in range(k + 1, n)
    }


def mutual_information_loss(projected: Sequence[Tensor], batch: Tensor, tau: float) -> Tensor:
    """Weigh the losses of all pairs of views. Implements Eq. (18).

    L_MI = 0.3 mean_{k<l} L(V^k, V^l) + sum_k (0.7 / m) L(V^k, V*)
    """
    m = len(projected) - 1
    losses = pair_losses(projected, batch, tau)
    total = sum((losses[k, m] for k in range(m)), torch.zeros_like(losses[0, m]))
    total = (1 - PAIRS_SHARE) / m * total
    between = [loss for (_, j), loss in losses.items() if j < m]
    if between:
        total = total + PAIRS_SHARE * torch.stack(between).mean()
    return total


def objective(cls_loss: Tensor, mi_loss: Tensor, eta: float) -> Tensor:
    """Return what the view estimator minimises. Implements Eq. (19).

    L_cls - eta L_MI
    """
    return cls_loss - eta * mi_loss


def eta_at(t: int, rate: float, low: float = 0.05, high: float = 0.1) -> float:
    """Return the balance at outer iteration t: log(1 + r t), held between two bounds."""
    return min(max(math.log(1 + rate * t), low), high)


# ------------------------------------------------------------------------------ in one go


def run(
    views: Sequence[BasicView],
    X: Tensor,
    labels: Tensor,
    train: Tensor,
    batch: Tensor,
    parameters: Parameters,
    settings: Settings,
    masks: Masks | None = None,
) -> Outcome:
    """Go from the basic views to Eq. (19); of all that the paper has, nothing is detached.

    The predictions that Eq. (7) weighs by are those that Eq. (14) is taken of. The final view
    is used as Eq. (9) leaves it.
    """
    m = len(views)
    if masks is None:
        masks = Masks([None] * m, [None] * (m + 1))
    classifiers = parameters.classifiers
    beliefs = first_opinion(views, X, classifiers, settings.activation, len(train))
    estimated = [
        estimate(
            views[k],
            X,
            parameters.estimators[k],
            settings.mu[k],
            masks.embeddings[k],
            settings.self_loops,
            beliefs,
        )
        for k in range(m)
    ]
    predictions = [
        classify(estimated[k], X, parameters.classifiers[k], masks.hidden[k], settings.activation)
        for k in range(m)
    ]
    weights = fusion_weights(predictions, parameters, settings)
    final = fuse(estimated, weights)
    last = parameters.classifiers[m]
    predictions.append(classify(final, X, last, masks.hidden[m], settings.activation))
    projected = [
        project(encode(V, X, encoder), parameters.projection)
        for V, encoder in zip([*estimated, final], parameters.encoders, strict=True)
    ]
    cls_loss = classification_loss(predictions, labels, train)
    mi_loss = mutual_information_loss(projected, batch, settings.tau)
    return Outcome(
        estimated=estimated,
        fusion_weights=weights,
        final=final,
        predictions=predictions,
        projected=projected,
        cls_loss=cls_loss,
        mi_loss=mi_loss,
        objective=objective(cls_loss, mi_loss, settings.eta),
    )


def fusion_weights(
    predictions: Sequence[Tensor], parameters: Parameters, settings: Settings
) -> Tensor:
    """Return the N x m weights of the fusion that the settings name."""
    if settings.fusion == "adaptive":
        return adaptive_weights(predictions, settings.epsilon, settings.lam)
    if settings.fusion == "average":
        return average_weights(predictions)
    assert settings.fusion == "attention", settings.fusion
    assert parameters.attention is not None
    return attention_weights(parameters.attention, len(predictions[0]))
