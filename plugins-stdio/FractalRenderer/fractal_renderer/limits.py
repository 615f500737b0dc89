"""What one job may ask for. Its time is bounded by the host as well; this is the bound that can be told beforehand."""

# Rows times columns times frames; a core draws about a million points of the set's rim in a minute.
MAX_POINTS = 4_000_000
