"""The real process: one frame in, one frame out."""

import json
import os
import subprocess
import unittest

_PLUGIN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(line):
    return subprocess.run(["python3", "-I", "-S", "main.py"], input=line, capture_output=True, cwd=_PLUGIN, timeout=10)


def frame(arguments, command="Evaluate", **extra):
    payload = {"command": command, "arguments": arguments, "context": {"invocationId": "ti_1", "source": "human", "actor": None}}
    return json.dumps({"vcp": "tool-invocation", "version": "1.0", "payload": payload, **extra}).encode() + b"\n"


class Process(unittest.TestCase):
    def answer(self, line):
        done = run(line)
        self.assertEqual((0, b""), (done.returncode, done.stderr))
        self.assertEqual(1, done.stdout.count(b"\n"))
        self.assertTrue(done.stdout.endswith(b"\n"))
        return json.loads(done.stdout.decode("utf-8"), parse_constant=self.fail)

    def test_success_frame(self):
        answered = self.answer(frame({"expression": "√16 × 2"}))
        self.assertEqual({"vcp", "version", "payload"}, set(answered))
        self.assertEqual(("tool-result", "1.0"), (answered["vcp"], answered["version"]))
        self.assertEqual(
            {"status", "data", "resources", "warnings", "presentation", "aiAdvice", "extensions"}, set(answered["payload"])
        )
        self.assertEqual(
            {"expression": "√16 × 2", "kind": "integer", "value": 8, "exact": True, "text": "8"}, answered["payload"]["data"]
        )
        self.assertEqual("√16 × 2 = 8", answered["payload"]["presentation"]["summary"])

    def test_error_frame(self):
        payload = self.answer(frame({"expression": "1/0"}))["payload"]
        self.assertEqual({"status", "data", "error", "resources", "warnings", "extensions"}, set(payload))
        self.assertEqual(("error", None, "SCI.DIVISION_BY_ZERO"), (payload["status"], payload["data"], payload["error"]["code"]))
        self.assertEqual({"code", "message", "retryable", "target", "details"}, set(payload["error"]))

    def test_the_decimals_of_json_variables_are_exact(self):
        line = frame({"expression": "x + y + n", "variables": {"x": 0.1, "y": 0.2, "n": -3}, "precision": 5})
        self.assertEqual("-2.7", self.answer(line)["payload"]["data"]["text"])

    def test_ten_thousand_digits_pass(self):
        self.assertEqual(10000, len(self.answer(frame({"expression": "10^9999"}))["payload"]["data"]["value"]))
        line = frame({"expression": "x", "variables": {"x": 0}}).replace(b'"x": 0', b'"x": ' + b"9" * 100_000)
        self.assertEqual("SCI.LIMIT_EXCEEDED", self.answer(line)["payload"]["error"]["code"])

    def test_wrong_arguments(self):
        for arguments, code, target in (
            ({}, "MISSING_ARGUMENT", "expression"), ({"expression": 3}, "INVALID_ARGUMENT", "expression"),
            ({"expression": "1", "x": 1}, "INVALID_ARGUMENT", "x"), ({"expression": "1", "variables": []},
            "INVALID_ARGUMENT", "variables"),
            ({"expression": "1", "variables": {"a": True}}, "INVALID_ARGUMENT", "variables.a"), ({"expression": "1",
            "precision": 0}, "INVALID_ARGUMENT", "precision"),
        ):  # fmt: skip
            error = self.answer(frame(arguments))["payload"]["error"]
            self.assertEqual((code, target), (error["code"], error["target"]))
        self.assertEqual("UNKNOWN_COMMAND", self.answer(frame({"expression": "1"}, "Guess"))["payload"]["error"]["code"])

    def test_lone_surrogates_do_not_break_the_frame(self):
        answered = self.answer(frame({"expression": "1 + \ud800"}))
        self.assertEqual("INVALID_ARGUMENT", answered["payload"]["error"]["code"])

    def test_frame_of_a_worker_is_answered_with_its_id(self):
        self.assertEqual("ti_9", self.answer(frame({"expression": "1"}, invocationId="ti_9"))["invocationId"])

    def test_anything_but_a_frame_ends_without_one(self):
        for line in (b"", b"\n", b"{}\n", b"[]\n", b"\xff\n", b"hello\n", b'{"vcp":"tool-invocation","version":"2.0"}\n',
        b"[" * 100_000):
            done = run(line)
            self.assertEqual((2, b""), (done.returncode, done.stdout))
            self.assertIn(b"SciCalculator: ", done.stderr)


class ContractCases(unittest.TestCase):
    def test_hold_in_the_real_process(self):
        with open(os.path.join(_PLUGIN, "contract-cases.json"), encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        for case in cases:
            with self.subTest(case["name"]):
                payload = json.loads(run(frame(case["arguments"])).stdout)["payload"]
                expected = case["expect"]
                self.assertEqual(expected["status"], payload["status"])
                if expected["status"] == "error":
                    error = payload["error"]
                    self.assertEqual((expected["errorCode"], expected["target"]), (error["code"], error["target"]))
                else:
                    self._assert_matches(expected["data"], payload["data"])

    def _assert_matches(self, expected, found):
        if isinstance(expected, dict):
            for key, value in expected.items():
                self._assert_matches(value, found[key])
        elif isinstance(expected, list):
            self.assertEqual(len(expected), len(found))
            for pair in zip(expected, found):
                self._assert_matches(*pair)
        else:
            self.assertEqual(expected, found)
