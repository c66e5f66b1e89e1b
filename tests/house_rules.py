"""The rules of the house: who may import whom, and what may stand where.

Each rule is a function from parsed modules to a list of complaints, empty if all is well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

# In reading order: a module may import from its own room and from the rooms before it.
ROOMS = [
    *("errors", "settings", "seeding", "machine", "files", "sparse"),
    *("graph_parts", "graph", "extension", "pruning", "cost", "io"),
    *("datasets", "attacks", "views"),
    *("nn", "metrics", "scorers", "view_estimator", "fusion", "losses", "mutual_information"),
    "training",
    *("methods", "evaluation", "estimator", "transform", "experiments", "report", "cli"),
]

# Edges that the order allows and the house does not; {importing room: rooms it never sees}.
STRANGERS = {
    "datasets": {"attacks", "views"},
    "attacks": {"datasets", "views"},
    "views": {"datasets", "attacks"},
    "nn": {"methods"},
    "losses": {"methods"},
    "training": {"methods"},
    "report": {"methods"},
}

DATASET_NAMES = {
    *("wine", "breast_cancer", "digits", "polblogs", "citeseer", "wikics", "ms_academic"),
    *("cora", "pubmed", "amazon_photo", "blogcatalog", "synthetic"),
}
DENSIFYING = {"toarray", "todense", "to_dense"}
PICKLING = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "shelve"}
EQUATIONS = [*range(1, 10), *range(13, 20)]  # (10)-(12) belong to the paper's proof

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Module:
    """A parsed source file, e.g. ``cogsl.views.knn``."""

    name: str
    tree: ast.Module
    is_package: bool

    @property
    def parts(self) -> list[str]:
        return self.name.split(".")

    @property
    def room(self) -> str:
        """The room it stands in; "" for ``cogsl`` itself, the public facade."""
        return room_of(self.name)

    def at(self, node: ast.AST) -> str:
        return f"{self.name}:{getattr(node, 'lineno', 0)}"


@dataclass(frozen=True)
class Edge:
    """One import of one thing: ``target`` is a module, ``attribute`` what is taken from it."""

    target: str
    attribute: str
    line: int


def room_of(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else ""


def modules_of(source: Path) -> list[Module]:
    """Parse every file of the package whose folder is ``source``."""
    found = []
    for path in sorted(source.rglob("*.py")):
        parts = [source.name, *path.relative_to(source).with_suffix("").parts]
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found.append(Module(name, ast.parse(path.read_text(encoding="utf-8")), is_package))
    return found


def edges_of(module: Module, known: set[str]) -> Iterator[Edge]:
    """Yield what a module imports from cogsl, wherever in the module it does so."""
    for node in ast.walk(module.tree):
        for base, name in _imported(module, node):
            if base.split(".")[0] == "cogsl":
                is_module = f"{base}.{name}" in known
                target = f"{base}.{name}" if is_module else base
                yield Edge(target, "" if is_module else name, getattr(node, "lineno", 0))


def _imported(module: Module, node: ast.AST) -> list[tuple[str, str]]:
    """Return (module, name taken from it) for each thing that a piece of code imports."""
    if isinstance(node, ast.Import):  # what a plain `import cogsl` gives shows in its use
        return [(a.name, "") for a in node.names if a.asname or a.name != "cogsl"]
    if isinstance(node, ast.ImportFrom):
        base = _absolute(module, node.module or "", node.level)
        return [(base, alias.name) for alias in node.names]
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "cogsl":
        return [("cogsl", node.attr)] if _imports_facade(module) else []
    if isinstance(node, ast.Call) and re.search(
        r"\b(import_module|__import__)$", ast.unparse(node.func)
    ):
        return [(str(arg.value), "") for arg in node.args[:1] if isinstance(arg, ast.Constant)]
    return []


def _imports_facade(module: Module) -> bool:
    imports = [node for node in ast.walk(module.tree) if isinstance(node, ast.Import)]
    return any(alias.name == "cogsl" for node in imports for alias in node.names)


def _absolute(module: Module, target: str, level: int) -> str:
    if level == 0:
        return target
    up = level - 1 if module.is_package else level
    base = module.parts[: len(module.parts) - up]
    return ".".join([*base, target] if target else base)


def definitions(module: Module) -> Iterator[tuple[str, Definition]]:
    """Yield every function and class with its dotted name."""

    def below(prefix: str, node: ast.AST) -> Iterator[tuple[str, Definition]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Definition):
                name = f"{prefix}.{child.name}"
                yield name, child
                yield from below(name, child)
            else:
                yield from below(prefix, child)

    return below(module.name, module.tree)


def wrong_edges(modules: list[Module]) -> list[str]:
    """Imports that go down the list of rooms, between strangers or through the facade."""
    known = {module.name for module in modules}
    complaints = []
    for module in modules:
        if module.name == "cogsl":  # the facade names everything, late
            continue
        if module.room not in ROOMS:
            complaints.append(f"{module.name}: '{module.room}' is not a room of the house")
            continue
        for edge in edges_of(module, known):
            reason = _why_wrong(module, edge, known)
            if reason:
                complaints.append(f"{module.name}:{edge.line} imports {edge.target}: {reason}")
    return complaints


def _why_wrong(module: Module, edge: Edge, known: set[str]) -> str:
    """Say why a module may not have an edge, or return ""."""
    room = room_of(edge.target)
    if room == "":
        is_dunder = re.fullmatch(r"__\w+__", edge.attribute)  # __version__, __file__
        return "" if is_dunder else "import from the thing's own room"
    if room not in ROOMS:
        return f"'{room}' is not a room of the house"
    if ROOMS.index(room) > ROOMS.index(module.room):
        return f"'{room}' comes after '{module.room}'"
    if room in STRANGERS.get(module.room, ()):
        return f"'{module.room}' does not know '{room}'"
    if module.room == "evaluation" and room == "methods" and edge.target != "cogsl.methods.base":
        return "'evaluation' sees only cogsl.methods.base"
    if module.room == room == "methods" and not _may_import_method(module, edge.target, known):
        return "no method imports another"
    return ""


def _may_import_method(module: Module, target: str, known: set[str]) -> bool:
    """Let a method import the bases and the parts that carry its name, and these one another."""
    if module.name == "cogsl.methods" or target == "cogsl.methods.base":
        return True
    if target == "cogsl.methods":
        return False
    own, other = module.parts[2], target.split(".")[2]
    if own == "base" or own.startswith("base_"):
        return False
    if other.startswith("base_"):
        return True
    return own == other or _method_of(own, known) == _method_of(other, known) != other


def _method_of(name: str, known: set[str]) -> str:
    """Return the method that a module of ``methods`` is (``cogsl``) or is part of (``cogsl_x``)."""
    heads = [name[:at] for at, letter in enumerate(name) if letter == "_"]
    return next((head for head in heads if f"cogsl.methods.{head}" in known), name)


def dataset_names(modules: list[Module]) -> list[str]:
    """Strings, docstrings apart, that are a data set's name outside ``datasets``."""
    return [
        f"{module.at(node)} names the data set '{node.value}'"
        for module in modules
        if module.room != "datasets"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and node.value in DATASET_NAMES
        if id(node) not in _docstring_ids(module)
    ]


def _docstring_ids(module: Module) -> set[int]:
    owners = [module.tree, *(node for _, node in definitions(module))]
    firsts = [owner.body[0] for owner in owners if owner.body]
    return {id(first.value) for first in firsts if isinstance(first, ast.Expr)}


def prints(modules: list[Module]) -> list[str]:
    """Uses of ``print`` outside ``cli``."""
    return [
        f"{module.at(node)} prints"
        for module in modules
        if module.room != "cli"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name) and node.id == "print"
    ]


def densifyings(modules: list[Module]) -> list[str]:
    """Sparse matrices made dense outside ``sparse``."""
    return [
        f"{module.at(node)} uses .{node.attr}"
        for module in modules
        if module.room != "sparse"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr in DENSIFYING
    ]


def pickles(modules: list[Module]) -> list[str]:
    """Ways to run somebody's code by reading a file of theirs."""
    return [
        f"{module.at(node)} reads or writes pickles"
        for module in modules
        for node in ast.walk(module.tree)
        if _is_pickle(node)
    ]


def _is_pickle(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.split(".")[0] in PICKLING for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        takes_load = base == "torch" and any(alias.name == "load" for alias in node.names)
        return base.split(".")[0] in PICKLING or takes_load
    if isinstance(node, ast.Attribute):
        return ast.unparse(node) == "torch.load" or node.attr == "read_pickle"
    if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
        return not (isinstance(node.value, ast.Constant) and node.value.value is False)
    return False


def numbers_in(text: str) -> list[int]:
    """Read "(2)", "(7)-(9)" or "(2), (4) and (6)" as a list of numbers."""
    found: list[int] = []
    for first, last in re.findall(r"\((\d+)\)(?:\s*[-\u2013]\s*\((\d+)\))?", text):
        found += range(int(first), int(last or first) + 1)
    return found


def equation_homes(modules: list[Module]) -> dict[int, list[str]]:
    """Map each equation's number to the functions and classes that say they implement it."""
    number = r"\(\d+\)"
    claim = re.compile(
        rf"Implements Eqs?\.\s+({number}(?:\s*(?:-|\u2013|,|and|, and)\s*{number})*)"
    )
    homes: dict[int, list[str]] = {}
    for module in modules:
        for name, node in definitions(module):
            for listed in claim.findall(ast.get_docstring(node) or ""):
                for equation in numbers_in(listed):
                    homes.setdefault(equation, []).append(name)
    return homes


def homeless_equations(modules: list[Module]) -> list[str]:
    """Equations without a home, with two, or that the paper's method does not have."""
    homes = equation_homes(modules)
    missing = [f"Eq. ({n}) has no home" for n in EQUATIONS if n not in homes]
    double = [f"Eq. ({n}) has {len(h)} homes: {', '.join(h)}" for n, h in homes.items() if h[1:]]
    unknown = [
        f"Eq. ({n}) is not one of ours: {h[0]}" for n, h in homes.items() if n not in EQUATIONS
    ]
    return missing + double + unknown


Rule = Callable[[list[Module]], list[str]]
RULES: list[Rule] = [
    wrong_edges,
    dataset_names,
    prints,
    densifyings,
    pickles,
    homeless_equations,
]
