"""Runs a plugin's tests like `python -m unittest discover -s tests` in its folder, and writes the totals as JSON.

usage: run_unittest.py <plugin folder> <report file>
"""

import json
import os
import sys
import unittest


class CountingResult(unittest.TextTestResult):
    """Counts what passed: testsRun - failures - errors is wrong with subtests and failing fixtures."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.passed += 1


folder, report = map(os.path.abspath, sys.argv[1:3])
os.chdir(folder)
sys.path[0] = folder
suite = unittest.defaultTestLoader.discover("tests")
result = unittest.TextTestRunner(stream=sys.stderr, resultclass=CountingResult).run(suite)
failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
with open(report, "w", encoding="utf-8") as file:
    skipped = [f"{test}: {reason}" for test, reason in result.skipped]
    json.dump({"passed": result.passed, "failed": failed, "skipped": len(skipped), "skippedNames": skipped}, file)
sys.exit(0 if failed == 0 else 1)
