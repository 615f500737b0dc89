"""The NDJSON frames of the stdio protocol (§11): one invocation a line in, one result a line out."""

import json

_MAX_NUMBER_CHARS = 4096


class ProtocolFault(Exception):
    """What came in on stdin is not an invocation frame."""


class Invocation:
    __slots__ = ("command", "arguments", "context", "invocation_id")

    def __init__(self, command, arguments, context, invocation_id=None):
        self.command, self.arguments, self.context = command, arguments, context
        self.invocation_id = invocation_id  # of the frame itself: only worker mode sets it


def read_invocations(stream):
    """The invocations of a stream, as they come. Its end without any is no fault: the process waited in reserve."""
    for line in iter(stream.readline, b""):
        frame = _read_frame(line) if line.strip() else None
        if frame is None or frame["vcp"] == "cancel":
            continue
        if frame["vcp"] != "tool-invocation":
            raise ProtocolFault("the frame is not a tool-invocation 1.0")
        payload = frame.get("payload")
        if not isinstance(payload, dict) or not isinstance(payload.get("arguments"), dict):
            raise ProtocolFault("the payload has no arguments object")
        yield Invocation(payload.get("command"), payload["arguments"], payload.get("context"), frame.get("invocationId"))


def _read_frame(line):
    try:
        # Fractions stay text, so that the 0.1 of a variable is the exact 0.1 of an expression.
        frame = json.loads(line, parse_int=_integer, parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as fault:
        raise ProtocolFault(f"stdin is not one JSON frame: {type(fault).__name__}") from None
    if not isinstance(frame, dict) or not isinstance(frame.get("vcp"), str) or frame.get("version") != "1.0":
        raise ProtocolFault("the line is not a frame of version 1.0")
    return frame


def write_result(stream, payload, invocation_id=None):
    frame = {"vcp": "tool-result", "version": "1.0", "payload": payload}
    if invocation_id is not None:
        frame["invocationId"] = invocation_id
    stream.write(json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8") + b"\n")
    stream.flush()


def _integer(text):
    return int(text) if len(text) <= _MAX_NUMBER_CHARS else text  # as text it meets the limit of expressions


def _refuse_constant(text):
    raise ValueError(text)
