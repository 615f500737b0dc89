import time

from support import CalculatorTest, payload

_BIG = {
    "a": "10^9999-1", "b": "7^9000", "f": "3^9000/7^8000", "g": "7^8001/11^6000+1", "B": "eye(64)*(10^9998)", "T": "eye(64)/7",
}  # fmt: skip


class Limits(CalculatorTest):
    def test_refused_by_limit(self):
        for name, expression in {
            "length": "1+" * 2048 + "1", "brackets": "(" * 101 + "1" + ")" * 101, "half-open": "(" * 4000,
            "lists": "[" * 1000, "signs": "-" * 4000 + "1",
            "right-hand powers": "2^" * 2000 + "1", "calls": "sin(" * 500 + "1", "roots": "√" * 4000 + "4",
            "power": "9^9^9", "tower": "2^(2^(2^(2^(2^2))))",
            "float-free tower": "10^10^10", "negative power": "2^-(10^9)", "factorials": "3!!!!", "factorial": "100000!",
            "huge factorial": "(10^9000)!",
            "product": "*".join(["10^2500"] * 5), "sum": "9*10^9999 + 9*10^9999 + a*10", "comb": "comb(10^15, 10^14)",
            "huge comb": "comb(10^9999, 2)",
            "perm": "perm(10^9, 10^8)", "superscript": "2" + "⁹" * 3000, "lcm": "lcm(a, a-1, b)", "round": "round(1.5, 10^9)",
            "matrix": "eye(65)", "matrix growth": "(eye(64)*2)^30000", "matrix power": "[[1,1],[1,0]]^(10^9000)",
            "big determinant": "det(B)", "big inverse": "inv(B)",
            "output": "transpose([%s])*[[%s]]*(10^9000)" % (",".join("1" * 64), ",".join("1" * 64)),
            "combs": "+".join(["comb(33000,16500)"] * 200), "factorial work": "+".join(["3200!"] * 500),
            "remainders": "+".join(["a%b"] * 900),
            "powers": "+".join(["3^20000"] * 400), "fractions": "+".join(["f*g"] * 800), "gcds": "+".join(["gcd(a,b)"] * 400),
            "matrix products": "*".join(["eye(64)"] * 400), "rational products": "T^100000",
            "logarithms": "+".join(["log10(a)"] * 400),
        }.items():  # fmt: skip
            with self.subTest(name):
                self._quickly(expression, "SCI.LIMIT_EXCEEDED")

    def test_harmless_or_otherwise_refused(self):
        for expression, outcome in {
            "1+" * 2000 + "1": "success", "1" + "!" * 4000: "success", "9" * 4096: "success",
            "(" * 90 + "1" + ")" * 90: "success", "3248!": "success",
            "comb(33000, 16500)": "success", "5 m/" + "(m/" * 90 + "m" + ")" * 90: "success",
            "5 m" + "*m" * 2000: "success", "a" * 4000: "SCI.UNKNOWN_NAME",
            "[" + ",".join("1" * 2000) + "]": "success",
            "stdev(" + ",".join(f"0.{n}" for n in range(1, 700)) + ")": "success", "B*B": "SCI.LIMIT_EXCEEDED",
            "sum(" + ",".join(f"1/{n}" for n in range(1, 600)) + ")": "success", "1e99999999999": "SCI.OVERFLOW",
            "." * 4000: "INVALID_ARGUMENT",
            "[[1e0,0],[0,1]]^(10^9000)": "success", "median(" + ",".join(["f"] * 1500) + ")": "success",
            "(1+i)^100000": "SCI.OVERFLOW", "5 m/" + "(m/" * 1200: None,
            "root(a, 63)": "success", "2e0^(10^9999)": "SCI.OVERFLOW", "sin(a)": "SCI.OVERFLOW",
            "9" * 400 + "i": "SCI.OVERFLOW", "5 m" + "^100" * 900: None,
        }.items():  # fmt: skip
            with self.subTest(expression[:30]):
                self._quickly(expression, outcome)

    def test_variables_do_not_multiply_the_work(self):
        chain = {f"x{n}": f"x{n + 1} + x{n + 1}" for n in range(60)}
        self.assert_text(str(2**60), "x0", variables={**chain, "x60": "1"})
        deep = {f"x{n}": "-" * 90 + f"x{n + 1}" for n in range(60)}
        self.assert_error("SCI.LIMIT_EXCEEDED", "x0", {**deep, "x60": "1"})
        self.assert_error("SCI.LIMIT_EXCEEDED", "1", {f"x{n}": "1" for n in range(65)})
        self.assert_error("SCI.LIMIT_EXCEEDED", "1", {f"x{n}": "1+" * 2000 + "1" for n in range(5)})
        self.assertEqual("variables.x", self.assert_error("SCI.LIMIT_EXCEEDED", "x", {"x": "9" * 4097})["target"])

    def test_error_names_the_limit(self):
        self.assertEqual(10000, self.error("9^9^9")["details"]["limit"])
        self.assertEqual(4096, self.error("1" * 5000)["details"]["limit"])
        self.assertEqual(64, self.error("eye(65)")["details"]["limit"])

    def test_ten_thousand_digits_are_allowed(self):
        self.assertEqual(10000, len(self.data("10^9999")["value"]))
        self.assert_error("SCI.LIMIT_EXCEEDED", "10^10001")

    def _quickly(self, expression, outcome):
        # Time of this process alone, and plenty of it: without its bounds an expression would take hours.
        start = time.process_time()
        result = payload(expression, _BIG)
        self.assertLess(time.process_time() - start, 5)
        if outcome is not None:
            self.assertEqual(outcome, result["error"]["code"] if result["status"] == "error" else result["status"])
