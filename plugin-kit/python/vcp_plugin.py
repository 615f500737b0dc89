"""What a plugin needs to speak to its host, in one file without dependencies (Python 3.9 or newer).

Copy it beside your program, or put its folder on sys.path; docs/plugin-guide.md shows how it is used:

    from vcp_plugin import PluginError, serve

    serve({"Greet": lambda arguments, call: {"data": {"greeting": "Hello, " + arguments["name"]}}})
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
import traceback
from datetime import datetime, timezone

__all__ = ["Call", "PluginError", "serve"]

_VERSION = "1.0"

# Seconds that handlers have to clean up once they are told to stop; the host kills the process a little later.
_CLEAN_UP_SECONDS = 0.5

# What the protocol allows of a progress report.
_STAGE_CHARACTERS = 128
_MESSAGE_CHARACTERS = 2_000

# A callback may have 16 MiB, and Base64 makes four bytes of three.
_CALLBACK_FILE_BYTES = 11 * 1024 * 1024

# Seconds that one callback may take, that pass between two reports of progress, and between two attempts.
_CALLBACK_SECONDS = 60
_PROGRESS_INTERVAL_SECONDS = 0.5
_FIRST_RETRY_SECONDS = 0.5
_LONGEST_RETRY_SECONDS = 30

# Attempts to deliver the end of a task: about five minutes, in which a host may start again.
_DELIVERY_ATTEMPTS = 15

# A call made by hand may name no deadline.
_NO_DEADLINE = datetime.max.replace(tzinfo=timezone.utc)

_SIGTERM_EXIT = 143


class PluginError(Exception):
    """A failure that you expect: raise it, and the caller gets it as the error of the result.

    `code` is a standard code (INVALID_ARGUMENT) or your own with a namespace (FILES.NOT_FOUND). `cause` is an exception
    (its type and message are told, never its traceback) or {"code", "message"}; `raise … from error` sets it too.
    """

    def __init__(self, code, message, *, target=None, details=None, retryable=False, category=None, cause=None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.target = target
        self.details = details
        self.retryable = retryable
        self.category = category
        self.cause = cause


class Call:
    """What a call brings along beside its arguments. A field that the host did not give is None.

    `deadline` is an aware datetime; `resource_dir` a directory of this call's own, for the files that it returns;
    `data_dir` the place for what the plugin keeps between calls; `cancelled` a threading.Event that is set when the
    call is cancelled or the process has to end; `task` the {"id", "callbackUrl", "token"} that the host has made for an
    asynchronous command. The token is a secret.
    """

    def __init__(self, payload, report):
        context = payload.get("context") or {}
        self.command = payload["command"]
        self.task = context.get("task")
        self.invocation_id = context.get("invocationId")
        self.request_id = context.get("requestId")
        self.tool_name = context.get("toolName")
        self.source = context.get("source")
        self.actor = context.get("actor")
        self.request_ip = context.get("requestIp")
        self.deadline = _parse_deadline(context.get("deadline"))
        self.resource_dir = context.get("resourceDir")
        self.data_dir = os.environ.get("VCP_PLUGIN_DATA_DIR")
        self.cancelled = threading.Event()
        self._report = report
        self._work = None

    def in_background(self, work):
        """For asynchronous commands: return what this returns, and the call is answered with `accepted`; then `work(call)`
        runs, and what it returns or raises is posted to the host as the end of the task. Its `progress` goes there too,
        and `cancelled` is set when the task is cancelled. Files (`localPath`) go along, 11 MiB together.
        """
        if self.task is None:
            raise PluginError(
                "INTERNAL_ERROR",
                f'the host gave "{self.command}" no task; its manifest has to say "async": true, or pluginType "asynchronous"',
            )
        self._work = work
        return {"status": "accepted", "data": {}, "task": {"id": self.task["id"], "state": "running"}}

    def progress(self, stage=None, progress=None, message=None):
        """Says how far the call has come; `progress` is a number from 0 to 1. Never fails the call."""
        try:
            known = isinstance(progress, (int, float)) and progress == progress  # NaN is not
            report = {
                "stage": None if stage is None else _cut(stage, _STAGE_CHARACTERS),
                "progress": min(1, max(0, progress)) if known else None,
                "message": None if message is None else _cut(message, _MESSAGE_CHARACTERS),
            }
        except Exception:  # an object whose __str__ raises; a report is a courtesy
            return
        self._report(report)


def serve(handlers, *, threads=32):
    """Serves the calls of the host until it has no more: one in the mode `oneshot`, up to `threads` at once in the mode
    `worker`, each on a thread of its own (the host says which mode in VCP_STDIO_MODE).

    `handlers` maps command identifiers to functions of (arguments, call); one function alone serves all commands. A
    function returns the result as a dict and may be `async`. `threads` should be no less than the manifest's
    `concurrency`: a call that finds no thread waits for one. From here on print() and whatever else writes to the
    descriptor of stdout, child processes included, ends on stderr: stdout belongs to the protocol. The process ends with
    it, so nothing should stand after it; handlers registered with atexit run.
    """
    connection = _Connection()
    try:
        if os.environ.get("VCP_STDIO_MODE") == "worker":
            _serve_worker(handlers, connection, threads)
        else:
            _serve_one(handlers, connection)
            _leave()
    except _HostFault as fault:
        print(f"vcp_plugin: {fault}", file=sys.stderr)
        sys.exit(1)


def _leave():
    """Ends the process as sys.exit() would, but without taking the interpreter apart: the host waits for this end,
    and it is most of a short call. Exit handlers run, and threads that are still at work are waited for.
    """
    if threading.active_count() > 1:
        return
    import atexit

    atexit._run_exitfuncs()
    sys.stderr.flush()
    os._exit(0)


def _serve_one(handlers, connection):
    frame = connection.read_frame()
    # The end of stdin without a frame is no fault: a process that waited in reserve is not needed any more.
    if frame is None:
        return
    if frame["vcp"] != "tool-invocation":
        raise _HostFault(f'stdin holds a "{frame["vcp"]}" frame; a tool-invocation frame is expected')
    task = _Task(frame, handlers, connection)

    try:
        _raise_on_sigterm()
        task.run()
    except _Terminated:
        task.call.cancelled.set()
        sys.exit(_SIGTERM_EXIT)


def _serve_worker(handlers, connection, threads):
    from concurrent.futures import ThreadPoolExecutor

    # The calls that are waiting or running. The threads take away from it what they have answered.
    tasks = set()
    exit_code = 0

    def run(task):
        try:
            task.run()
        finally:
            tasks.discard(task)

    pool = ThreadPoolExecutor(threads, thread_name_prefix="vcp-call")
    try:
        _raise_on_sigterm()
        while True:
            frame = connection.read_frame()
            if frame is None:
                break
            if frame["vcp"] == "tool-invocation":
                task = _Task(frame, handlers, connection)
                tasks.add(task)
                pool.submit(run, task)
            elif frame["vcp"] == "cancel":
                for task in list(tasks):
                    if task.invocation_id == frame.get("invocationId"):
                        task.call.cancelled.set()
            # Kinds of frames that a later host may send are passed over.
    except (_Terminated, KeyboardInterrupt):
        exit_code = _SIGTERM_EXIT
    except _HostFault as fault:
        print(f"vcp_plugin: {fault}", file=sys.stderr)
        exit_code = 1

    connection.close()
    for task in list(tasks):
        task.call.cancelled.set()
    pool.shutdown(wait=False, cancel_futures=True)
    end = time.monotonic() + _CLEAN_UP_SECONDS
    while tasks and time.monotonic() < end:
        time.sleep(0.01)
    sys.stderr.flush()
    # Not sys.exit(): that would wait for handlers that do not heed their call's end.
    os._exit(exit_code)


class _HostFault(Exception):
    """What came in on stdin is not a frame. Nobody can be answered, so the process ends and says why."""


class _Terminated(BaseException):
    """SIGTERM. It ends a handler where it stands, past its `except Exception`; its `finally` blocks run."""


class _Task:
    """One call on its way to an answer."""

    def __init__(self, frame, handlers, connection):
        self.invocation_id = frame.get("invocationId")
        self.call = Call(frame["payload"], self._report)
        self._payload = frame["payload"]
        self._handlers = handlers
        self._connection = connection
        self._lock = threading.Lock()
        self._is_open = True

    def run(self):
        cancelled = self.call.cancelled
        try:
            text = None if cancelled.is_set() else self._result_text()
        except _Terminated:
            raise
        except BaseException:  # an exception that cannot even be looked at; the host is owed an answer all the same
            text = _UNREADABLE
        with self._lock:
            self._is_open = False  # nothing may follow the result, from no thread of the handler's
        is_cancelled = text is None or cancelled.is_set()
        self._send("tool-result", _CANCELLED if is_cancelled else text)
        if not is_cancelled and self.call._work is not None and json.loads(text)["status"] == "accepted":
            self._finish_work(self.call._work)

    def _finish_work(self, work):
        """Does the work of a task after its call was answered, and tells the host how it ended (§10.3). A task that was
        cancelled has ended for the host, so nothing is sent.
        """
        call = self.call
        reporter = _ProgressReporter(call)
        call._report = reporter.report
        self._handlers = lambda _arguments, call: work(call)
        try:
            result = json.loads(self._result_text())
        except _Terminated:
            raise
        except BaseException:
            result = json.loads(_UNREADABLE)
        reporter.stop()
        if call.cancelled.is_set():
            return
        try:
            result = _with_files(result, call.resource_dir)
        except PluginError as error:
            result = _error_payload(error)
        except OSError as error:
            result = _error_payload(PluginError("INTERNAL_ERROR", f"a file of the result: {_message_of(error)}"))
        status, problem = _call_back(call, {"result": result}, _DELIVERY_ATTEMPTS)
        if status == 200 or call.cancelled.is_set():
            return
        print(f"vcp_plugin: the host took no end of task {call.task['id']}: {problem}", file=sys.stderr)
        if status == 422:
            # The task would wait until its time is over; its caller is better served with what was wrong.
            message = "the result of the task was refused by the host"
            error = PluginError("INVALID_TOOL_RESULT", message, details={"refused": problem})
            _call_back(call, {"result": _error_payload(error)}, _DELIVERY_ATTEMPTS)

    def _report(self, report):
        with self._lock:
            if self._is_open and not self.call.cancelled.is_set():
                self._send("progress", _to_json(report))

    def _send(self, kind, payload_text):
        name = "" if self.invocation_id is None else f',"invocationId":{json.dumps(self.invocation_id)}'
        self._connection.write(f'{{"vcp":"{kind}","version":"{_VERSION}"{name},"payload":{payload_text}}}\n')

    def _result_text(self):
        """The JSON of the payload that the call comes to: a handler that raises has an error for its result."""
        try:
            payload = self._run_handler()
            try:
                return _to_json(payload)
            except (TypeError, ValueError, RecursionError) as error:
                pointer, message = _fault_in(payload, "", ()) or ("", f"is not JSON: {error}")
                where = pointer or "(root)"
                details = {"pointer": pointer}
                raise PluginError("INVALID_TOOL_RESULT", f"the plugin's result at {where} {message}", details=details)
        except PluginError as error:
            return _to_json(_error_payload(error))
        except _Terminated:
            raise
        # CancelledError, GeneratorExit and KeyboardInterrupt too: whatever ends a handler, its call is answered.
        except BaseException as error:
            # How a cancelled handler ends is its own affair; everything else is a bug, and its stack is for the log.
            if not self.call.cancelled.is_set():
                traceback.print_exc()
            details = {"thrown": type(error).__name__}
            message = f"the plugin failed: {_message_of(error)}"
            return _to_json(_error_payload(PluginError("INTERNAL_ERROR", message, details=details)))

    def _run_handler(self):
        command = self.call.command
        try:
            result = _handler_of(self._handlers, command)(self._payload["arguments"], self.call)
            if hasattr(result, "__await__"):
                result = _run_to_end(result)
            if isinstance(result, dict):
                return {"status": "success", **result}
            raise PluginError(
                "INVALID_TOOL_RESULT",
                f'the handler of "{command}" returned a value of type {type(result).__name__}; '
                'it has to return a dict such as {"data": …}',
            )
        except PluginError as error:
            return _error_payload(error)


def _with_files(payload, directory):
    """Files that were left in the call's directory go along: who takes callbacks may be another machine."""
    import base64

    left = _CALLBACK_FILE_BYTES
    resources = []
    for resource in payload.get("resources", []):
        resource = dict(resource)
        local_path = resource.pop("localPath", None)
        if local_path is not None:
            path = os.path.join(directory or ".", local_path)
            left -= os.path.getsize(path)
            if left < 0:
                message = (
                    f"the files of the result have more than {_CALLBACK_FILE_BYTES} bytes together; "
                    "give larger ones as an address"
                )
                raise PluginError("RESOURCE_TOO_LARGE", message, details={"resource": resource.get("id")})
            with open(path, "rb") as file:
                resource["base64"] = base64.b64encode(file.read()).decode("ascii")
        resources.append(resource)
    return {**payload, "resources": resources} if resources else payload


class _ProgressReporter:
    """Sends the newest report at most every half second, one at a time. What fails is dropped."""

    def __init__(self, call):
        self._call = call
        self._newest = None
        self._changed = threading.Condition()
        self._is_stopped = False
        self._thread = None

    def report(self, report):
        with self._changed:
            if self._is_stopped or self._call.cancelled.is_set():
                return
            self._newest = report
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._send_all, daemon=True)
                self._thread.start()

    def stop(self):
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _send_all(self):
        while True:
            with self._changed:
                while self._newest is None and not self._is_stopped:
                    self._changed.wait()
                if self._is_stopped:
                    return
                report, self._newest = self._newest, None
            _call_back(self._call, {"progress": report}, 1)
            with self._changed:
                self._changed.wait_for(lambda: self._is_stopped, _PROGRESS_INTERVAL_SECONDS)


def _call_back(call, content, attempts):
    """Posts one callback and returns (HTTP status or 0, what was said). The host knows it again by its webhook-id."""
    import random
    import uuid

    task = call.task
    protocol = {"name": "vcp.tool-result-callback", "version": _VERSION}
    body = _to_json({"protocol": protocol, "taskId": task["id"], **content}).encode("utf-8")
    webhook_id = f"msg_{uuid.uuid4()}"
    attempt = 1
    while True:
        status, problem = _post_once(task, body, webhook_id)
        is_transient = status in (0, 429) or status >= 500
        if not is_transient or attempt >= attempts or call.cancelled.is_set():
            return status, problem
        longest = min(_LONGEST_RETRY_SECONDS, _FIRST_RETRY_SECONDS * 2 ** (attempt - 1))
        call.cancelled.wait(longest * (0.5 + random.random() / 2))
        attempt += 1


def _post_once(task, body, webhook_id):
    import urllib.error
    import urllib.request

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):  # the token is for this address alone
            return None

    request = urllib.request.Request(
        task["callbackUrl"],
        data=body,
        method="POST",
        headers={
            "Authorization": f"VCP-Plugin {task['token']}",
            "Content-Type": "application/json",
            "webhook-id": webhook_id,
            "webhook-timestamp": str(int(time.time())),
        },
    )
    try:
        with urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler({})).open(request, timeout=_CALLBACK_SECONDS) as answer:
            return answer.status, _cut(answer.read().decode("utf-8", "replace"), _MESSAGE_CHARACTERS)
    except urllib.error.HTTPError as error:
        text = error.read().decode("utf-8", "replace")
        return error.code, f"{error.code} {_cut(text, _MESSAGE_CHARACTERS)}"
    except Exception as error:  # refused, cut off, timed out: a host that is not there now
        return 0, _message_of(error)


class _Connection:
    """Both ends to the host, taken away from everybody else in this process and its children."""

    def __init__(self):
        self._input = os.fdopen(os.dup(0), "rb")
        self._output = os.dup(1)
        self._lock = threading.Lock()
        # A child process that reads stdin would swallow frames, and one that prints would break them.
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr

    def read_frame(self):
        """The next frame, or None at the end of stdin."""
        while True:
            line = self._input.readline()
            if not line:
                return None
            if line.strip():
                return _parse_frame(line)

    def write(self, line):
        data = memoryview(line.encode("utf-8"))
        with self._lock:
            try:
                while data and self._output is not None:
                    data = data[os.write(self._output, data) :]
            except ConnectionError:
                self._output = None  # the host has gone, and the end of stdin will tell

    def close(self):
        """Lets a line that is being written be finished, and drops what comes after it."""
        with self._lock:
            self._output = None


def _parse_frame(line):
    try:
        frame = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else "not JSON"
        raise _HostFault(f"stdin holds a line that is {reason}; a tool-invocation frame is expected") from None
    if not isinstance(frame, dict) or not isinstance(frame.get("vcp"), str) or frame.get("version") != _VERSION:
        raise _HostFault(f'stdin holds a line that is no frame with "vcp" and version "{_VERSION}"')
    if frame["vcp"] == "tool-invocation":
        payload = frame.get("payload")
        is_call = isinstance(payload, dict) and isinstance(payload.get("command"), str)
        if not is_call or not isinstance(payload.get("arguments"), dict):
            raise _HostFault(
                "the tool-invocation frame has no payload.command (string) or payload.arguments (object)"
            )
    return frame


def _refuse_constant(text):
    raise ValueError(text)


def _parse_deadline(text):
    if text is None:
        return _NO_DEADLINE
    # datetime.fromisoformat reads neither `Z` nor every number of digits before Python 3.11.
    try:
        moment, zone = (text[:-1], "+00:00") if text[-1] in "Zz" else (text[:-6], text[-6:])
        seconds, _, fraction = moment.partition(".")
        return datetime.fromisoformat(f"{seconds}.{fraction[:6]:0<6}{zone}")
    except (IndexError, TypeError, ValueError):
        raise _HostFault(f"the deadline {text!a} of a call is not an RFC 3339 time") from None


def _handler_of(handlers, command):
    if callable(handlers):
        return handlers
    if command in handlers:
        return handlers[command]
    allowed = list(handlers)
    message = f'this plugin has no command "{command}"; it has {", ".join(allowed)}'
    raise PluginError("UNKNOWN_COMMAND", message, target="command", details={"allowed": allowed})


def _run_to_end(awaitable):
    import asyncio

    async def wait():
        return await awaitable

    return asyncio.run(wait())


def _error_payload(error):
    cause = error.__cause__ if error.cause is None else error.cause
    if isinstance(cause, BaseException):
        cause = {"code": type(cause).__name__, "message": _message_of(cause)}
    stated = {
        "code": error.code,
        "message": error.message,
        "target": error.target,
        "details": error.details,
        "retryable": error.retryable,
        "category": error.category,
        "cause": cause,
    }
    return {
        "status": "error",
        "data": None,
        "error": {name: value for name, value in stated.items() if value is not None},
    }


def _message_of(error):
    try:
        return _cut(error, _MESSAGE_CHARACTERS) or "without a message"
    except Exception:  # its __str__ raises
        return "without a message that can be read"


def _cut(value, characters):
    # Lone surrogates, which UTF-8 cannot carry, become question marks.
    return str(value)[:characters].encode("utf-8", "replace").decode("utf-8")


def _to_json(value):
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text.encode("utf-8")  # raises for a lone surrogate
    return text


# What the caller reads is the host's to say; this tells the host that the call has let go.
_CANCELLED = _to_json(
    {
        "status": "cancelled",
        "data": None,
        "error": {"code": "TOOL_CANCELLED", "message": "the call was cancelled"},
    }
)


_UNREADABLE = _to_json(
    {
        "status": "error",
        "data": None,
        "error": {"code": "INTERNAL_ERROR", "message": "the plugin failed with an exception that cannot be read"},
    }
)


def _fault_in(value, pointer, above):
    """Where in a value json.dumps met what it refuses, and what that is."""
    if value is None or isinstance(value, (bool, int)):
        return None
    if isinstance(value, str):
        return (pointer, "holds a lone surrogate, which is not valid Unicode text") if _is_torn(value) else None
    if isinstance(value, float):
        return None if math.isfinite(value) else (pointer, f"is {value}, which JSON cannot carry")
    if not isinstance(value, (dict, list, tuple)):
        return pointer, f"is of type {type(value).__name__}, which JSON cannot carry"
    if id(value) in above:
        return pointer, "refers to itself, which JSON cannot carry"
    if len(above) > 500:
        return pointer, "is nested too deeply"
    for key, child in value.items() if isinstance(value, dict) else enumerate(value):
        if not isinstance(key, (str, int)) or (isinstance(key, str) and _is_torn(key)):
            return pointer, f"has the key {key!a}; keys are strings of valid Unicode text"
        step = str(key).replace("~", "~0").replace("/", "~1")
        found = _fault_in(child, f"{pointer}/{step}", (*above, id(value)))
        if found is not None:
            return found
    return None


def _is_torn(text):
    return any("\ud800" <= character <= "\udfff" for character in text)


def _raise_on_sigterm():
    def stop(_signal, _frame):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
        raise _Terminated

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, stop)
