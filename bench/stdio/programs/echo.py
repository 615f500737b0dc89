import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../plugin-kit/python"))
from vcp_plugin import serve


def echo(arguments, call):
    text, times, tags = arguments["text"], arguments["times"], arguments["tags"]
    items = [{"index": index, "value": f"{tags[index % len(tags)]}#{index}"} for index in range(times)]
    return {"data": {"text": text, "length": len(text), "items": items}}


serve({"Echo": echo})
