"""The networks of CoGSL, without their training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from cogsl.fusion import FUSIONS
from cogsl.methods.cogsl_outcome import State
from cogsl.methods.cogsl_parts import number_type
from cogsl.methods.cogsl_settings import CoGSLSettings
from cogsl.mutual_information import MIEstimator
from cogsl.nn import Convolving, GCNClassifier, graph_convolution
from cogsl.seeding import Seeds
from cogsl.view_estimator import ViewEstimator


class Networks:
    """The three groups of parameters, each initialised from a generator of its own.

    Omega is the view estimators (and the fusion, where it has parameters), Theta the classifiers,
    Phi the MI estimator.
    """

    def __init__(
        self, settings: CoGSLSettings, n_features: int, n_classes: int, seeds: Seeds
    ) -> None:
        self.settings, self.dtype = settings, number_type(settings)
        self.n_views = len(settings.views)
        s, dtype = settings, self.dtype
        generator = seeds.torch("classifier weights")
        self.classifiers = [
            GCNClassifier(
                n_features,
                s.classifier_hidden,
                n_classes,
                rate=s.classifier_dropout,
                activation=s.activation,
                bias=s.bias,
                generator=generator,
                dtype=dtype,
            )
            for _ in range(self.n_views + 1)
        ]
        generator = seeds.torch("estimator weights")
        self.estimators = [
            ViewEstimator(
                n_features,
                s.estimator_hidden,
                scorer=s.scorer,
                mu=mu,
                rate=s.estimator_dropout,
                bias=s.encoder_bias,
                generator=generator,
                dtype=dtype,
            )
            for mu in s.per_view(s.mu)
        ]
        generator = seeds.torch("mi weights")
        self.phi = MIEstimator(
            n_features,
            s.mi_hidden,
            self.n_views,
            bias=s.encoder_bias,
            generator=generator,
            dtype=dtype,
        )
        self.fusion = FUSIONS[s.fusion](self.n_views, epsilon=s.epsilon, lam=s.lam, dtype=dtype)
        self.theta = nn.ModuleList(self.classifiers)
        self.omega = nn.ModuleList([*self.estimators, self.fusion])

    @torch.no_grad()
    def beliefs(self, basic: Iterable[Convolving], projected: Sequence[Tensor]) -> Tensor | None:
        """Return the mean of the predictions on the basic views, N x C, or None if none are used.

        They are a first opinion, by which pairs are scored. ``projected`` is X W of the
        classifiers' first layers.
        """
        if not any(estimator.scorer.uses_beliefs for estimator in self.estimators):
            return None
        outputs = [
            self.classifiers[k](view, graph_convolution(view, projected[k])).exp()
            for k, view in enumerate(basic)
        ]
        return torch.stack(outputs).mean(dim=0)

    def state(self) -> State:
        """Return a copy of all that decides views and predictions."""
        return tuple(
            {name: value.clone() for name, value in group.state_dict().items()}
            for group in (self.omega, self.theta)
        )

    def restore(self, state: State) -> None:
        """Go back to an earlier state."""
        for group, values in zip((self.omega, self.theta), state, strict=True):
            group.load_state_dict(values)

    @contextmanager
    def replaced_by(self, state: State) -> Iterator[None]:
        """Put other parameters in the place of these inside the scope; an empty state does not."""
        if not state:
            yield
            return
        now = self.state()
        self.restore(state)
        yield
        self.restore(now)
