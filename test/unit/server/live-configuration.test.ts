import { describe, expect, it } from 'vitest';
import { loadConfiguration, type LoadedConfiguration } from '../../../src/server/configuration.ts';
import { createLiveConfiguration } from '../../../src/server/live-configuration.ts';

const open = (variables: Record<string, string> = {}) => {
  let now = variables;
  const logged: string[] = [];
  const log = (event: string, fields: object = {}) => void logged.push(`${event} ${JSON.stringify(fields)}`);
  const loaded = loadConfiguration(variables) as LoadedConfiguration & { ok: true };
  const live = createLiveConfiguration(loaded, () => loadConfiguration(now), {
    debug: log,
    info: log,
    warn: log,
    error: log,
  });
  return {
    logged,
    current: live.current,
    reload: (next: Record<string, string>) => {
      now = next;
      return live.reload();
    },
  };
};

describe('a configuration that changes while the server runs', () => {
  it('takes over what a running server can', () => {
    const { current, reload } = open({ VCP_PLUGIN_DIRS: '/a' });
    expect(reload({ VCP_PLUGIN_DIRS: '/a,/b', VCP_LOG_LEVEL: 'debug', VCP_CORS_ORIGINS: 'https://a.example' })).toEqual(
      {
        applied: ['VCP_PLUGIN_DIRS', 'VCP_LOG_LEVEL', 'VCP_CORS_ORIGINS'],
        needsRestart: [],
        errors: [],
      },
    );
    expect(current()).toMatchObject({
      VCP_PLUGIN_DIRS: ['/a', '/b'],
      VCP_LOG_LEVEL: 'debug',
      VCP_CORS_ORIGINS: ['https://a.example'],
    });
    expect(reload({}).applied).toEqual(['VCP_PLUGIN_DIRS', 'VCP_LOG_LEVEL', 'VCP_CORS_ORIGINS']);
    expect(current().VCP_PLUGIN_DIRS).toBeUndefined();
  });

  it('says by name, once, what needs a restart, and does as if it had not changed', () => {
    const { current, reload, logged } = open();
    const changed = { VCP_PORT: '7000', VCP_LIMIT_FRAME_BYTES: '10' };
    expect(reload(changed).needsRestart).toEqual(['VCP_PORT', 'VCP_LIMIT_FRAME_BYTES']);
    expect(reload(changed).needsRestart).toEqual(['VCP_PORT', 'VCP_LIMIT_FRAME_BYTES']);
    expect(current().VCP_PORT).toBe(6005);
    expect(logged).toEqual([
      'configuration.needs-restart {"name":"VCP_PORT"}',
      'configuration.needs-restart {"name":"VCP_LIMIT_FRAME_BYTES"}',
    ]);
    expect(reload({}).needsRestart).toEqual([]);
  });

  it('keeps the last good one when the new one cannot be used, and says why once', () => {
    const { current, reload, logged } = open();
    const broken = { VCP_LOG_LEVEL: 'loud', VCP_CORS_ORIGINS: 'https://a.example' };
    const errors = [{ name: 'VCP_LOG_LEVEL', message: 'must be debug, info, warning or error' }];
    expect(reload(broken)).toEqual({ applied: [], needsRestart: [], errors });
    expect(reload(broken).errors).toEqual(errors);
    expect(current().VCP_CORS_ORIGINS).toEqual([]);
    expect(logged).toHaveLength(1);
    expect(reload({ VCP_LOG_LEVEL: 'debug' })).toEqual({ applied: ['VCP_LOG_LEVEL'], needsRestart: [], errors: [] });
  });
});
