import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { environmentVariables } from './setting-names.ts';
import { settingKeys } from './settings-table.ts';
import { loadSettings } from './settings.ts';

// covers server-12
it('has the specified settings with the specified defaults', async () => {
  const settings = await loadSettings({
    home: await temporaryFolder(),
    environment: {},
    flags: {},
  });
  expect(settings).toMatchObject({
    'server.host': '127.0.0.1',
    'server.port': 1234,
    'server.cors': [],
    'server.allowedHosts': [],
    'auth.required': false,
    'mcp.allowPlugins': false,
    'mcp.allowEphemeral': false,
    'mcp.allowedHosts': [],
    'models.jit': true,
    'models.ttlSeconds': 3600,
    'models.autoEvict': true,
    'limits.shutdownSeconds': 30,
    'chat.maxToolRounds': 16,
    'surfaces.openai': true,
    'surfaces.anthropic': true,
    'surfaces.ollama': true,
    'surfaces.mcp': true,
    'log.prompts': false,
  });
  const others =
    'models.dir models.maxLoaded models.memoryLimitBytes models.aliases hub.endpoint hub.token store.url store.retentionDays store.maxBytes server.publicUrl server.listenAlso server.tls.cert server.tls.key warm.maxBytes tracing.endpoint engine.threads engine.parallel engine.gpuLayers engine.kvType';
  expect(settingKeys).toEqual(expect.arrayContaining(others.split(' ')));
});

// covers server-12
it('names the variable of a setting after its key', () => {
  expect(environmentVariables('mcp.allowEphemeral')).toContain('HEARTH_MCP_ALLOW_EPHEMERAL');
  for (const key of settingKeys) {
    const name = key.replaceAll('.', '_').replaceAll(/(?<=[a-z])(?=[A-Z][a-z])/g, '_');
    expect([key, environmentVariables(key)]).toEqual([
      key,
      expect.arrayContaining([`HEARTH_${name.toUpperCase()}`]),
    ]);
  }
});
