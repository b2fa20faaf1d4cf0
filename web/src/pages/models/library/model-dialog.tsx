import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { V1Model } from '../../../../../src/api/v1/models/model-schema.ts';
import { call } from '../../../api/client.ts';
import { modelName } from '../../../api/model-name.ts';
import { modelDetailsQuery } from '../../../api/queries.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { messageOf } from '../../../ui/toasts.ts';
import { useLoadModel } from './library-mutations.ts';
import { emptyLoadForm, toEstimateRequest, toLoadRequest, toLoadSettings } from './load-form.ts';
import { LoadSettings } from './load-settings.tsx';
import { MemoryBar } from './memory-bar.tsx';
import { ModelSettingsCard } from './settings-form.tsx';
import { ModelFacts } from './model-facts.tsx';
import { PlacementView } from './placement-view.tsx';

/** A model with its memory at a chosen context, its load settings and its files. */
export function ModelDialog({
  model,
  onClose,
}: {
  readonly model: V1Model | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen={model !== undefined}
      onClose={onClose}
      title={model === undefined ? '' : modelName(model)}
      description={model?.key ?? ''}
      className="!max-w-2xl"
    >
      {model !== undefined && <ModelDetails model={model} onClose={onClose} />}
    </Dialog>
  );
}

function ModelDetails({
  model,
  onClose,
}: {
  readonly model: V1Model;
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(emptyLoadForm);
  const isAllowed = usePermissions()('models:write');
  const load = useLoadModel();
  const body = useDeferredValue(toEstimateRequest(model.key, form));
  const { data: details } = useQuery(modelDetailsQuery(model.key));
  const { data, error } = useQuery({
    queryKey: ['models', 'estimate', body],
    queryFn: ({ signal }) => call('post', '/api/v1/models/estimate', { body }, { signal }),
    placeholderData: keepPreviousData,
  });
  // If the server rejects the settings, the last estimate stays visible.
  const [estimate, setEstimate] = useState(data);
  if (data !== undefined && data !== estimate) setEstimate(data);
  return (
    <div className="flex flex-col gap-5">
      <LoadSettings
        form={form}
        onChange={setForm}
        isReadOnly={!isAllowed}
        longest={model.max_context_length}
        defaults={estimate?.load_config}
        hasGpu={estimate?.placement !== undefined}
        hasExperts={details?.structure.experts_used !== undefined}
      />
      {error !== null && <Notice tone="danger">{messageOf(error)}</Notice>}
      {estimate !== undefined && model.format !== null && <MemoryBar estimate={estimate} />}
      {estimate !== undefined && model.format === 'gguf' && <PlacementView estimate={estimate} />}
      {isAllowed && (
        <div className="flex justify-end">
          <Button
            variant="primary"
            disabled={load.isPending}
            onClick={() =>
              load.mutate(toLoadRequest(model.key, form), { onSuccess: () => onClose() })
            }
          >
            {model.loaded_instances.length > 0 ? modelsTexts.loadMore : modelsTexts.load}
          </Button>
        </div>
      )}
      {isAllowed && <ModelSettingsCard model={model} load={toLoadSettings(form)} />}
      <ModelFacts model={model.key} />
    </div>
  );
}
