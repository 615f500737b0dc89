/**
 * A name in the archive for each file, in order: nobody's name is lost, so a second `a.txt` becomes `a (2).txt`. Names
 * are compared as Windows and macOS do, where they will be unpacked, without a difference between cases.
 */
export function entryNames(fileNames, folder = '') {
  const taken = new Set();
  return fileNames.map((fileName) => {
    const { stem, ending } = parts(safe(fileName));
    let name = stem + ending;
    for (let number = 2; taken.has(slot(name)); number += 1) name = `${stem} (${number})${ending}`;
    taken.add(slot(name));
    return folder === '' ? name : `${folder}/${name}`;
  });
}

const slot = (name) => name.normalize('NFC').toLowerCase();

function parts(name) {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { stem: name.slice(0, dot), ending: name.slice(dot) } : { stem: name, ending: '' };
}

/** What unpacks outside its folder, or not at all, has no place in a name. */
function safe(fileName) {
  const last = fileName
    .split(/[/\\]/)
    .at(-1)
    .replaceAll(/[\p{Cc}<>:"|?*]/gu, '_')
    .replaceAll(/[. ]+$/g, '');
  return last === '' ? 'file' : last;
}
