"""What is drawn in a trial, and the settings that it comes to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cogsl.errors import InputError

if TYPE_CHECKING:
    import optuna

Values = dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """One of some values; tuples are stored as words, joined by "+"."""

    values: tuple[Any, ...]

    def including(self, value: Any) -> Choice:
        """Return the same choice with one more value, numbers in their order."""
        if value in self.values:
            return self
        more = (*self.values, value)
        is_ordered = all(isinstance(v, int | float) for v in more)
        return Choice(tuple(sorted(more)) if is_ordered else more)

    def suggest(self, trial: optuna.Trial, name: str) -> Any:
        """Draw a value for a trial."""
        return self.restored(trial.suggest_categorical(name, [self.stored(v) for v in self.values]))

    def stored(self, value: Any) -> Any:
        """Return a value as the study holds it."""
        return "+".join(map(str, value)) if isinstance(value, tuple) else value

    def restored(self, stored: Any) -> Any:
        """Return the value of what the study holds."""
        return next(value for value in self.values if self.stored(value) == stored)


@dataclass(frozen=True)
class Range:
    """A number between two, in steps if there are any."""

    low: float
    high: float
    step: float | None = None

    def including(self, value: Any) -> Range:
        """Return a range that reaches as far as the value."""
        return Range(min(self.low, value), max(self.high, value), self.step)

    def suggest(self, trial: optuna.Trial, name: str) -> Any:
        """Draw a number for a trial."""
        return self.restored(trial.suggest_float(name, self.low, self.high, step=self.step))

    def stored(self, value: Any) -> Any:
        """Return the number itself."""
        return value

    def restored(self, stored: Any) -> Any:
        """Return the number without the dust that steps leave, 0.3 for 0.30000000000000004."""
        return round(float(stored), 10)


@dataclass(frozen=True)
class Each:
    """A setting with an entry for each entry of another one.

    Parameters
    ----------
    of : that other setting.
    parameters : which one an entry is, by the other entry's name or by its place.
    entries : those of the other setting, if it is not searched.
    is_shared : equal entries are written as one, which stands for all.
    """

    of: str
    parameters: Mapping[str, str] | tuple[str, ...]
    entries: tuple[str, ...] | None = None
    is_shared: bool = False

    @property
    def all_names(self) -> list[str]:
        """The parameters that an entry may be."""
        if isinstance(self.parameters, Mapping):
            return list(self.parameters.values())
        return list(self.parameters)

    def names(self, entries: tuple[str, ...]) -> list[str]:
        """Return the parameter of each entry."""
        try:
            if isinstance(self.parameters, Mapping):
                return [self.parameters[entry] for entry in entries]
            return [self.parameters[place] for place in range(len(entries))]
        except (KeyError, IndexError):
            raise InputError(
                f"The search space has no parameter for each entry of '{self.of}': "
                f"{', '.join(entries)}. Fix the settings that depend on it with --set, too."
            ) from None


@dataclass(frozen=True)
class Space:
    """What is drawn in a trial.

    Parameters
    ----------
    parameters : by name.
    each : the settings that are put together from several parameters.
    defaults : the values that stand for the method's own settings.
    """

    parameters: Mapping[str, Choice | Range]
    each: Mapping[str, Each]
    defaults: Values

    @property
    def digest(self) -> str:
        """A hash of all of it."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def suggest(self, trial: optuna.Trial) -> Values:
        """Draw all parameters for a trial."""
        return {name: p.suggest(trial, name) for name, p in self.parameters.items()}

    def stored(self, values: Values) -> Values:
        """Return values as the study holds them."""
        return {name: self.parameters[name].stored(value) for name, value in values.items()}

    def restored(self, stored: Values) -> Values:
        """Return the values of what the study holds."""
        return {name: self.parameters[name].restored(value) for name, value in stored.items()}

    def settings(self, values: Values) -> dict[str, Any]:
        """Return the method's settings that drawn values come to."""
        parts = {name for each in self.each.values() for name in each.all_names}
        settings = {name: value for name, value in values.items() if name not in parts}
        for name, each in self.each.items():
            entries = values[each.of] if each.entries is None else each.entries
            given = tuple(values[part] for part in each.names(entries))
            settings[name] = given[:1] if each.is_shared and len(set(given)) == 1 else given
        return settings
