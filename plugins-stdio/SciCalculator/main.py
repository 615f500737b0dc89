"""SciCalculator: one invocation frame in on stdin, one result frame out on stdout."""

import os
import sys

# python3 -I leaves the script's own folder out of the import path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from sci_calculator.answer import answer  # noqa: E402
from sci_calculator.frames import ProtocolFault, read_invocation, write_result  # noqa: E402
from sci_calculator.limits import allow_long_integers  # noqa: E402


def main():
    allow_long_integers()
    # Worker mode would loop over the lines here; the frames already carry the invocationId.
    try:
        invocation = read_invocation(sys.stdin.buffer.readline())
    except ProtocolFault as fault:
        print("SciCalculator: " + str(fault), file=sys.stderr)
        return 2  # §11.3: no legal frame in, none out; the core reports a transport failure
    write_result(sys.stdout.buffer, answer(invocation), invocation.invocation_id)
    return 0


if __name__ == "__main__":
    sys.exit(main())
