"""Reading JSON into dataclasses, with errors that say which field is wrong."""

from __future__ import annotations

import types
import typing
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


class SchemaError(ValueError):
    """The JSON is not what the endpoint takes."""


def parse(kind: type[T], data: Any, where: str = "body") -> T:
    """An instance of the dataclass `kind` from a JSON object."""
    if not isinstance(data, dict):
        raise SchemaError(f"{where}: expected an object")
    hints = typing.get_type_hints(kind)
    known = {field.name for field in fields(kind)}
    unknown = sorted(set(data) - known)
    if unknown:
        raise SchemaError(f"{where}.{unknown[0]}: unknown field")
    values = {}
    for field in fields(kind):
        path = f"{where}.{field.name}"
        if field.name in data:
            values[field.name] = _value(hints[field.name], data[field.name], path)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise SchemaError(f"{path}: missing")
    return kind(**values)


def _value(hint: Any, value: Any, where: str) -> Any:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _value(next(arg for arg in args if arg is not type(None)), value, where)
    if origin is list:
        if not isinstance(value, list):
            raise SchemaError(f"{where}: expected a list")
        return [_value(args[0], item, f"{where}[{n}]") for n, item in enumerate(value)]
    if origin is dict:
        if not isinstance(value, dict):
            raise SchemaError(f"{where}: expected an object")
        return {key: _value(args[1], item, f"{where}.{key}") for key, item in value.items()}
    if is_dataclass(hint):
        return parse(hint, value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or isinstance(value, bool) is not (hint is bool):
        raise SchemaError(f"{where}: expected {hint.__name__}")
    return value
