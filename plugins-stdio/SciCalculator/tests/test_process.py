"""The real process in both of its modes: one frame in and one out, or any number of them."""

import json
import os
import subprocess
import unittest

_PLUGIN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(lines, mode="oneshot"):
    return subprocess.run(
        ["python3", "-I", "-S", "main.py"],
        input=lines,
        capture_output=True,
        cwd=_PLUGIN,
        env={**os.environ, "VCP_STDIO_MODE": mode},
        timeout=60,
    )


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
        for line in (b"{}\n", b"[]\n", b"\xff\n", b"hello\n", b'{"vcp":"tool-invocation","version":"2.0"}\n',
        b"[" * 100_000):
            done = run(line)
            self.assertEqual((2, b""), (done.returncode, done.stdout))
            self.assertIn(b"SciCalculator: ", done.stderr)

    def test_nothing_at_all_is_a_process_that_was_not_needed(self):
        for mode in ("oneshot", "worker"):
            for lines in (b"", b"\n"):
                done = run(lines, mode)
                self.assertEqual((0, b"", b""), (done.returncode, done.stdout, done.stderr))

    def test_only_the_first_frame_counts_outside_worker_mode(self):
        self.answer(frame({"expression": "1"}) * 2)


class Worker(unittest.TestCase):
    def start(self):
        process = subprocess.Popen(
            ["python3", "-I", "-S", "main.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_PLUGIN,
            env={**os.environ, "VCP_STDIO_MODE": "worker"},
        )

        def end():
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()

        self.addCleanup(end)
        return process

    def ask(self, process, lines, count):
        process.stdin.write(lines)
        process.stdin.flush()
        return [json.loads(process.stdout.readline()) for _ in range(count)]

    def test_answers_call_after_call_with_their_ids(self):
        process = self.start()
        for number in range(3):
            line = frame({"expression": f"{number}!"}, invocationId=f"ti_{number}")
            [answered] = self.ask(process, line, 1)
            self.assertEqual(f"ti_{number}", answered["invocationId"])
            self.assertEqual(f"{number}! = {(1, 1, 2)[number]}", answered["payload"]["presentation"]["summary"])
        lines = b"".join(frame({"expression": f"{number} km"}, invocationId=f"ti_{number}") for number in range(100))
        answered = self.ask(process, lines, 100)
        self.assertEqual([f"ti_{number}" for number in range(100)], [one["invocationId"] for one in answered])
        rest, _ = process.communicate(timeout=60)  # closes stdin
        self.assertEqual((0, b""), (process.returncode, rest))

    def test_every_call_has_its_own_budget_and_depth(self):
        process = self.start()
        costly = "+".join(["3^20000"] * 400)
        deep = {**{f"x{n}": "-" * 90 + f"x{n + 1}" for n in range(60)}, "x60": "1"}
        for _ in range(3):
            lines = frame({"expression": costly}) + frame({"expression": "x0", "variables": deep}) + frame({"expression": "1+1"})
            too_much, too_deep, fine = (one["payload"] for one in self.ask(process, lines, 3))
            self.assertEqual("SCI.LIMIT_EXCEEDED", too_much["error"]["code"])
            self.assertEqual("SCI.LIMIT_EXCEEDED", too_deep["error"]["code"])
            self.assertEqual(2, fine["data"]["value"])
            self.assertEqual([], fine["warnings"])

    def test_one_call_leaves_nothing_for_the_next(self):
        process = self.start()
        lines = frame({"expression": "log(x)", "variables": {"x": 1}}) + frame({"expression": "x"}) + frame({"expression": "2"})
        warned, unknown, plain = (one["payload"] for one in self.ask(process, lines, 3))
        self.assertEqual("SCI.NATURAL_LOG", warned["warnings"][0]["code"])
        self.assertEqual("SCI.UNKNOWN_NAME", unknown["error"]["code"])
        self.assertEqual([], plain["warnings"])

    def test_a_cancel_frame_comes_too_late_and_harms_nothing(self):
        process = self.start()
        cancel = b'{"vcp":"cancel","version":"1.0","invocationId":"ti_1"}\n'
        lines = frame({"expression": "1"}, invocationId="ti_1") + cancel + frame({"expression": "2"}, invocationId="ti_2")
        self.assertEqual(["ti_1", "ti_2"], [one["invocationId"] for one in self.ask(process, lines, 2)])

    def test_a_line_that_is_no_frame_ends_it(self):
        done = run(frame({"expression": "1"}) + b"hello\n" + frame({"expression": "2"}), "worker")
        self.assertEqual((2, 1), (done.returncode, done.stdout.count(b"\n")))
        self.assertIn(b"SciCalculator: ", done.stderr)


def _contract_cases():
    with open(os.path.join(_PLUGIN, "contract-cases.json"), encoding="utf-8") as file:
        return json.load(file)["cases"]


class ContractCases(unittest.TestCase):
    def test_both_modes_answer_alike(self):
        lines = [frame(case["arguments"]) for case in _contract_cases()]
        done = run(b"".join(lines), "worker")
        self.assertEqual((0, b""), (done.returncode, done.stderr))
        self.assertEqual([run(line).stdout for line in lines], done.stdout.splitlines(keepends=True))

    def test_hold_in_the_real_process(self):
        for case in _contract_cases():
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
