"""Reads one call from stdin and answers with one line on stdout. Logs go to stderr."""

import json
import sys

text = json.loads(sys.stdin.readline())["payload"]["arguments"]["text"]
words = len(text.split())
if words > 0:
    payload = {
        "status": "success",
        "data": {"words": words, "lines": len(text.splitlines())},
        "presentation": {"summary": f"{words} words"},
    }
else:
    message = "text holds no word; give one with at least one letter"
    payload = {"status": "error", "data": None, "error": {"code": "WORDS.EMPTY", "message": message, "target": "text"}}
print(json.dumps({"vcp": "tool-result", "version": "1.0", "payload": payload}, ensure_ascii=False))
