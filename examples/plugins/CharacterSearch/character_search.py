"""Finds Unicode characters by words of their names. The names are read once; every call of the process uses them."""

import sys
import unicodedata

# A plugin of your own has a copy of vcp_plugin.py beside it, and no need of this line.
sys.path.insert(0, "../../../plugin-kit/python")

from vcp_plugin import PluginError, serve  # noqa: E402

CHARACTERS = map(chr, range(sys.maxunicode + 1))
NAMES = {character: name for character in CHARACTERS if (name := unicodedata.name(character, ""))}


def find(arguments, call):
    words = arguments["words"].upper().split()
    found = [
        {"character": character, "name": name}
        for character, name in NAMES.items()
        if all(word in name for word in words)
    ]
    if not found:
        raise PluginError("CHARACTERS.NOT_FOUND", "no name has all of these words; give fewer", target="words")
    return {
        "data": {"characters": found[: arguments.get("limit", 20)], "total": len(found)},
        "presentation": {"summary": f"{len(found)} characters, among them {found[0]['character']}"},
    }


serve({"Find": find})
