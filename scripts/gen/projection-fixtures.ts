// The golden projections: each file has a canonical result, who reads it, and the five views that follow. What a file
// says of its input is kept; its views are made anew.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFixture, type ProjectionFixture } from '../../test/support/projection-fixture.ts';
import { root } from '../lib/repository.ts';

const FOLDER = 'test/fixtures/projections';

/** The text of each file by its path in the repository. */
export const projectionFixtures = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(join(root, FOLDER))
      .filter((name) => name.endsWith('.json'))
      .map((name) => {
        const path = `${FOLDER}/${name}`;
        const fixture = JSON.parse(readFileSync(join(root, path), 'utf8')) as ProjectionFixture;
        const views = projectFixture(fixture);
        return [path, `${JSON.stringify({ ...fixture, views }, null, 2)}\n`] as const;
      }),
  );
