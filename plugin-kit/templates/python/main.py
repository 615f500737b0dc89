from vcp_plugin import PluginError, serve


def count(arguments, call):
    words = len(arguments["text"].split())
    if words == 0:
        raise PluginError("TEXT.EMPTY", "text holds no word; give one with at least one letter", target="text")
    return {"data": {"words": words}, "presentation": {"summary": f"{words} words"}}


serve({"Count": count})
