import type { Omission } from '../../src/lib/sample-json.ts';

/**
 * What is missing from a sample and not covered by any omission, as pointers. Written without the code under test: it
 * walks both values side by side and asks of every difference whether an omission at that very place counts it right.
 */
export const uncoveredLosses = (
  original: unknown,
  sample: unknown,
  omissions: readonly Omission[],
  pointer = '',
): string[] => {
  const cut = omissions.find((omission) => omission.pointer === pointer);
  const counts = (unit: Omission['unit'], originalCount: number, keptCount: number) =>
    cut !== undefined && cut.unit === unit && cut.originalCount === originalCount && cut.keptCount === keptCount;

  if (typeof original === 'string') {
    if (sample === original) return [];
    const kept = typeof sample === 'string' ? sample.slice(0, -1) : '';
    const isExcerpt = typeof sample === 'string' && sample.endsWith('…') && original.startsWith(kept);
    return isExcerpt && counts('characters', original.length, kept.length) ? [] : [pointer];
  }
  if (typeof original !== 'object' || original === null) return sample === original ? [] : [pointer];
  if (typeof sample !== 'object' || sample === null || Array.isArray(sample) !== Array.isArray(original))
    return [pointer];
  const originalKeys = Object.keys(original);
  const sampleKeys = Object.keys(sample);
  if (sampleKeys.some((key) => !Object.hasOwn(original, key))) return [pointer];
  if (Array.isArray(sample) && !sampleKeys.every((key, index) => key === String(index))) return [pointer];
  const lost: string[] = [];
  if (sampleKeys.length < originalKeys.length) {
    const unit = Array.isArray(original) ? 'items' : 'fields';
    const covered =
      counts(unit, originalKeys.length, sampleKeys.length) ||
      (sampleKeys.length === 0 && counts('levels', originalKeys.length, 0));
    if (!covered) lost.push(pointer);
  }
  for (const key of sampleKeys) {
    const step = key.replaceAll('~', '~0').replaceAll('/', '~1');
    lost.push(
      ...uncoveredLosses(
        (original as Record<string, unknown>)[key],
        (sample as Record<string, unknown>)[key],
        omissions,
        `${pointer}/${step}`,
      ),
    );
  }
  return lost;
};
