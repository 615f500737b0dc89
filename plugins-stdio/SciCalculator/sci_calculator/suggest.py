"""The known names that look most like an unknown one."""

_MAX_NAME_CHARS = 32
_MAX_SUGGESTIONS = 3


def suggest(name, known):
    if len(name) > _MAX_NAME_CHARS:
        return []
    from difflib import get_close_matches  # slow to import, needed only for a mistake

    same = [candidate for candidate in known if candidate.lower() == name.lower()]
    return (same + [c for c in get_close_matches(name, known, _MAX_SUGGESTIONS, 0.6) if c not in same])[:_MAX_SUGGESTIONS]
