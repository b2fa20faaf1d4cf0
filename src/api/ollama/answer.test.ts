import { expect, it } from 'vitest';
import { testContext } from '../../../test/setup/test-context.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { Engines } from '../../engines/engines.ts';
import type { ModelSettings } from '../../engines/loads/model-settings.ts';
import type { NamedModel } from '../../library/ollama/find-model.ts';
import { prepareModel } from './answer.ts';
import { toChatFields } from './answer-lines.ts';

const model = modelEntry({});
const instances = [
  { id: 'on-request', isExplicit: false, isPinned: false, requestCount: 0 },
  { id: 'busy', isExplicit: false, isPinned: false, requestCount: 1 },
  { id: 'by-name', isExplicit: true, isPinned: false, requestCount: 0 },
  { id: 'pinned', isExplicit: false, isPinned: true, requestCount: 0 },
].map((each) => ({ ...each, selection: { model }, state: 'ready' }));

it.each([
  ['chat', ['on-request']],
  ['models:write', ['on-request', 'by-name', 'pinned']],
])(
  'unloads the idle instances that a caller with the permission %s may unload',
  async (permission, ids) => {
    const unloaded: string[] = [];
    const pool = {
      list: () => instances,
      unload: async (id: string) => {
        unloaded.push(id);
        return id;
      },
    } as unknown as Engines;
    const modelSettings = { inForce: () => ({}) } as unknown as ModelSettings;
    const context = testContext({ caller: { hasPermission: (each) => each === permission } });
    const found = { identifier: model.key, selection: { model } } as unknown as NamedModel;
    const request = { model: 'm', isStreamed: false, startedAt: 0, toFields: toChatFields };
    const line = await prepareModel(
      { pool, modelSettings },
      found,
      { ttlSeconds: 0 },
      request,
      context,
    );
    expect(line).toMatchObject({ done: true, done_reason: 'unload' });
    expect(unloaded).toEqual(ids);
  },
);
