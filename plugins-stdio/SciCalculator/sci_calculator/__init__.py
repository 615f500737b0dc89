"""An exact scientific calculator: tokens → syntax tree → value → result payload."""
