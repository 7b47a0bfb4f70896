"""Values that are made quickly are frozen dataclasses like any other."""

import dataclasses
from dataclasses import FrozenInstanceError, dataclass, field

import pytest

from dealer_service.quick import maker, quick, replace


@quick
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int
    name: str = "here"


def test_one_is_equal_hashed_shown_and_replaced_as_a_dataclass() -> None:
    made = Point(1, y=2)
    assert made == Point(1, 2, "here") != Point(1, 3)
    assert hash(made) == hash(Point(1, 2))
    assert repr(made).endswith("Point(x=1, y=2, name='here')")
    assert type(dataclasses.replace(made, x=5)) is Point
    assert dataclasses.replace(made, x=5) == Point(5, 2)


def test_nothing_of_one_can_be_set() -> None:
    made = Point(1, 2)
    with pytest.raises(FrozenInstanceError):
        made.x = 2  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        made.other = 2  # type: ignore[attr-defined]


def test_what_has_more_than_plain_fields_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Fresh:
        seen: list[int] = field(default_factory=list)

    @dataclass(frozen=True)
    class Loose:
        x: int

    for cls in (Fresh, Loose):
        for refuse in (quick, maker):
            with pytest.raises(TypeError, match="has other fields than slots"):
                refuse(cls)


def test_a_maker_makes_the_same_as_calling_the_class() -> None:
    @dataclass(frozen=True, slots=True)
    class Plain:
        x: int
        name: str = "here"

    assert maker(Plain)(1) == Plain(1, "here")
    assert maker(Point)(1, y=2) == Point(1, 2)
    with pytest.raises(FrozenInstanceError):
        maker(Point)(1, 2).x = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        maker(Point)(1)  # type: ignore[call-arg]


def test_replacing_makes_another_value_and_leaves_the_first() -> None:
    made = Point(1, 2)
    other = replace(made, y=5, name="there")
    assert (made, other) == (Point(1, 2), Point(1, 5, "there"))
    with pytest.raises(FrozenInstanceError):
        other.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        replace(made, z=5)  # type: ignore[call-arg]
    assert replace(made) == made
