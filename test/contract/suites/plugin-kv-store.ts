import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PluginKvStore } from '../../../src/ports/plugin-kv-store.ts';

export type OpenPluginKvStore = { readonly store: PluginKvStore; close(): Promise<void> };

/** What every store of plugins' values does. `open` gives an empty one. */
export const describePluginKvStore = (name: string, open: () => Promise<OpenPluginKvStore>): void => {
  describe(`plugin kv store: ${name}`, () => {
    let opened: OpenPluginKvStore;
    let store: PluginKvStore;
    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterEach(() => opened.close());

    it('keeps the text of a value, whatever is in it', async () => {
      expect(await store.get('Sample', 'a')).toBeNull();
      expect(await store.set('Sample', 'a', '{"text":"日本 \'; --","n":null}', 1_000)).toBe(true);
      expect(await store.set('Sample', "k'ey 日", '""', 1_000)).toBe(true);
      expect(await store.get('Sample', 'a')).toBe('{"text":"日本 \'; --","n":null}');
      expect(await store.get('Sample', "k'ey 日")).toBe('""');
    });

    it('replaces and removes', async () => {
      await store.set('Sample', 'a', '1', 1_000);
      await store.set('Sample', 'a', '2', 1_000);
      expect(await store.get('Sample', 'a')).toBe('2');
      await store.remove('Sample', 'a');
      await store.remove('Sample', 'never there');
      expect(await store.get('Sample', 'a')).toBeNull();
    });

    it('shows no plugin the values of another', async () => {
      await store.set('One', 'a', '1', 1_000);
      await store.set('Two', 'a', '2', 1_000);
      await store.remove('Two', 'a');
      expect([await store.get('One', 'a'), await store.get('Two', 'a')]).toEqual(['1', null]);
    });

    it('counts bytes of keys and values and 128 for each, and takes nothing beyond the limit', async () => {
      // 1 + 71 + 128 bytes.
      const value = `"${'x'.repeat(69)}"`;
      expect(await store.set('Sample', 'a', value, 199)).toBe(false);
      expect(await store.get('Sample', 'a')).toBeNull();
      expect(await store.set('Sample', 'a', value, 200)).toBe(true);
      expect(await store.set('Sample', 'b', value, 399)).toBe(false);
      expect(await store.set('Sample', 'b', value, 400)).toBe(true);
      // Three bytes a character.
      expect(await store.set('Sample', 'b', `"${'日'.repeat(24)}"`, 400)).toBe(false);
      expect(await store.get('Sample', 'b')).toBe(value);
    });

    it('lets a value be replaced by one of the same size when all is full, and takes new ones when there is room again', async () => {
      await store.set('Sample', 'a', '1', 260);
      await store.set('Sample', 'b', '1', 260);
      expect(await store.set('Sample', 'a', '2', 260)).toBe(true);
      expect(await store.set('Sample', 'c', '1', 260)).toBe(false);
      await store.remove('Sample', 'a');
      expect(await store.set('Sample', 'c', '1', 260)).toBe(true);
    });

    it('holds the limit when many set at once', async () => {
      // Each takes 2 + 1 + 128 bytes, so seven fit.
      const taken = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store.set('Sample', `k${String.fromCharCode(97 + (index % 25))}`, '1', 920),
        ),
      );
      const kept = await Promise.all(
        Array.from({ length: 25 }, (_, index) => store.get('Sample', `k${String.fromCharCode(97 + index)}`)),
      );
      expect(kept.filter((value) => value !== null)).toHaveLength(7);
      // The same key again takes no more.
      expect(taken.filter(Boolean)).toHaveLength(14);
    });
  });
};
