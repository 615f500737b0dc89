"""Named constants: value and unit. Physical ones are SI 2019 (exact) and CODATA 2022."""

import math

from .units import Unit
from .values import Quantity

_PLAIN = {
    "pi": math.pi,
    "e": math.e,
    "tau": math.tau,
    "phi": (1 + math.sqrt(5)) / 2,
    "i": 1j,
    "j": 1j,
    "alpha": 7.2973525643e-3,  # fine structure
}

_PHYSICAL = {
    "c": (299792458, {"m": 1, "s": -1}),  # speed of light
    "h": (6.62607015e-34, {"J": 1, "s": 1}),  # Planck
    "planck": (6.62607015e-34, {"J": 1, "s": 1}),
    "hbar": (6.62607015e-34 / math.tau, {"J": 1, "s": 1}),
    "G": (6.67430e-11, {"m": 3, "kg": -1, "s": -2}),  # gravitation
    "g0": (9.80665, {"m": 1, "s": -2}),  # standard gravity
    "k_B": (1.380649e-23, {"J": 1, "K": -1}),  # Boltzmann
    "kB": (1.380649e-23, {"J": 1, "K": -1}),
    "N_A": (6.02214076e23, {"mol": -1}),  # Avogadro
    "R": (8.31446261815324, {"J": 1, "mol": -1, "K": -1}),  # molar gas
    "q_e": (1.602176634e-19, {"C": 1}),  # elementary charge
    "F": (96485.3321233100184, {"C": 1, "mol": -1}),  # Faraday
    "m_e": (9.1093837139e-31, {"kg": 1}),  # electron mass
    "m_p": (1.67262192595e-27, {"kg": 1}),  # proton mass
    "m_n": (1.67492750056e-27, {"kg": 1}),  # neutron mass
    "epsilon_0": (8.8541878188e-12, {"F": 1, "m": -1}),
    "mu_0": (1.25663706127e-6, {"N": 1, "A": -2}),
    "sigma_SB": (5.670374419e-8, {"W": 1, "m": -2, "K": -4}),  # Stefan-Boltzmann
    "R_inf": (10973731.568157, {"m": -1}),  # Rydberg
    "a_0": (5.29177210544e-11, {"m": 1}),  # Bohr radius
    "mu_B": (9.2740100657e-24, {"J": 1, "T": -1}),  # Bohr magneton
}


def find_constant(name):
    if name in _PLAIN:
        return _PLAIN[name]
    if name in _PHYSICAL:
        value, powers = _PHYSICAL[name]
        return Quantity(value, Unit(tuple(powers.items())))
    return None


def constant_names():
    return list(_PLAIN) + list(_PHYSICAL)
