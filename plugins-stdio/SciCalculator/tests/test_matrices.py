import random
from fractions import Fraction

from support import CalculatorTest


class Matrices(CalculatorTest):
    def test_operators(self):
        self.assert_texts({
            "[[1,2],[3,4]] + [[1,1],[1,1]]": "[[2, 3], [4, 5]]", "[[1,2],[3,4]] * [[0,1],[1,0]]": "[[2, 1], [4, 3]]",
            "2 * [[1,2],[3,4]]": "[[2, 4], [6, 8]]",
            "[[1,2],[3,4]] / 2": "[[0.5, 1], [1.5, 2]]", "[[1,2],[3,4]] * [1,1]": "[3, 7]",
            "[1,1] * [[1,2],[3,4]]": "[4, 6]", "-[1,2]": "[-1, -2]",
            "[[1,1],[1,0]]^10": "[[89, 55], [55, 34]]", "[[2,0],[0,4]]^-1": "[[0.5, 0], [0, 0.25]]",
            "[[1,2],[3,4]]^0": "[[1, 0], [0, 1]]", "[1,2] - [1,1]": "[0, 1]",
            "[[1/2, 1/3]] * [[2],[3]]": "[[2]]", "[[i, 0], [0, 1]] * [[i, 0], [0, 1]]": "[[-1, 0], [0, 1]]",
        })  # fmt: skip

    def test_functions(self):
        self.assert_texts({
            "det([[1,2],[3,4]])": "-2", "det([[0,1],[1,0]])": "-1",
            "det([[1/2,1/3],[1/4,1/5]])": "1/60 ≈ 0.0166666666666667", "inv([[1,2],[3,5]])": "[[-5, 2], [3, -1]]",
            "transpose([[1,2,3]])": "[[1], [2], [3]]", "rank([[1,2],[2,4]])": "1", "rank([[0,0],[0,0]])": "0",
            "rank([[1,2,3],[4,5,6]])": "2", "trace([[1,2],[3,4]])": "5",
            "solve([[2,1],[1,3]], [3,5])": "[0.8, 1.4]", "solve([[2,0],[0,4]], [[2,4],[4,8]])": "[[1, 2], [1, 2]]",
            "eye(2)": "[[1, 0], [0, 1]]",
            "dot([1,2,3],[4,5,6])": "32", "cross([1,0,0],[0,1,0])": "[0, 0, 1]", "norm([3,4])": "5",
            "norm([[1,1],[1,1]])": "2", "det([[1e0,2],[3,4]])": "-2",
            "dot([1 N, 2 N], [3 m, 4 m])": "11 N*m", "inv([[2, i], [0, 1]]) * [[2, i], [0, 1]]": "[[1, 0], [0, 1]]",
            "norm([3i, 4])": "5",
        })  # fmt: skip

    def test_values_are_json_arrays(self):
        data = self.data("[[1, 1/2], [2^60, 1+i]]")
        self.assertEqual("matrix", data["kind"])
        self.assertEqual(
            [[1, {"numerator": 1, "denominator": 2, "decimal": 0.5}], ["1152921504606846976", {"re": 1.0, "im": 1.0}]],
            data["value"]
        )
        self.assertFalse(data["exact"])
        self.assertEqual(("vector", [1, 2], True), tuple(self.data("[1, 2]")[key] for key in ("kind", "value", "exact")))

    def test_exact_inverse_of_random_matrices(self):
        source = random.Random(7)
        for size in (3, 6, 12):
            rows = [[Fraction(source.randint(-9, 9), source.randint(1, 5)) for _ in range(size)] for _ in range(size)]
            text = "[" + ",".join("[" + ",".join(map(str, row)) + "]" for row in rows) + "]"
            with self.subTest(size):
                self.assert_text("0", f"norm(A * inv(A) - eye({size}))", variables={"A": text})
                self.assert_text("1", "det(A) * det(inv(A))", variables={"A": text})

    def test_exact_rank_of_deficient_matrices(self):
        source = random.Random(11)
        for rank in (1, 3, 5):
            left = [[source.randint(-3, 3) for _ in range(rank)] + [0] * (8 - rank) for _ in range(8)]
            for index in range(rank):
                left[index] = [int(column == index) for column in range(8)]
            right = [[0] * index + [1] + [source.randint(-3, 3) for _ in range(7 - index)] for index in range(8)]
            with self.subTest(rank):
                self.assert_text(str(rank), "rank(A * B)", variables={"A": str(left), "B": str(right)})
                self.assert_text("0", "det(A * B)", variables={"A": str(left), "B": str(right)})
                self.assert_text(str(rank), "rank(A * B * 1e0)", variables={"A": str(left), "B": str(right)})

    def test_singular(self):
        self.assert_errors("SCI.SINGULAR_MATRIX", (
            "inv([[1,2],[2,4]])", "solve([[1,2],[2,4]],[1,2])", "[[0]]^-1", "inv([[1e0,2],[2,4]])",
            "inv([[0.1e0,0.3],[0.2,0.6]])",
        ))  # fmt: skip

    def test_shapes_are_checked(self):
        self.assert_errors("SCI.DIMENSION_MISMATCH", (
            "[1,2] + [1,2,3]", "[[1,2]] * [[1,2]]", "[1,2] * [3,4]", "[[1,2],[3]]", "[1,[2]]", "[]", "[[]]", "det([[1,2]])",
            "det([1,2])", "det(3)", "inv([[1,2,3]])",
            "[1,2] + 1", "1 / [[1]]", "[[1,2]]^2", "[[1]]^0.5", "sin([1,2])", "[1,2]!", "cross([1,2],[3,4])",
            "dot([1],[1,2])", "norm(3)", "[[[1]]]", "[1,2] in m",
            "solve([[1,2],[3,4]],[1])", "[1,2] % 2", "det([[1 m]])", "2^[1,2]", "transpose(1)",
        ))  # fmt: skip
