// The golden projections: what a reader sees changes only when somebody has read the difference.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AiView } from '../../src/present/ai/ai-view.ts';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { BridgeEnvelope } from '../../src/protocol/bridge-envelope.ts';
import { projectFixture, type ProjectionFixture } from '../support/projection-fixture.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/projections');
const fixtures = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name): [string, ProjectionFixture] => [
    name,
    JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as ProjectionFixture,
  ]);
const aiViews = fixtures.map(([, { views }]) => views.ai as AiView);
const every = <T>(found: readonly T[]): T[] => [...new Set(found)].toSorted();

describe('a golden projection', () => {
  it.each(fixtures)('is what the presenters give: %s', (_, fixture) => {
    expect(projectFixture(fixture)).toEqual(fixture.views);
    expect(BridgeEnvelope.safeParse(fixture.views.bridge).error?.issues ?? []).toEqual([]);
  });
});

describe('the golden projections', () => {
  it('are at least forty, of every status', () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(40);
    expect(every(fixtures.map(([, { canonical }]) => (canonical as CanonicalToolResult).status))).toEqual([
      'accepted',
      'cancelled',
      'error',
      'partial',
      'success',
      'timeout',
    ]);
  });

  it('have one of every renderer', () => {
    expect(
      every(fixtures.flatMap(([name]) => /^renderer-([a-z-]+)\.json$/.exec(name)?.[1] ?? [])).filter((name) =>
        RENDERERS.includes(name),
      ),
    ).toEqual(RENDERERS);
  });

  it('have every reason of a redaction, and every kind of loss', () => {
    expect(every(aiViews.flatMap(({ omitted }) => omitted.redactions.map(({ reason }) => reason)))).toEqual([
      'environment',
      'local path',
      'names a resource that is not shown',
      'not allowed in advice',
      'private address',
      'secret',
      'stderr',
    ]);
    expect(every(aiViews.flatMap(({ omitted }) => omitted.fields.map(({ unit }) => unit)))).toEqual([
      'characters',
      'fields',
      'items',
      'levels',
    ]);
    expect(aiViews.some(({ omitted }) => omitted.resources.length > 0)).toBe(true);
  });

  it('keep the budget that each was given', () => {
    for (const [name, { context, views }] of fixtures)
      expect([name, (views.ai as AiView).text.length <= (context.ai?.maxCharacters ?? 30_000)]).toEqual([name, true]);
  });
});

const RENDERERS = [
  'command-execution',
  'error',
  'file-result',
  'generic-array',
  'generic-object',
  'image-result',
  'schedule-list',
  'search-report',
  'table',
  'task-accepted',
  'task-status',
];
