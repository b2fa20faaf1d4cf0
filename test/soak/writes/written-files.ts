import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { starterPath } from '../../setup/engine/test-engines.ts';
import type { FakeHub } from '../../setup/hub/fake-hub.ts';
import { postRaw, toAnswer } from '../../setup/server/api.ts';
import { sha256 } from './stored-things.ts';
import { find, remove, send, succeeded, waitUntil, type WriteKind } from './write-kind.ts';

const starters = ['hearth/starter-chat', 'hearth/starter-vision', 'hearth/starter-embed'];

/** `config.json`: one setting for each client. */
const settings: WriteKind = {
  name: 'settings',
  async write({ server, ledger, random, client }) {
    const key = ['models.ttlSeconds', 'store.retentionDays', 'models.aliases'][client % 3] ?? '';
    const number = 1000 + Math.floor(random() * 30_000);
    const value = key === 'models.aliases' ? { assistant: `publisher/model-${number}` } : number;
    await ledger.change(key, value, () =>
      send(server, '/api/v1/settings', { [key]: value }, 'PATCH'),
    );
  },
  read: async (server, key) => {
    const { settings: all } = await find(server, '/api/v1/settings');
    const found = all.find((setting: { readonly key: string }) => setting.key === key);
    return found.source === 'file' ? found.value : undefined;
  },
};

/** `models.json`: one model for each client. */
const modelSettings: WriteKind = {
  name: 'settings of models',
  async write({ server, ledger, random, client }) {
    const model = starters[client % starters.length] ?? '';
    const path = `/api/v1/model-settings/${model}`;
    const load = { context_length: 256 + Math.floor(random() * 256) };
    await ledger.change(model, load, () => send(server, path, { load }, 'PUT'));
    if (random() < 0.2) await ledger.change(model, undefined, () => remove(server, path));
  },
  read: async (server, model) => {
    const { models } = await find(server, '/api/v1/model-settings');
    return models.find((entry: { readonly model: string }) => entry.model === model)?.load;
  },
};

/** `mcp.json`: entries that are added, changed and removed. */
const toolServers: WriteKind = {
  name: 'tool servers',
  async write({ server, ledger, random, name }) {
    const path = `/api/v1/mcp/servers/${name}`;
    for (const args of [['first'], ['second', 'x'.repeat(Math.floor(random() * 10_000))]]) {
      await ledger.change(name, args, () => send(server, path, { command: 'node', args }, 'PUT'));
    }
    if (random() < 0.5) await ledger.change(name, undefined, () => remove(server, path));
  },
  read: async (server, label) => {
    const { servers } = await find(server, '/api/v1/mcp/servers');
    return servers.find((entry: { readonly label: string }) => entry.label === label)?.args;
  },
};

/** Uploaded model files: each is whole or absent. */
const uploadedModels: WriteKind = {
  name: 'uploaded models',
  async write({ server, ledger, name }) {
    const bytes = await readFile(starterPath('embed'));
    const path = `local/${name}/model-Q8_0.gguf`;
    await ledger.change(path, sha256(bytes), async () =>
      succeeded(
        await toAnswer(
          await postRaw(server.url, `/api/v1/models/files/${path}`, bytes, {
            method: 'PUT',
            headers: { ...server.headers, 'content-type': 'application/octet-stream' },
          }),
        ),
      ),
    );
  },
  read: ({ home }, path) => hashOfModel(home, path),
};

/** Model files copied into the library: each is whole or absent. */
const importedModels: WriteKind = {
  name: 'imported models',
  async write({ server, ledger, name }) {
    const path = starterPath('chat');
    const target = `local/${name}/starter-chat-q8_0.gguf`;
    await ledger.change(target, sha256(await readFile(path)), () =>
      send(server, '/api/v1/models/import', {
        path,
        method: 'copy',
        publisher: 'local',
        repository: name,
      }),
    );
  },
  read: ({ home }, path) => hashOfModel(home, path),
};

/** Downloads. Each is listed as soon as it is acknowledged, and completes after the restart. */
const downloads = (hub: () => FakeHub): WriteKind => ({
  name: 'downloads',
  async write({ server, ledger, random, name }) {
    const file = {
      sizeBytes: 3_000_000 + Math.floor(random() * 3_000_000),
      seed: Math.floor(random() * 1e6),
    };
    const repository = `acme/${name}-GGUF`;
    hub().addRepository({ name: repository, files: { 'model-Q8_0.gguf': file } });
    const model = `https://huggingface.co/${repository}`;
    const { job_id: id } = await send(server, '/api/v1/models/download', { model });
    const hash = hub().repository(repository).fileAt('model-Q8_0.gguf')?.content.sha256();
    ledger.add(`${id} ${repository}/model-Q8_0.gguf`, hash);
    await this.read(server, `${id} ${repository}/model-Q8_0.gguf`);
  },
  read: async (server, key) => {
    const [id = '', path = ''] = key.split(' ');
    const status = await waitUntil(
      async () => (await find(server, `/api/v1/models/download/status/${id}`))?.status,
      (value) => value !== 'downloading',
    );
    return status === 'completed' ? hashOfModel(server.home, path) : status;
  },
  list: async (server) => {
    const body = await find(server, '/api/v1/models/downloads');
    return body.downloads.map(({ model }: { readonly model: string }) =>
      model.replace('acme/', ''),
    );
  },
});

async function hashOfModel(home: string, path: string): Promise<string | undefined> {
  const bytes = await readFile(join(home, 'models', path)).catch(() => undefined);
  return bytes && sha256(bytes);
}

export const fileKinds = (hub: () => FakeHub): readonly WriteKind[] => [
  settings,
  modelSettings,
  toolServers,
  uploadedModels,
  importedModels,
  downloads(hub),
];
