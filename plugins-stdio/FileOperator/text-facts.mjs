/** What every answer with text says about its file. */
export function factsOf({ root, path }, sizeBytes, { encoding, isCertain, bomLength, lineEnding }) {
  return {
    root,
    path,
    kind: 'text',
    sizeBytes,
    encoding,
    encodingIsCertain: isCertain,
    bom: bomLength > 0,
    lineEnding,
  };
}

/** The warning that some of a text is not what the file holds. */
export function inexact(encoding) {
  return {
    code: 'FILES.INEXACT_TEXT',
    message: `Some bytes are no characters of ${encoding} and are shown as U+FFFD. Give another "encoding", or read it with "as": "resource".`,
    target: 'data.content',
  };
}
