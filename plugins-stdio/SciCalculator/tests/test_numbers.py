import math

from support import CalculatorTest, payload


class Exactness(CalculatorTest):
    def test_integers_keep_every_digit(self):
        self.assert_texts({"2^100": "1267650600228229401496703205376", "10^30 + 1 - 10^30": "1", "25!/24!": "25",
                           "9007199254740993": "9007199254740993", "(10^50+1) // 10^49": "10",
                           "-(2^64)": "-18446744073709551616"})  # fmt: skip

    def test_integers_beyond_two_to_the_53_are_decimal_strings(self):
        self.assertEqual(9007199254740991, self.data("2^53 - 1")["value"])
        self.assertEqual("9007199254740992", self.data("2^53")["value"])
        self.assertEqual("-9007199254740992", self.data("-2^53")["value"])
        self.assertTrue(self.data("2^53")["exact"])

    def test_decimals_and_fractions_are_exact(self):
        self.assert_texts({"0.1 + 0.2": "0.3", "1/3": "1/3 ≈ 0.333333333333333", "1/3 + 2/3": "1", "1.5 * 2": "3",
                           "(2/3)^3": "8/27 ≈ 0.296296296296296",
                           "(2/3)^-2": "2.25", "1.1 % 0.25": "0.1", "7/2 // 1": "3", "-1/4": "-0.25",
                           "0.000001": "0.000001"})  # fmt: skip
        data = self.data("-4/6")
        self.assertEqual({"numerator": -2, "denominator": 3, "decimal": -2 / 3}, data["value"])
        self.assertEqual(("rational", True), (data["kind"], data["exact"]))

    def test_roots_are_exact_where_they_can_be(self):
        self.assert_texts({"sqrt(16)": "4", "sqrt(1/4)": "0.5", "8^(1/3)": "2", "8^(-2/3)": "0.25", "cbrt(-27)": "-3",
                           "root(32, 5)": "2",
                           "sqrt(10^400)/10^200": "1", "4^0.5": "2", "root(-32, 5)": "-2"})  # fmt: skip
        self.assertEqual(math.sqrt(2), self.data("sqrt(2)")["value"])
        self.assertEqual("real", self.data("sqrt(2)")["kind"])

    def test_floats_stay_floats(self):
        data = self.data("1e0 + 2")
        self.assertEqual(("real", 3.0, False), (data["kind"], data["value"], data["exact"]))

    def test_unreadable_fractions_become_floats(self):
        self.assertAlmostEqual(1.1051709126143208, self.data("1.0000001^1000000")["value"])
        self.assertEqual("real", self.data("1.01^100")["kind"])

    def test_a_fraction_outside_the_range_of_floats_stays_one(self):
        value = self.data("10^400 / 7")["value"]
        self.assertEqual(("1" + "0" * 400, 7, None), (value["numerator"], value["denominator"], value["decimal"]))


class Precision(CalculatorTest):
    def test_rounds_what_is_not_exact(self):
        data = self.data("pi", precision=3)
        self.assertEqual((3.14, "3.14"), (data["value"], data["text"]))
        self.assert_text("3.1+2.7i", "pi + e*i", precision=2)
        self.assert_text("27.8 m/s", "100 km/h in m/s", precision=3)

    def test_leaves_exact_results_alone(self):
        self.assert_text("1267650600228229401496703205376", "2^100", precision=3)
        data = self.data("1/7", precision=30)
        self.assertEqual("1/7 ≈ 0.142857142857142857142857142857", data["text"])
        self.assertEqual(7, data["value"]["denominator"])

    def test_is_bounded(self):
        for precision in (0, 51, -1, True, "3"):
            self.assertEqual("precision", payload("1", precision=precision)["error"]["target"])


class Complex(CalculatorTest):
    def test_arithmetic(self):
        self.assert_texts({"(3+4i)*(1-2i)": "11-2i", "(3+4i)/(3-4i)": "-0.28+0.96i", "abs(3+4i)": "5", "i^2": "-1",
                           "(1+i)^2": "2i",
                           "re(3+4i)": "3", "im(3+4i)": "4", "conj(3+4i)": "3-4i", "sqrt(-4)": "2i", "-i": "-i",
                           "3+4i-4i": "3"})  # fmt: skip
        self.assertEqual({"re": 11.0, "im": -2.0}, self.data("(3+4i)*(1-2i)")["value"])

    def test_euler(self):
        self.assert_texts({"e^(i*pi)": "-1", "e^(i*pi) + 1": "0", "exp(i*pi/2)": "i"})

    def test_principal_values_outside_the_reals(self):
        self.assert_texts({"ln(-1)": "3.14159265358979i", "(-8)^(1/3)": "1+1.73205080756888i"})
        self.assertEqual("complex", self.data("asin(2)")["kind"])
        self.assertEqual("complex", self.data("acosh(0.5)")["kind"])


class Functions(CalculatorTest):
    def test_known_values(self):
        for expression, expected in {
            "sin(1)": math.sin(1), "cos(1)": math.cos(1), "tan(1)": math.tan(1), "asin(0.5)": math.asin(0.5),
            "acos(0.5)": math.acos(0.5),
            "atan(1)": math.pi / 4, "atan2(1, -1)": 3 * math.pi / 4, "sinh(1)": math.sinh(1), "cosh(1)": math.cosh(1),
            "tanh(1)": math.tanh(1), "asinh(1)": math.asinh(1), "acosh(2)": math.acosh(2), "atanh(0.5)": math.atanh(0.5),
            "exp(1)": math.e, "ln(10)": math.log(10), "log10(2)": math.log10(2), "log(2, 3)": math.log(2, 3),
            "gamma(0.5)": math.sqrt(math.pi),
            "erf(1)": math.erf(1), "hypot(3, 4)": 5, "0.5!": math.gamma(1.5), "degrees(pi)": 180, "radians(180)": math.pi,
            "sec(1)": 1 / math.cos(1),
            "csc(1)": 1 / math.sin(1), "cot(1)": 1 / math.tan(1), "sin(pi)": 0, "cos(pi/2)": 0, "tan(pi/4)": 1,
            "sin(pi/6)": 0.5, "phi": (1 + 5**0.5) / 2,
            "sin(10^15+1)": math.sin(10**15 + 1), "ln(10^400)": 400 * math.log(10), "stdev(1,2,3,4)": 1.2909944487358056,
            "arg(i)": math.pi / 2,
        }.items():  # fmt: skip
            with self.subTest(expression):
                self.assertAlmostEqual(expected, self.data(expression)["value"], delta=1e-12 * max(1, abs(expected)))

    def test_exact_values(self):
        self.assert_texts({
            "gcd(12, 18)": "6", "lcm(4, 6)": "12", "lcm([2,3,4])": "12", "gcd(0, 5)": "5",
            "factorial(20)": "2432902008176640000", "gamma(5)": "24",
            "comb(5, 2)": "10", "perm(5, 2)": "20", "comb(2, 5)": "0",
            "comb(10^20, 2)": "4999999999999999999950000000000000000000",
            "log2(8)": "3", "log10(1000)": "3", "log(9, 3)": "2", "log2(1/8)": "-3", "log10(10^400)": "400",
            "floor(-2.5)": "-3", "ceil(-2.5)": "-2", "trunc(-2.5)": "-2", "round(2.5)": "3", "round(-2.5)": "-3",
            "round(2.675, 2)": "2.68",
            "round(1234, -2)": "1200", "abs(-3)": "3", "sign(-2)": "-1", "mod(-7, 3)": "2", "pow(2, 10)": "1024",
            "sum(1, 2, 3)": "6", "sum([0.1, 0.2])": "0.3", "mean(1, 2)": "1.5", "median([3, 1, 2])": "2",
            "median(1, 2, 3, 4)": "2.5",
            "min(3, 1/2, 2)": "0.5", "max([1, 5e0, 3])": "5", "variance(1, 2, 3, 4)": "5/3 ≈ 1.66666666666667",
            "pvariance(1, 2, 3, 4)": "1.25",
            "pstdev(2, 4, 4, 4, 5, 5, 7, 9)": "2", "product(1, 2, 3, 4)": "24", "0^0": "1", "(-1)^(10^100)": "1",
            "1^(10^100)": "1",
        })  # fmt: skip

    def test_log_without_a_base_is_natural_and_says_so(self):
        result = payload("log(100)")
        self.assertAlmostEqual(math.log(100), result["data"]["value"])
        self.assertEqual(["SCI.NATURAL_LOG"], [warning["code"] for warning in result["warnings"]])
        self.assertEqual([], payload("log(100, 10) + ln(2)")["warnings"])

    def test_domains(self):
        self.assert_errors("SCI.DOMAIN_ERROR", (
            "ln(0)", "log(5, 1)", "(-3)!", "gamma(0)", "gamma(-2)", "tan(pi/2)", "csc(0)", "gcd(1.5, 2)", "comb(2.5, 1)",
            "perm(-1, 1)",
            "max(i, 2)", "floor(i)", "i % 2", "erf(i)", "stdev(1)", "eye(0)", "eye(1.5)", "round(1.5, 0.5)", "atanh(1)", "i!",
        ))  # fmt: skip

    def test_division_by_zero(self):
        self.assert_errors("SCI.DIVISION_BY_ZERO", ("1/0", "1//0", "1%0", "0^-1", "1/(0.1+0.2-0.3)", "1/0e0", "0e0^-1",
            "[1,2]/0", "i/0", "5 m / (0 s)"))
        self.assertEqual(3, self.error("1+1/0")["details"]["position"])

    def test_overflow(self):
        self.assert_errors("SCI.OVERFLOW", ("1e308*10", "e^1000", "exp(1000)", "1e999", "10^400 * 1e0", "cosh(1000)",
            "171.5!*1000", "2e0^5000", "1e200i*1e200"))
