"""Finds Unicode characters by words of their names. The names are read once; every call of the process uses them."""

import sys
import unicodedata

# A plugin of your own has a copy of vcp_plugin.py beside it, and no need of this line.
sys.path.insert(0, "../../../plugin-kit/python")

from vcp_plugin import PluginError, serve  # noqa: E402

NAMES = {code: unicodedata.name(chr(code), "") for code in range(sys.maxunicode + 1)}


def find(arguments, call):
    words = arguments["words"].upper().split()
    codes = [code for code, name in NAMES.items() if name and all(word in name for word in words)]
    if not codes:
        raise PluginError("CHARACTERS.NOT_FOUND", "no name has all of these words; give fewer", target="words")
    characters = [{"character": chr(code), "name": NAMES[code]} for code in codes[: arguments.get("limit", 20)]]
    return {
        "data": {"characters": characters, "total": len(codes)},
        "presentation": {"summary": f"{len(codes)} characters, among them {characters[0]['character']}"},
    }


serve({"Find": find})
