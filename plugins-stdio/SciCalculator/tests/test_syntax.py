from support import CalculatorTest


class Precedence(CalculatorTest):
    def test_operators_bind_as_in_mathematics(self):
        self.assert_texts({
            "2+3*4": "14", "(2+3)*4": "20", "-2**2": "-4", "(-2)**2": "4", "2**3**2": "512", "2^3^2": "512", "2^-1": "0.5",
            "2^-3^2": "0.001953125", "-3!": "-6", "2^3!": "64", "3!^2": "36", "3!!": "720",
            "10-4-3": "3", "100/10/2": "5", "2*-3": "-6", "--3": "3", "+-3": "-3", "7 mod 4 * 2": "6", "-7 // 2": "-4",
            "-7 % 3": "2", "7 % -3": "-2", "1 - -1": "2",
        })  # fmt: skip

    def test_roots_bind_tighter_than_powers(self):
        self.assert_texts({"√16+9": "13", "√(16+9)": "5", "√4^2": "4", "∛27": "3", "-√9": "-3"})

    def test_units_bind_tighter_than_division(self):
        self.assert_texts({"10 km / 2 h": "5 km/h", "(1/2) m": "0.5 m", "6 m / 2": "3 m", "5 m^2": "5 m^2", "2 m * 3": "6 m"})


class Spelling(CalculatorTest):
    def test_typographic_operators(self):
        self.assert_texts({
            "6 × 7": "42", "6 ÷ 4": "1.5", "6 − 7": "-1", "2·3": "6", "2⋅3": "6", "3²": "9", "2⁻¹": "0.5", "-3²": "-9",
            "2¹⁰": "1024",
        })  # fmt: skip

    def test_greek_names_and_unit_signs(self):
        self.assertAlmostEqual(6.283185307179586, self.data("2 * π")["value"])
        self.assertAlmostEqual(6.283185307179586, self.data("τ")["value"])
        self.assert_texts({"5 µm in nm": "5000 nm", "5 μm in nm": "5000 nm", "2 kΩ * 3 mA in V": "6 V", "100 °C in K": "373.15 K",
                           "sin(30°)": "0.5", "20℃ in K": "293.15 K", "10 Å in nm": "1 nm"})  # fmt: skip

    def test_full_width_input(self):
        self.assert_texts({"（１＋２）＊３": "9", "ｍａｘ（１，２）": "2"})

    def test_numbers(self):
        self.assert_texts({".5": "0.5", "5.": "5", "1e3": "1000", "1E-3": "0.001", "2.50": "2.5", "007": "7", "3i": "3i",
                           "4j": "4i"})


class SyntaxErrors(CalculatorTest):
    def test_say_where_what_was_found_and_what_was_expected(self):
        error = self.assert_error("INVALID_ARGUMENT", "2 * (3 + ) - 1")
        self.assertEqual("expression", error["target"])
        self.assertFalse(error["retryable"])
        self.assertEqual(
            {"position": 9, "found": ")", "expected": "a number, a name, “(” or “[”", "excerpt": "2 * (3 + ) - 1"},
            error["details"]
        )
        self.assertIn("position 9", error["message"])

    def test_position_of_the_end(self):
        self.assertEqual(4, self.error("(1+2")["details"]["position"])
        self.assertEqual("end of expression", self.error("1+")["details"]["found"])

    def test_excerpt_is_cut_around_the_fault(self):
        details = self.error("1+" * 50 + ")" + "+1" * 50)["details"]
        self.assertEqual(100, details["position"])
        self.assertEqual("…1+1+1+1+1+1+1+1+)+1+1+1+1+1+1+1+…", details["excerpt"])

    def test_nothing_is_multiplied_by_being_next_to_it(self):
        for expression in ("2 pi", "2(3)", "(2)(3)", "2 sin(1)", "pi pi", "5 km 3", "2 3", "5 km(3)"):
            with self.subTest(expression):
                self.assert_error("INVALID_ARGUMENT", expression)
        self.assertIn("write “2 * pi”", self.error("2 pi")["message"])

    def test_malformed_input(self):
        self.assert_errors("INVALID_ARGUMENT", (
            "", "   ", "*", "1 +", "(1", "1)", "[1", "1]", "[1,,2]", "max(1,)", "1 $ 2", "@", "'a'", "1 = 2", "a.b",
            "5 km in", "in",
            "2 ** ** 2", "__import__('os')", "1;2", "10 dB", "5 m^x", "5 m^1000", "⁻", "2⁻", "sin", "1,000", "{}", "\"",
            "\\", "#", "[1, 2] m", "5! m",
        ))  # fmt: skip

    def test_wrong_number_of_arguments(self):
        self.assert_errors("INVALID_ARGUMENT", ("sin()", "sin(1, 2)", "atan2(1)", "log(1, 2, 3)", "max()", "solve([[1]])"))

    def test_unknown_names_come_with_suggestions(self):
        error = self.assert_error("SCI.UNKNOWN_NAME", "1 + sqrtt(2)")
        self.assertEqual(["sqrt"], error["details"]["suggestions"][:1])
        self.assertEqual(4, error["details"]["position"])
        self.assertEqual(["tau"], self.error("taau")["details"]["suggestions"][:1])
        self.assertIn("kmh", str(self.error("5 km in kmm")))
        self.assert_errors("SCI.UNKNOWN_NAME", ("foo", "foo(1)", "5 km to parsnip", "变量 + 1"))


class Variables(CalculatorTest):
    def test_numbers_and_expressions_that_use_one_another(self):
        self.assert_text("11", "a + b", variables={"a": 3, "b": "2 * a + c", "c": "2"})
        self.assert_text("0.3", "x + y", variables={"x": "0.1", "y": "0.2"})
        self.assert_text("30 km", "v * t", variables={"v": "60 km/h", "t": "30 min"})

    def test_win_over_constants_and_over_units_after_an_operator(self):
        self.assert_text("3", "e", variables={"e": 3})
        self.assert_text("2 km", "4 km / h", variables={"h": 2})
        self.assert_text("4 km/h", "4 km / h")
        self.assert_text("5 m", "5 m", variables={"m": 3})

    def test_faults_name_the_variable(self):
        self.assertEqual("variables.a", self.assert_error("INVALID_ARGUMENT", "a", {"a": "1 +"})["target"])
        self.assertEqual("variables.b", self.assert_error("SCI.DIVISION_BY_ZERO", "a", {"a": "b", "b": "1/0"})["target"])
        self.assert_error("INVALID_ARGUMENT", "a", {"a": "b", "b": "a"})
        for name in ("in", "2a", "a b", "", "a-b", "mod"):
            with self.subTest(name):
                self.assert_error("INVALID_ARGUMENT", "1", {name: 1})

    def test_greek_variables(self):
        self.assert_text("2", "θ * 2", variables={"θ": 1})
        self.assert_text("2", "µ * 2", variables={"μ": 1})
