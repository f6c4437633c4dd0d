"""`dataclass`, made at a tenth of the standard library's price: a start makes more than a hundred of them.

Up to Python 3.12 the library compiles half a dozen methods for each class as it is defined, a millisecond or more,
most of it for classes that a start never makes anything of. Here all classes share these methods, and `__init__` is
compiled when the first object is made. What comes out is the same: `replace`, `fields` and `match` take it for a
dataclass, and to type checkers it is one. Whatever is out of the ordinary is left to the library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from inspect import get_annotations
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """As `dataclasses.dataclass`: `@dataclass(frozen=True, slots=True)`."""

        def make(made: type) -> type:
            fields = _fields(made) if options.get("slots") and not options.keys() - {"frozen", "slots"} else None
            if fields is None:
                return dataclasses.dataclass(**options)(made)
            return _record(made, fields, frozen=bool(options.get("frozen")))

        return make if cls is None else make(cls)


_REST = ("__dict__", "__weakref__")


def _fields(cls: type) -> dict[str, Any] | None:
    """The defaults of the fields by name, `MISSING` for none, `Field` for factories; None for no plain record."""
    fields: dict[str, Any] = {}
    for base in cls.__bases__:
        known = getattr(base, "__record__", None)
        if known is None and dataclasses.is_dataclass(base):
            return None
        fields |= known or {}
    for name, kind in get_annotations(cls).items():
        if not isinstance(kind, str) or kind.startswith(("InitVar", "KW_ONLY", "dataclasses.")):
            return None
        if kind.startswith(("ClassVar", "typing.ClassVar")):
            continue
        default = cls.__dict__.get(name, dataclasses.MISSING)
        if isinstance(default, dataclasses.Field) and not _plain(default):
            return None
        fields[name] = default
    return fields


def _plain(field: dataclasses.Field[Any]) -> bool:
    """Whether it only says how its value is made."""
    return field.init and field.repr and field.compare and field.hash is None and field.kw_only is not True


def _record(cls: type, fields: Mapping[str, Any], *, frozen: bool) -> type:
    own = cls.__dict__
    inherited = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
    body = {name: value for name, value in own.items() if name not in fields and name not in _REST}
    body["__slots__"] = tuple(name for name in get_annotations(cls) if name in fields and name not in inherited)
    body["__match_args__"] = own.get("__match_args__", tuple(fields))
    body["__record__"] = fields
    body["__values__"] = attrgetter(*fields) if len(fields) > 1 else lambda one: tuple(getattr(one, f) for f in fields)
    body["__dataclass_fields__"] = _Described()
    body.setdefault("__init__", _unmade)
    body.setdefault("__repr__", _repr)
    if "__eq__" not in own:
        body["__eq__"] = _eq
        body.setdefault("__hash__", _hash if frozen else None)
    if frozen:
        body |= {"__setattr__": _refuse, "__delattr__": _refuse, "__getstate__": _getstate, "__setstate__": _setstate}
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


class _Described:
    """The fields as the library describes them, looked up when somebody first asks for them."""

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        body = {"__annotations__": dict.fromkeys(owner.__record__, "object")}  # type: ignore[attr-defined]
        body |= {name: value for name, value in owner.__record__.items() if value is not dataclasses.MISSING}  # type: ignore[attr-defined]
        described: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(type(owner.__name__, (), body))
        found: dict[str, Any] = described.__dataclass_fields__
        owner.__dataclass_fields__ = found  # type: ignore[attr-defined]
        return found


def _unmade(self: Any, *values: Any, **named: Any) -> None:
    """The first object of a class: compile how they are made, then make it."""
    cls: Any = next(each for each in type(self).__mro__ if "__record__" in each.__dict__)
    cls.__init__ = _compiled(cls)
    cls.__init__(self, *values, **named)


def _compiled(cls: Any) -> Callable[..., None]:
    known: dict[str, Any] = {"_made": object()}
    signature, lines = [], []
    for name, default in cls.__record__.items():
        known[f"_set_{name}"] = getattr(cls, name).__set__
        value = name
        if default is dataclasses.MISSING:
            signature.append(name)
        elif isinstance(default, dataclasses.Field) and default.default_factory is not dataclasses.MISSING:
            known[f"_new_{name}"] = default.default_factory
            signature.append(f"{name}=_made")
            value = f"_new_{name}() if {name} is _made else {name}"
        else:
            known[f"_is_{name}"] = default.default if isinstance(default, dataclasses.Field) else default
            signature.append(f"{name}=_is_{name}")
        lines.append(f" _set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    source = f"def __init__(self, {', '.join(signature)}):\n" + ("\n".join(lines) or " pass")
    exec(source, known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__module__ = cls.__module__
    return made


def _eq(self: Any, other: object) -> Any:
    values = self.__class__.__values__
    return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(self.__class__.__values__(self))


def _repr(self: Any) -> str:
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__record__)
    return f"{self.__class__.__qualname__}({inside})"


def _refuse(self: object, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return list(self.__class__.__values__(self))


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__record__, state, strict=True):
        object.__setattr__(self, name, value)
