import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { configSchema, settingsPage } from './settings-reference.ts';
import { settingKeys } from './settings-table.ts';
import { environmentVariables, flagName } from './setting-names.ts';

describe('docs/settings.md', () => {
  it('has a section with flag and variables for every setting', () => {
    const page = settingsPage();
    for (const key of settingKeys) {
      expect(page).toContain(`### ${key}\n`);
      expect(page).toContain(`\`--${flagName(key)}\``);
      for (const variable of environmentVariables(key)) expect(page).toContain(`\`${variable}\``);
    }
  });
});

describe('the JSON schema of config.json', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(configSchema());

  it.each([
    [{}],
    [{ $schema: './config.schema.json', server: { port: 0, cors: ['*'] } }],
    [{ server: { tls: { cert: 'a' }, 'tls.key': 'b' }, 'server.tls': { cert: 'a' } }],
    [{ 'engine.parallel': 3, models: { jit: false }, log: { level: 'debug' } }],
  ])('accepts %j', (config) => {
    expect(validate(config)).toBe(true);
  });

  it.each([
    [{ server: { prot: 1 } }],
    [{ server: { port: 70_000 } }],
    [{ engine: { kvTypeK: 'q9' } }],
    [{ store: { url: 'mysql://h/db' } }],
    [{ models: { preload: 'a' } }],
    [{ hub: { endpoint: 1 } }],
    [{ server: { tls: { crt: 'a' } } }],
  ])('rejects %j', (config) => {
    expect(validate(config)).toBe(false);
  });
});
