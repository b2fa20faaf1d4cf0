import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { LoadRequest } from '../../../../../src/api/v1/models/model-schema.ts';
import type { SettingsFields } from '../../../../../src/api/v1/models/model-settings-schema.ts';
import { call } from '../../../api/client.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { formatDuration } from '../../../ui/duration.ts';
import { showToast } from '../../../ui/toasts.ts';

/** Invalidates lists of models after each change, for callers that get no events. */
function useOutdateModels(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['models'] });
}

export function useLoadModel() {
  return useMutation({
    mutationFn: (body: LoadRequest) => call('post', '/api/v1/models/load', { body }),
    onSuccess: (result) => {
      if (result.status !== 'loaded') return;
      showToast(
        modelsTexts.loadedIn({
          name: result.instance_id,
          time: formatDuration(result.load_time_seconds),
        }),
      );
    },
    onSettled: useOutdateModels(),
  });
}

export function useUnloadModel() {
  return useMutation({
    mutationFn: (instance_id: string) =>
      call('post', '/api/v1/models/unload', { body: { instance_id } }),
    onSuccess: ({ instance_id }) => showToast(modelsTexts.unloaded({ name: instance_id })),
    onSettled: useOutdateModels(),
  });
}

export function useSaveSettings() {
  return useMutation({
    mutationFn: ({ model, body }: { readonly model: string; readonly body: SettingsFields }) =>
      call('put', '/api/v1/model-settings/{model...}', { params: { model }, body }),
    onSuccess: ({ model }) => showToast(modelsTexts.settings.saved({ name: model })),
    onSettled: useOutdateModels(),
  });
}

export function useDeleteProfile() {
  return useMutation({
    mutationFn: (model: string) =>
      call('delete', '/api/v1/model-settings/{model...}', { params: { model } }),
    onSuccess: ({ model }) => showToast(modelsTexts.settings.profileDeleted({ name: model })),
    onSettled: useOutdateModels(),
  });
}

export function useDeleteModel() {
  return useMutation({
    mutationFn: (model: string) =>
      call('delete', '/api/v1/models/{model...}', { params: { model } }),
    onSuccess: ({ model, freed_bytes }) =>
      showToast(modelsTexts.deleted({ name: model, freed: formatBytes(freed_bytes) })),
    onSettled: useOutdateModels(),
  });
}
