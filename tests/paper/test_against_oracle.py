"""The sparse engine against the independent dense oracle: values and every parameter's gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import Tensor

from cogsl.graph import Graph
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.cogsl_folds import Folds
from cogsl.methods.cogsl_parts import whole_graph
from cogsl.nn import dropout
from cogsl.scorers import AgreementScorer, CosineScorer, LinearScorer
from cogsl.seeding import Seeds
from cogsl.sparse import use_kernels
from tests import oracle
from tests.random_graphs import RandomProblem, random_problem

ETA = 0.07
ACTIVATIONS = {"relu": torch.relu, "elu": torch.nn.functional.elu}
TOLERANCE = {"float32": 1e-5, "float64": 1e-10}


@dataclass
class Case:
    """The same problem and the same parameters in the package and in the oracle."""

    folds: Folds
    problem: RandomProblem
    views: list[oracle.BasicView]
    parameters: oracle.Parameters
    settings: oracle.Settings
    batch: Tensor
    tolerance: float

    @property
    def features(self) -> Tensor:
        return torch.tensor(self.problem.features, dtype=self.folds.dtype)

    def outcome(self, masks: oracle.Masks | None = None) -> oracle.Outcome:
        p = self.problem
        return oracle.run(
            self.views,
            self.features,
            torch.tensor(p.labels),
            torch.tensor(p.train),
            self.batch,
            self.parameters,
            self.settings,
            masks,
        )


def _graph(problem: RandomProblem, *, sparse: bool) -> Graph:
    features = problem.features.astype(np.float32)
    return Graph.from_scipy(
        problem.adjacency,
        features=sp.csr_array(features) if sparse else features,
        labels=problem.labels,
        train=problem.train,
        val=problem.val,
        test=problem.test,
    )


def _oracle_view(
    name: str, scope: int, problem: RandomProblem, dtype: torch.dtype
) -> oracle.BasicView:
    adjacency = torch.tensor(problem.adjacency.toarray(), dtype=torch.float64)
    features = torch.tensor(problem.features, dtype=torch.float64)
    view = {
        "adjacency": lambda: oracle.adjacency_view(adjacency, scope),
        "knn": lambda: oracle.knn_view(features, problem.n_neighbours, scope),
        "diffusion": lambda: oracle.diffusion_view(adjacency, 0.2, scope),
    }[name]()
    return oracle.BasicView(view.matrix.to(dtype), view.scope)


def _leaf(tensor: Tensor) -> Tensor:
    return tensor.detach().clone().requires_grad_()


def _maybe_leaf(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else _leaf(tensor)


def _start_biases_anywhere(folds: Folds) -> None:
    """Biases are zero before training, which would hide where they are added."""
    for group in (folds.omega, folds.theta, folds.phi):
        for name, parameter in group.named_parameters():
            if name.endswith("bias"):
                torch.nn.init.normal_(parameter)


def _oracle_parameters(folds: Folds) -> oracle.Parameters:
    """Copy the package's parameters; what cancels in Eq. (4) gets any numbers in the oracle."""
    estimators: list[oracle.Estimator] = []
    for estimator in folds.estimators:
        scorer, weight = estimator.scorer, _leaf(estimator.weight)
        end = _maybe_leaf(estimator.bias)
        if isinstance(scorer, LinearScorer):
            half = torch.randn(scorer.weight.numel(), dtype=folds.dtype)
            pair = torch.cat([half, scorer.weight.detach().flatten()])
            bias = torch.tensor(0.3, dtype=folds.dtype)
            shared = weight, _leaf(pair), _leaf(bias)
            if isinstance(scorer, AgreementScorer):
                estimators.append(oracle.AgreementEstimator(*shared, _leaf(scorer.scale), end))
            else:
                estimators.append(oracle.PaperEstimator(*shared, end))
        else:
            assert isinstance(scorer, CosineScorer)
            estimators.append(
                oracle.CosineEstimator(weight, _leaf(scorer.weight), _leaf(scorer.scale), end)
            )
    projector = folds.phi.projector
    attention = getattr(folds.fusion, "scores", None)
    return oracle.Parameters(
        estimators,
        [
            oracle.Classifier(
                _leaf(c.first),
                _leaf(c.second),
                _maybe_leaf(c.first_bias),
                _maybe_leaf(c.second_bias),
            )
            for c in folds.classifiers
        ],
        [
            oracle.Encoder(_leaf(e.weight), _leaf(e.slope), _maybe_leaf(e.bias))  # type: ignore[arg-type]
            for e in folds.phi.encoders
        ],
        oracle.Projection(
            *(
                _leaf(p)
                for p in (
                    projector.first,
                    projector.first_bias,
                    projector.second,
                    projector.second_bias,
                )
            )
        ),
        None if attention is None else _leaf(attention),
    )


def _case(
    seed: int,
    precision: str,
    *,
    views: tuple[str, ...] = ("adjacency", "knn"),
    scope: tuple[int, ...] = (2, 1),
    sparse: bool = True,
    activation: str = "relu",
    self_loops: bool = True,
    scorer: str = "linear",
    bias: bool = False,
    classifier_dropout: float = 0.0,
    estimator_dropout: float = 0.0,
    **settings: object,
) -> Case:
    problem = random_problem(seed)
    mu = tuple(0.3 + 0.2 * k for k in range(len(views)))
    method = CoGSL(
        views=views,
        scope=scope,
        mu=mu,
        knn_neighbours=problem.n_neighbours,
        estimator_dropout=estimator_dropout,
        classifier_dropout=classifier_dropout,
        estimator_hidden=5,
        classifier_hidden=4,
        mi_hidden=6,
        tau=0.4,
        epsilon=0.7,
        lam=0.6,
        precision=precision,
        activation=activation,
        self_loops=self_loops,
        scorer=scorer,
        bias=bias,
        teleport=0.2,
        **settings,  # type: ignore[arg-type]
    )
    method.validate()
    torch.manual_seed(seed)
    graph = _graph(problem, sparse=sparse)
    folds = Folds(method, graph, Seeds(seed))
    _start_biases_anywhere(folds)
    folds.part = whole_graph(method, graph, Seeds(seed))
    batch = torch.randperm(problem.n_nodes)[: problem.n_nodes - 2]
    return Case(
        folds,
        problem,
        [_oracle_view(n, s, problem, folds.dtype) for n, s in zip(views, scope, strict=True)],
        _oracle_parameters(folds),
        oracle.Settings(
            mu,
            method.fusion,
            epsilon=0.7,
            lam=0.6,
            tau=0.4,
            eta=ETA,
            activation=ACTIVATIONS[method.activation],
            self_loops=self_loops,
        ),
        batch,
        TOLERANCE[precision],
    )


CASES: list[dict[str, object]] = [
    {},
    {"sparse": False},
    {"views": ("adjacency", "diffusion"), "scope": (1, 4)},
    {"scorer": "cosine"},
    {"scorer": "agreement"},
    {"activation": "elu"},
    {"self_loops": False, "views": ("adjacency", "diffusion"), "scope": (1, 4)},
    {"bias": True, "encoder_bias": True},
    {"bias": True, "encoder_bias": True, "scorer": "agreement", "sparse": False},
    {"fusion": "average"},
    {"fusion": "attention"},
    {"views": ("adjacency", "knn", "diffusion"), "scope": (2, 1, 5)},
]


@pytest.fixture(params=range(len(CASES)), ids=lambda k: "-".join(CASES[k]) or "paper")
def options(request: pytest.FixtureRequest) -> dict[str, object]:
    return dict(CASES[request.param])


@pytest.fixture(params=["float32", "float64"])
def precision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[0, 1])
def case(request: pytest.FixtureRequest, options: dict[str, object], precision: str) -> Case:
    return _case(request.param, precision, **options)  # type: ignore[arg-type]


def _close(ours: Tensor | np.ndarray, theirs: Tensor, tolerance: float) -> None:
    ours = torch.as_tensor(ours).detach()
    torch.testing.assert_close(ours, theirs.detach(), rtol=tolerance, atol=tolerance)


def _compare_gradients(
    loss: Tensor, ours: list[Tensor], reference: Tensor, theirs: list[Tensor], tolerance: float
) -> None:
    left = torch.autograd.grad(loss, ours)
    right = torch.autograd.grad(reference, theirs)
    for a, b in zip(left, right, strict=True):
        assert float(b.abs().max()) > 0, "the gradient must not vanish by accident"
        _close(a.reshape(b.shape), b, tolerance)


def test_basic_views_and_scopes_agree(case: Case) -> None:
    for plan, view in zip(case.folds.part.plans, case.views, strict=True):
        _close(plan.basic.to_scipy().toarray(), view.matrix, case.tolerance)
        assert np.array_equal(plan.scope.to_scipy().toarray() > 0, view.scope.numpy())


def test_estimated_and_final_views_and_fusion_weights_agree(case: Case) -> None:
    views, expected = case.folds.estimate(), case.outcome()
    for ours, theirs in zip(views.all, [*expected.estimated, expected.final], strict=True):
        _close(ours.to_scipy().toarray(), theirs, case.tolerance)
    _close(views.weights, expected.fusion_weights, case.tolerance)


def test_predictions_on_every_view_agree(case: Case) -> None:
    views, expected = case.folds.estimate(), case.outcome()
    for k, theirs in enumerate(expected.predictions):
        _close(case.folds.predict(views, k).exp(), theirs, case.tolerance)


def _estimator_tensors(case: Case) -> tuple[list[Tensor], list[Tensor]]:
    """Every parameter of Omega, ours and the oracle's."""
    ours: list[Tensor] = []
    theirs: list[Tensor] = []
    for estimator, reference in zip(case.folds.estimators, case.parameters.estimators, strict=True):
        scorer = estimator.scorer
        ours += [estimator.weight, scorer.weight]
        if isinstance(reference, oracle.CosineEstimator):
            theirs += [reference.weight, reference.projection]
        else:
            theirs += [reference.weight, reference.pair_weight]
        if estimator.bias is not None:
            assert reference.bias is not None
            ours.append(estimator.bias)
            theirs.append(reference.bias)
        if isinstance(scorer, CosineScorer | AgreementScorer):
            assert not isinstance(reference, oracle.PaperEstimator)
            ours.append(scorer.scale)
            theirs.append(reference.scale)
    if case.parameters.attention is not None:
        ours += list(case.folds.fusion.parameters())
        theirs.append(case.parameters.attention)
    return ours, theirs


@pytest.mark.parametrize("kernels", ["mkl", "portable"])
def test_view_objective_and_its_gradients_agree(case: Case, kernels: str) -> None:
    with use_kernels(kernels):
        loss = case.folds.view_loss(case.folds.project(), ETA, case.batch)
        ours, theirs = _estimator_tensors(case)
        gradients = torch.autograd.grad(loss, ours)
    expected = case.outcome()
    _close(loss, expected.objective, case.tolerance)
    for a, b in zip(gradients, torch.autograd.grad(expected.objective, theirs), strict=True):
        if b.numel() == 2 * a.numel():
            cancelled, b = b.tensor_split(2)
            _close(torch.zeros_like(cancelled), cancelled, case.tolerance)
        _close(a.reshape(b.shape), b, case.tolerance)


def _masks(case: Case, name: str, width: int, count: int) -> list[Tensor | None]:
    """Draw dropout masks of a rate of 0.5, as the package does from the seed of that name."""
    noise = Seeds(0).torch(name)
    ones = torch.ones(case.problem.n_nodes, width, dtype=case.folds.dtype)
    return [dropout(ones, 0.5, generator=noise) for _ in range(count)]


def _compare_objective(case: Case, masks: oracle.Masks) -> None:
    """Hold the views' objective with dropout, and its gradients, against the oracle's."""
    expected = case.outcome(masks)
    loss = case.folds.view_loss(case.folds.project(), ETA, case.batch)
    _close(loss, expected.objective, case.tolerance)
    ours, theirs = _estimator_tensors(case)
    left = torch.autograd.grad(loss, ours)
    for a, b in zip(left, torch.autograd.grad(expected.objective, theirs), strict=True):
        _close(a.flatten(), b.flatten()[-a.numel() :], case.tolerance)


def test_the_estimators_dropout_acts_on_the_embeddings(precision: str) -> None:
    case = _case(0, precision, estimator_dropout=0.5)
    embeddings = _masks(case, "estimator dropout", 5, 2)
    _compare_objective(case, oracle.Masks(embeddings, [None] * 3))


@pytest.mark.parametrize("everywhere", [False, True])
def test_the_classifiers_dropout_is_in_the_views_objective_if_asked_for(
    everywhere: bool, precision: str
) -> None:
    case = _case(0, precision, bias=True, classifier_dropout=0.5, dropout_in_views=everywhere)
    hidden = _masks(case, "view dropout", 4, 3) if everywhere else [None] * 3
    _compare_objective(case, oracle.Masks([None] * 2, hidden))


def test_views_are_fused_with_that_dropout_in_training_only() -> None:
    case = _case(0, "float64", bias=True, classifier_dropout=0.5, dropout_in_views=True)
    clean = case.outcome().fusion_weights
    _close(case.folds.estimate().weights, clean, case.tolerance)
    noisy = case.folds.estimate(training=True).weights
    assert not torch.allclose(noisy, clean)
    masks = _masks(case, "view dropout", 4, 2)
    _close(noisy, case.outcome(oracle.Masks([None] * 2, [*masks, None])).fusion_weights, 1e-10)


def test_classification_loss_and_its_gradients_agree(case: Case) -> None:
    views, expected = case.folds.estimate(), case.outcome()
    constant = [view.detach() for view in (*expected.estimated, expected.final)]
    outputs = [
        oracle.classify(view, case.features, classifier, activation=case.settings.activation)
        for view, classifier in zip(constant, case.parameters.classifiers, strict=True)
    ]
    labels, train = torch.tensor(case.problem.labels), torch.tensor(case.problem.train)
    reference = oracle.classification_loss(outputs, labels, train)
    loss = case.folds.classifier_loss(views)
    _close(loss, reference, case.tolerance)
    ours: list[Tensor] = list(case.folds.theta.parameters())
    theirs = oracle.tensors(case.parameters.classifiers)
    _compare_gradients(loss, ours, reference, theirs, case.tolerance)


def test_mi_loss_and_its_gradients_agree(case: Case) -> None:
    views, expected = case.folds.estimate(), case.outcome()
    constant = [view.detach() for view in (*expected.estimated, expected.final)]
    projected = [
        oracle.project(oracle.encode(view, case.features, encoder), case.parameters.projection)
        for view, encoder in zip(constant, case.parameters.encoders, strict=True)
    ]
    reference = oracle.mutual_information_loss(projected, case.batch, 0.4)
    pairs = oracle.pair_losses(projected, case.batch, 0.4)
    ours = case.folds.pair_losses(views, case.batch)
    for pair, ours_pair in zip(case.folds.weights.pairs, ours, strict=True):
        _close(ours_pair, pairs[pair], case.tolerance)
    from cogsl.losses import mi_loss

    loss = mi_loss(ours, case.folds.weights)
    _close(loss, reference, case.tolerance)
    theirs = [*oracle.tensors(case.parameters.encoders), *case.parameters.projection]
    left = torch.autograd.grad(loss, list(case.folds.phi.parameters()))
    for a, b in zip(left, torch.autograd.grad(reference, theirs), strict=True):
        _close(a.reshape(b.shape), b, case.tolerance)
