"""Schemas: what parameters and results are, as JSON Schema, and the check of a value against one.

Only the words that the table of methods uses are known here: ``type`` (with a list of types), ``enum``,
``minimum``, ``maximum``, ``exclusiveMinimum``, ``minLength``, ``maxLength``, ``minItems``, ``pattern``, ``items``,
``properties``, ``required``, ``additionalProperties``, ``anyOf``, ``contentEncoding`` and ``description``.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any, Dict, Mapping, Optional

Schema = Dict[str, Any]

STRING: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
NULL: Schema = {"type": "null"}
BASE64: Schema = {"type": "string", "contentEncoding": "base64"}
COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": 1_000_000}
SIZE: Schema = {"type": "integer", "minimum": 0, "maximum": 1 << 62}
STRINGS: Schema = {"type": "array", "items": STRING}
STRING_MAP: Schema = {"type": "object", "additionalProperties": STRING}
ENCODING: Schema = {"type": "string", "enum": ["utf-8", "base64"]}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, NULL]}


def record(fields: Mapping[str, Schema], optional: Mapping[str, Schema] = {}) -> Schema:  # it is only read
    """An object with these fields and no other."""
    return {
        "type": "object",
        "properties": {**fields, **optional},
        "required": list(fields),
        "additionalProperties": False,
    }


def listed(schema: Schema) -> Schema:
    """An array of such."""
    return {"type": "array", "items": schema}


class Unfit(ValueError):
    """A value that a schema does not allow; the text says where and why."""


_TYPES: Dict[str, Any] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
    "array": list,
    "object": dict,
}


def check(schema: Schema, value: Any, name: str) -> None:
    """Raise Unfit unless the value is what the schema says."""
    if "anyOf" in schema:
        _check_any(schema["anyOf"], value, name)
        return
    wanted = schema.get("type")
    if wanted is not None and not _is(wanted, value):
        raise Unfit(f"{name}: {described(schema)} is needed, not {_kind(value)}")
    if "enum" in schema and value not in schema["enum"]:
        raise Unfit(f"{name}: one of {', '.join(map(str, schema['enum']))} is needed, not {_shown(value)}")
    if isinstance(value, str):
        _check_text(schema, value, name)
    elif isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            raise Unfit(f"{name}: at least {schema['minItems']} is needed")
        for i, item in enumerate(value):
            check(schema.get("items", {}), item, f"{name}[{i}]")
    elif isinstance(value, dict):
        _check_fields(schema, value, name)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        _check_number(schema, value, name)


def _check_any(schemas: Any, value: Any, name: str) -> None:
    said: Optional[Unfit] = None
    for one in schemas:
        try:
            check(one, value, name)
            return
        except Unfit as error:
            # what is of the right type says best what is wrong with it
            if said is None or ("type" in one and _is(one["type"], value)):
                said = error
    if said is None or not any("type" in one and _is(one["type"], value) for one in schemas):
        said = Unfit(f"{name}: {described({'anyOf': schemas})} is needed, not {_kind(value)}")
    raise said


def _is(wanted: str, value: Any) -> bool:
    if isinstance(value, bool) and wanted != "boolean":
        return False
    return isinstance(value, _TYPES[wanted])


def _check_text(schema: Schema, value: str, name: str) -> None:
    if len(value) < schema.get("minLength", 0):
        raise Unfit(f"{name}: it is empty")
    if len(value) > schema.get("maxLength", len(value)):
        raise Unfit(f"{name}: {len(value)} characters, more than {schema['maxLength']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise Unfit(f"{name}: {_shown(value)} does not match {schema['pattern']}")
    if "contentEncoding" in schema:
        decoded(value, name)
    elif not value.isascii():
        encoded(value, name)


def _check_number(schema: Schema, value: float, name: str) -> None:
    if value < schema.get("minimum", value):
        raise Unfit(f"{name}: {value} is less than {schema['minimum']}")
    if value > schema.get("maximum", value):
        raise Unfit(f"{name}: {value} is more than {schema['maximum']}")
    if "exclusiveMinimum" in schema and not value > schema["exclusiveMinimum"]:
        raise Unfit(f"{name}: {value} is not more than {schema['exclusiveMinimum']}")


def _check_fields(schema: Schema, value: Mapping[str, Any], name: str) -> None:
    properties = schema.get("properties", {})
    for field in schema.get("required", ()):
        if field not in value:
            raise Unfit(f"{name}.{field} is missing")
    more = schema.get("additionalProperties", True)
    for field, content in value.items():
        if field in properties:
            check(properties[field], content, f"{name}.{field}")
        elif more is False:
            raise Unfit(f"{name}: there is no {_shown(field)}")
        elif more is not True:
            encoded(field, name)
            check(more, content, f"{name}[{_shown(field)}]")


def encoded(text: str, name: str) -> bytes:
    """A text of the wire as bytes: UTF-8, and U+DC80 to U+DCFF stand for single bytes that are not."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise Unfit(f"{name}: character {error.start} is half of a surrogate pair") from None


def decoded(text: str, name: str) -> bytes:
    """The bytes of a base64 text."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unfit(f"{name}: it is not base64") from None


def described(schema: Schema) -> str:
    """A schema in a few words: ``string``, ``array of string``, ``base64 or null``."""
    if "anyOf" in schema:
        return " or ".join(described(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if "contentEncoding" in schema:
        return "base64"
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"array of {described(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {described(schema['additionalProperties'])}"
    if kind in ("integer", "number"):
        return kind + _bounds(schema)
    return kind


def _bounds(schema: Schema) -> str:
    if "exclusiveMinimum" in schema:
        return f" > {schema['exclusiveMinimum']}"
    return f" ≥ {schema['minimum']}" if "minimum" in schema else ""


def _kind(value: Any) -> str:
    for kind in ("null", "boolean", "string", "integer", "number", "array", "object"):
        if _is(kind, value):
            return kind
    return type(value).__name__


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
