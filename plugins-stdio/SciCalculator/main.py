"""SciCalculator: invocation frames in on stdin, a result frame out on stdout for each."""

import os
import sys

# python3 -I leaves the script's own folder out of the import path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from sci_calculator.answer import answer  # noqa: E402
from sci_calculator.frames import ProtocolFault, read_invocations, write_result  # noqa: E402
from sci_calculator.limits import allow_long_integers  # noqa: E402


def main():
    """One call in the mode `oneshot`; in the mode `worker` one after another, until stdin ends."""
    allow_long_integers()
    is_worker = os.environ.get("VCP_STDIO_MODE") == "worker"
    try:
        # Calculating keeps the one thread busy, and its own budget ends it soon. So a call that is cancelled is
        # answered none the less, and the frame that cancels it is read when there is nothing left to cancel.
        for invocation in read_invocations(sys.stdin.buffer):
            write_result(sys.stdout.buffer, answer(invocation), invocation.invocation_id)
            if not is_worker:
                break
    except ProtocolFault as fault:
        print("SciCalculator: " + str(fault), file=sys.stderr)
        return 2  # §11.3: no legal frame in, none out; the core reports a transport failure
    return 0


if __name__ == "__main__":
    sys.exit(main())
