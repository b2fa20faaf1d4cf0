import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../api/api-error.ts';
import { keep, readKept } from '../../../api/browser-storage.ts';
import { call } from '../../../api/client.ts';
import { toRecordName } from '../../../api/record-name.ts';
import type { ConversationSettings } from './conversation-settings.ts';
import { toPresetBody } from './preset-values.ts';

/** Earlier versions stored presets here, in the browser. */
const storageKey = 'hearth.chat.presets';

export const presetsQuery = queryOptions({
  queryKey: ['presets'],
  queryFn: async ({ signal }) => {
    await moveBrowserPresets();
    const { presets } = await call('get', '/api/v1/presets', {}, { signal });
    return presets;
  },
});

type PresetBody = ReturnType<typeof toPresetBody> & { readonly revision: number };

function put(preset: string, body: PresetBody) {
  return call('put', '/api/v1/presets/{preset}', { params: { preset }, body });
}

export function useSavePreset() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, body }: { readonly name: string; readonly body: PresetBody }) =>
      put(name, body),
    onSettled: () => queries.invalidateQueries(presetsQuery),
  });
}

export function useDeletePreset() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (preset: string) =>
      call('delete', '/api/v1/presets/{preset}', { params: { preset } }),
    onSettled: () => queries.invalidateQueries(presetsQuery),
  });
}

interface KeptPreset {
  readonly name: string;
  readonly settings: ConversationSettings;
}

/** Moves the presets of this browser to the server, once. Presets whose name already exists there are left out. */
async function moveBrowserPresets(): Promise<void> {
  const kept = readKept(storageKey);
  if (kept === null) return;
  for (const { name, settings } of parse(kept)) {
    const body = { ...toPresetBody(settings, false), revision: 0 };
    await put(toRecordName(name), body).catch((error: unknown) => {
      // The name already exists on the server, or the server rejects the settings.
      if (error instanceof ApiError && (error.status === 409 || error.status === 400)) return;
      throw error;
    });
  }
  keep(storageKey, null);
}

function parse(kept: string): readonly KeptPreset[] {
  try {
    return JSON.parse(kept) as readonly KeptPreset[];
  } catch {
    return [];
  }
}
