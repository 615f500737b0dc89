from support import CalculatorTest, payload


class Conversion(CalculatorTest):
    def test_between_units_of_one_dimension(self):
        self.assert_texts({
            "100 km/h in m/s": "27.7777777777778 m/s", "12 inch to cm": "30.48 cm", "5 ft in inch": "60 inch",
            "1 mile in m": "1609.344 m",
            "2 h in min": "120 min", "1 day in s": "86400 s", "1 lb in g": "453.59237 g", "1 atm in Pa": "101325 Pa",
            "1 bar in kPa": "100 kPa",
            "3 kWh in MJ": "10.8 MJ", "1 kcal in J": "4184 J", "2 L in cm^3": "2000 cm^3", "1 GiB in MB": "1073.741824 MB",
            "180 deg in turn": "0.5 turn",
            "1 hp in W": "745.69987158227 W", "1 N*m in J": "1 J", "1 kg*m/s^2 in N": "1 N", "36 kph in m/s": "10 m/s",
            "90 km in mi": "55.9234073013601 mi", "1 ha in m²": "10000 m^2", "60 rpm in Hz*deg": "360 Hz*deg",
            "2 kilometers in meters": "2000 meters",
        })  # fmt: skip
        self.assertAlmostEqual(1.602176634e-19, self.data("1 eV in J")["value"]["value"])

    def test_keeps_the_exactness(self):
        self.assertTrue(self.data("12 inch to cm")["exact"])
        self.assertFalse(self.data("100 km/h in m/s")["exact"])
        self.assertEqual({"value": 30.48, "unit": "cm"}, self.data("12 inch to cm")["value"])

    def test_angles(self):
        self.assert_texts({"pi rad in deg": "180 deg", "sin(30 deg)": "0.5", "cos(60 deg)": "0.5", "tan(45 deg)": "1",
                           "sin(750 deg)": "0.5",
                           "cos(1/4 * 1 turn)": "0", "asin(1/2) in deg": "30 deg", "cot(90 deg)": "0"})  # fmt: skip
        self.assert_error("SCI.DOMAIN_ERROR", "tan(90 deg)")

    def test_shows_base_products_by_name(self):
        self.assert_texts({"3 kg * 2 m/s^2": "6 N", "1 kg * c^2 in J": "89875517873681764 J", "5 N * 2 m": "10 N*m",
                           "12 V / (4 ohm)": "3 A"})


class Algebra(CalculatorTest):
    def test_sums_are_in_the_first_unit(self):
        self.assert_texts({"5 km + 300 m": "5.3 km", "300 m + 5 km": "5300 m", "1 h - 15 min": "0.75 h", "-(5 km)": "-5 km",
                           "7 m % 2 m": "1 m",
                           "7 m // 2 m": "3", "1 km / (250 m)": "4"})  # fmt: skip

    def test_products_join_units_of_one_kind(self):
        self.assert_texts({"5 km * 3 m": "0.015 km^2", "60 km/h * 30 min": "30 km", "3 Hz * 2 s": "6",
                           "2 kg/m^3 * 3 L": "0.006 kg", "10 m / 2 s": "5 m/s",
                           "(2 m)^3": "8 m^3", "sqrt(4 m^2)": "2 m", "cbrt(8 m^3)": "2 m",
                           "5 W/(m^2*K) * 2 m^2 * 3 K": "30 W", "1/(2 s)": "0.5 1/s"})  # fmt: skip

    def test_functions_of_quantities(self):
        self.assert_texts({"mean(5 km, 300 m)": "2.65 km", "max([1 km, 1200 m])": "1200 m", "sum(1 m, 2 cm)": "1.02 m",
                           "abs(-3 m)": "3 m",
                           "round(2.567 m, 2)": "2.57 m", "norm([3 m, 4 m])": "5 m", "[1 m, 2 m] * 2": "[2 m, 4 m]",
                           "stdev(1 m, 3 m)^2": "2 m^2"})  # fmt: skip

    def test_dimensions_are_checked(self):
        self.assert_errors("SCI.DIMENSION_MISMATCH", (
            "5 km + 3 kg", "5 km + 3", "3 - 5 km", "5 km in kg", "5 in km", "2^(3 m)", "sin(3 m)", "ln(5 km)",
            "max(1 m, 2 s)", "(5!) m / (1 s) + 1",
            "(5 m)!", "5 m % 2 s", "60 rpm in Hz", "[1 m, 2] + [1, 2]", "(5 m) kg", "comb(5 m, 2)", "(2 m)^pi",
        ))  # fmt: skip
        details = self.error("5 km + 3 kg")["details"]
        self.assertEqual(("km", "kg", "m", "kg", 5), tuple(details[key] for key in (
            "leftUnit", "rightUnit", "leftDimension", "rightDimension", "position")))  # fmt: skip

    def test_a_unit_in_the_divisor_is_pointed_out(self):
        self.assertEqual(["SCI.UNIT_BINDS_FIRST"], [warning["code"] for warning in payload("1/2 m")["warnings"]])
        self.assertEqual([], payload("(1/2) m + 10 m / 2")["warnings"])

    def test_names_after_a_value_are_units_and_alone_constants_first(self):
        self.assert_texts({"5 h in min": "300 min", "c": "299792458 m/s", "2 * km": "2 km", "5 min": "5 min",
                           "min(5, 3)": "3", "c in km/s": "299792.458 km/s"})
        self.assertEqual("J*s", self.data("h")["value"]["unit"])


class Temperature(CalculatorTest):
    def test_scales_have_an_origin(self):
        self.assert_texts({"20 degC in degF": "68 degF", "-40 degF in degC": "-40 degC", "0 K in degC": "-273.15 degC",
                           "25 degC in K": "298.15 K",
                           "32 degF to K": "273.15 K"})  # fmt: skip

    def test_differences_are_in_kelvins(self):
        self.assert_texts({"20 degC + 5 K": "25 degC", "30 degC - 20 degC": "10 K", "68 degF - 50 degF": "10 K",
                           "20 degC - 5 K": "15 degC",
                           "68 degF + 10 K": "86 degF", "5 W/(m^2*degC) in W/(m^2*K)": "5 W/(m^2*K)",
                           "20 degC * 2 J/K": "586.3 J"})  # fmt: skip

    def test_a_point_on_a_scale_cannot_be_added_or_scaled(self):
        self.assert_errors("SCI.DIMENSION_MISMATCH", ("20 degC + 5 degC", "2 * (20 degC)", "5 K + 20 degC", "20 degC / 2"))
