"""Reads one invocation from stdin and answers with one frame on stdout. Logs go to stderr."""

import json
import sys


def count(arguments):
    text = arguments["text"]
    if not text.strip():
        return {
            "status": "error",
            "data": None,
            "error": {
                "code": "WORDS.EMPTY",
                "message": "text holds no word; give one with at least one letter",
                "target": "text",
            },
        }
    return {
        "status": "success",
        "data": {"words": len(text.split()), "lines": len(text.splitlines())},
        "presentation": {"summary": f"{len(text.split())} words"},
    }


invocation = json.loads(sys.stdin.readline())["payload"]
frame = {"vcp": "tool-result", "version": "1.0", "payload": count(invocation["arguments"])}
print(json.dumps(frame, ensure_ascii=False))
