"""Frozen values that are made in a third of the time.

What a frozen dataclass generates sets each field through `object.__setattr__`: 2.4 us for the 22
of a table's state, of which every line of a log makes one. A value whose class is `quick` is set
while it is of a twin class, which has the same slots and is not frozen, and becomes one of its own
before anybody sees it: 0.6 us. From four fields on this is quicker, and nothing else is changed.

What an act makes, and what a hand is made of, is made by a function of `maker`, which begins with
the twin: that spares half of the rest. `replace` does what that of `dataclasses` does, in a fifth
of the time.
"""

from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """Give a frozen slotted dataclass a quick `__init__`, of the same parameters.

    TypeError for one whose fields are not all plain parameters, in their order.
    """
    _require_plain(cls)
    cls.__init__ = _setter("__init__", cls, "set_on_frozen(self, '__class__', twin)")  # type: ignore[method-assign]  # of the same parameters
    return cls


def maker(cls: Callable[P, T]) -> Callable[P, T]:
    """Give a function that makes the same as calling a frozen slotted dataclass, in half the time.

    TypeError as of `quick`.
    """
    _require_plain(cls)
    return cast("Callable[P, T]", _setter("make", cls, "self = twin()"))


if TYPE_CHECKING:
    from dataclasses import replace as replace  # noqa: PLC0414 - of the same types
else:

    def replace(value: T, /, **changes: object) -> T:
        """Give the same frozen slotted dataclass with other values in some of its fields.

        TypeError as of `quick`, AttributeError for what is none of its fields.
        """
        return _copier(value.__class__)(value, changes)


@cache
def _copier(cls: Any) -> Any:  # noqa: ANN401 - as below
    """Write the function that copies a value and changes the copy before it freezes it."""
    _require_plain(cls)
    names = [one.name for one in fields(cls)]
    lines = [
        "def copy(value, changes):",
        "self = twin()",
        *(f"self.{name} = value.{name}" for name in names),
        "for name in changes: setattr(self, name, changes[name])",
        "self.__class__ = frozen",
        "return self",
    ]
    return _written("copy", cls, lines)


def _require_plain(cls: Any) -> None:  # noqa: ANN401 - what is no dataclass is a TypeError here
    own = fields(cls)
    names = tuple([one.name for one in own])
    plain = all(one.init and not one.kw_only and one.default_factory is MISSING for one in own)
    if not plain or vars(cls).get("__slots__") != names or hasattr(cls, "__post_init__"):
        message = f"{cls.__name__} has other fields than slots that are plain parameters"
        raise TypeError(message)


def _setter(name: str, cls: Any, begin: str) -> Any:  # noqa: ANN401 - as above
    """Write the function that sets every field of a twin, and then freezes it."""
    names = [one.name for one in fields(cls)]
    is_method = name == "__init__"
    lines = [
        f"def {name}({', '.join(['self', *names] if is_method else names)}):",
        begin,
        *(f"self.{name} = {name}" for name in names),
        "self.__class__ = frozen",
        *([] if is_method else ["return self"]),
    ]
    made, generated = _written(name, cls, lines), cls.__init__
    made.__defaults__ = generated.__defaults__
    made.__annotations__ = generated.__annotations__
    made.__qualname__ = generated.__qualname__ if is_method else f"make {cls.__qualname__}"
    made.__module__ = cls.__module__
    return made


def _written(name: str, cls: Any, lines: list[str]) -> Any:  # noqa: ANN401 - as above
    """Compile a function of these lines, all of it but the first indented, for a class."""
    space: dict[str, Any] = {
        "frozen": cls,
        "twin": type(cls.__name__, (), {"__slots__": cls.__slots__}),
        "set_on_frozen": object.__setattr__,
    }
    exec("\n ".join(lines), space)  # noqa: S102 - of names of fields alone, as dataclasses do it
    return space[name]
