import { describe, expect, it } from 'vitest';
import { settingKeys } from '../settings/settings-table.ts';
import {
  describeRemovedFlags,
  settingsFromFlags,
  serveOptions,
  toCommandLine,
  toSecretVariables,
  type ServeValues,
} from './serve-options.ts';

const nothing = Object.fromEntries(
  Object.keys(serveOptions).map((name) => [name, undefined]),
) as ServeValues;

describe('serveOptions', () => {
  it('has a flag for every setting', () => {
    expect(settingKeys.filter((key) => !(key in serveOptions))).toEqual([]);
    expect(serveOptions['models.ttlSeconds'].flags).toBe('--models-ttl-seconds <value>');
    expect(serveOptions['server.port'].flags).toBe('--server-port <value>');
    expect(serveOptions.port.flags).toBe('-p, --port <value>');
    expect(serveOptions['auth.required'].flags).toBe('--auth-required [boolean]');
  });
});

describe('describeRemovedFlags', () => {
  it('says what replaces a removed flag', () => {
    const values = { ...nothing, 'limits-load-queue': '5' };
    expect(describeRemovedFlags(nothing)).toEqual([]);
    expect(describeRemovedFlags(values)).toEqual([
      '--limits-load-queue is no longer a setting. It is fixed now: 32.',
    ]);
    expect(settingsFromFlags(values)).toEqual({});
    expect(toCommandLine(values)).toEqual([]);
  });
});

describe('settingsFromFlags', () => {
  it('omits options that are not used', () => {
    expect(settingsFromFlags(nothing)).toEqual({});
    expect(settingsFromFlags({ ...nothing, 'server.port': '0', 'auth.required': true })).toEqual({
      'server.port': '0',
      'auth.required': true,
    });
  });

  it('takes --port for --server-port, and --host for --bind', () => {
    expect(settingsFromFlags({ ...nothing, port: '0' })).toEqual({ 'server.port': '0' });
    expect(settingsFromFlags({ ...nothing, host: '::1' })).toEqual({ 'server.host': '::1' });
  });
});

describe('toCommandLine', () => {
  it('reproduces the values', () => {
    const values = {
      ...nothing,
      'server.port': '0',
      host: '::1',
      preload: ['a/b', 'c/d@q8_0'],
      allowUnauthenticated: true,
    };
    expect(toCommandLine(values)).toEqual([
      '--server-port=0',
      '--server-host=::1',
      '--models-preload=a/b,c/d@q8_0',
      '--allow-unauthenticated',
    ]);
  });

  it('passes secrets by environment, hidden from other users', () => {
    const values = { ...nothing, 'server.port': '0', 'hub.token': 'hf_secret' };
    expect(toCommandLine(values)).toEqual(['--server-port=0']);
    expect(toSecretVariables(values)).toEqual({ HEARTH_HUB_TOKEN: 'hf_secret' });
  });
});
