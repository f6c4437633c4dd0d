"""Our dataclasses are what the standard library's are: every promise is put to both."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from hermes_tui.model import record


def _made(dataclass: Any) -> tuple[Any, Any, Any]:
    @dataclass(frozen=True, slots=True)
    class Place:
        """A place."""

        name: str
        size: int = 3
        parts: list[str] = dataclasses.field(default_factory=list)
        KINDS: ClassVar[int] = 2

        def double(self) -> int:
            return self.size * 2

    @dataclass(frozen=True, slots=True)
    class City(Place):
        mayor: str | None = None

    @dataclass(slots=True)
    class Count:
        number: int = 0
        doubled: int = 0

        def __post_init__(self) -> None:
            self.doubled = self.number * 2

    return Place, City, Count


@pytest.fixture(params=[record.dataclass, dataclasses.dataclass], ids=["ours", "theirs"])
def classes(request: pytest.FixtureRequest) -> tuple[Any, Any, Any]:
    return _made(request.param)


def test_objects_are_made_told_apart_and_shown(classes: tuple[Any, Any, Any]) -> None:
    place, city, count = classes
    one = place("x", parts=["a"])
    assert (one.name, one.size, one.parts, one.double(), place.KINDS) == ("x", 3, ["a"], 6, 2)
    assert one == place("x", 3, ["a"])
    assert one != place("y", 3, ["a"])
    assert one != city("x", 3, ["a"])
    assert place("x").parts is not place("x").parts
    assert repr(one).endswith("Place(name='x', size=3, parts=['a'])")
    assert repr(city("x", mayor="m")).endswith("City(name='x', size=3, parts=[], mayor='m')")
    assert (count(4).doubled, count().number) == (8, 0)
    assert hash(dataclasses.replace(one, parts=())) == hash(place("x", 3, ()))
    with pytest.raises(TypeError):
        hash(count(1))


@pytest.mark.parametrize(
    "wrong", [lambda made: made(), lambda made: made("x", 1, [], 4), lambda made: made("x", nothing=1)]
)
def test_wrong_arguments_are_refused(classes: tuple[Any, Any, Any], wrong: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError):
        wrong(classes[0])


def test_nothing_is_changed_or_added(classes: tuple[Any, Any, Any]) -> None:
    place, city, count = classes
    for one in (place("x"), city("x")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.name = "y"
        with pytest.raises(dataclasses.FrozenInstanceError):
            del one.name
        assert not hasattr(one, "__dict__")
    counted = count(1)
    counted.number = 5
    assert counted.number == 5
    with pytest.raises(AttributeError):
        counted.other = 1


def test_the_library_takes_them_for_its_own(classes: tuple[Any, Any, Any]) -> None:
    place, city, count = classes
    assert [each.name for each in dataclasses.fields(place)] == ["name", "size", "parts"]
    assert [each.name for each in dataclasses.fields(city("x"))] == ["name", "size", "parts", "mayor"]
    assert all(map(dataclasses.is_dataclass, classes))
    assert dataclasses.replace(city("x", 4), mayor="m") == city("x", 4, [], "m")
    assert dataclasses.asdict(count(2)) == {"number": 2, "doubled": 4}
    assert copy.deepcopy(place("x", parts=["a"])) == place("x", parts=["a"])
    match city("x", 9):
        case place(name, size):
            assert (name, size) == ("x", 9)
        case _:
            pytest.fail("it is a place")


@record.dataclass(frozen=True, slots=True)
class Packed:
    name: str
    size: int = 1


def test_they_survive_a_pickle() -> None:
    assert pickle.loads(pickle.dumps(Packed("x", 2))) == Packed("x", 2)


def test_what_is_out_of_the_ordinary_is_left_to_the_library() -> None:
    @record.dataclass(frozen=True, order=True)
    class Ordered:
        number: int

    assert Ordered(1) < Ordered(2)
    assert Ordered.__init__.__module__ == __name__
