import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { InstanceStatus } from '../../../../../src/api/v1/server/status-schema.ts';
import type { V1Model } from '../../../../../src/api/v1/models/model-schema.ts';
import { isStarter } from '../../../downloads/is-first-run.ts';
import { modelName } from '../../../api/model-name.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { texts } from '../../../texts/texts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { formatBytes } from '../../../ui/bytes.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import {
  useDeleteModel,
  useDeleteProfile,
  useLoadModel,
  useUnloadModel,
} from './library-mutations.ts';
import { separated } from '../../../ui/separated.ts';

const labels = modelsTexts;

interface RowProps {
  readonly model: V1Model;
  readonly aliases: readonly string[];
  readonly instances: readonly InstanceStatus[];
  readonly progress: Readonly<Record<string, number>>;
  readonly onOpen: () => void;
}

/** A model of the library with its instances. */
export function ModelRow({ model, aliases, instances, progress, onOpen }: RowProps) {
  return (
    <li className="rounded-2xl border bg-raised">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="text-[15px] font-semibold">
              <button
                type="button"
                className="text-start break-words hover:underline"
                aria-label={labels.open({ name: modelName(model) })}
                onClick={onOpen}
              >
                {modelName(model)}
              </button>
            </h2>
            <Capabilities model={model} />
          </div>
          <p className="mt-0.5 text-xs break-words text-muted">
            {separated([model.key, ...figuresOf(model)])}
          </p>
          {aliases.length > 0 && (
            <p className="text-xs text-muted">{labels.aliases({ names: aliases.join(', ') })}</p>
          )}
        </div>
        <RowActions
          model={model}
          isLoaded={instances.length + model.loaded_instances.length > 0}
          onOpen={onOpen}
        />
      </div>
      {instances.map((instance) => (
        <InstanceRow
          key={instance.id}
          instance={instance}
          isRemote={model.format === null}
          progress={progress[instance.id]}
        />
      ))}
    </li>
  );
}

function figuresOf(model: V1Model) {
  const { params_string, quantization, format, size_bytes, max_context_length } = model;
  return [
    ...(params_string === null ? [] : [labels.parameters({ params: params_string })]),
    ...(quantization === null ? [] : [quantization.name]),
    format === null ? labels.remote : formatBytes(size_bytes),
    labels.maxContext({ tokens: max_context_length }),
  ];
}

function Capabilities({ model: { type, base, capabilities } }: { readonly model: V1Model }) {
  return (
    <span className="flex flex-wrap gap-1">
      <Badge>
        {base === undefined ? labels.types[type] : labels.settings.profileOf({ model: base })}
      </Badge>
      {capabilities?.vision === true && <Badge>{labels.vision}</Badge>}
      {capabilities?.trained_for_tool_use === true && <Badge>{labels.tools}</Badge>}
      {capabilities?.reasoning !== undefined && <Badge>{labels.reasoning}</Badge>}
    </span>
  );
}

function RowActions({
  model,
  isLoaded,
  onOpen,
}: {
  readonly model: V1Model;
  readonly isLoaded: boolean;
  readonly onOpen: () => void;
}) {
  const isAllowed = usePermissions()('models:write');
  const load = useLoadModel();
  const removeModel = useDeleteModel();
  const removeProfile = useDeleteProfile();
  const isProfile = model.base !== undefined;
  const remove = isProfile ? removeProfile : removeModel;
  const [isAsking, setAsking] = useState(false);
  return (
    <div className="flex items-center gap-1.5">
      <Button size="small" onClick={onOpen}>
        {labels.details}
      </Button>
      {isAllowed && (
        <>
          {!isLoaded && (
            <Button
              size="small"
              variant="primary"
              aria-label={labels.loadModel({ name: modelName(model) })}
              disabled={load.isPending}
              onClick={() => load.mutate({ model: model.key })}
            >
              {labels.load}
            </Button>
          )}
          {canBeDeleted(model) && (
            <IconButton
              icon={Trash2}
              size={16}
              label={labels.deleteModel({ name: modelName(model) })}
              onClick={() => setAsking(true)}
            />
          )}
          <ConfirmDialog
            isOpen={isAsking}
            onClose={() => setAsking(false)}
            onConfirm={() => remove.mutate(model.key)}
            title={labels.deleteTitle({ name: modelName(model) })}
            description={
              isProfile
                ? labels.settings.deleteProfileHint
                : labels.deleteHint({ size: formatBytes(model.size_bytes) })
            }
            action={texts.app.delete}
          />
        </>
      )}
    </div>
  );
}

/** True for profiles; false for starter models and for models on other servers. */
function canBeDeleted(model: V1Model): boolean {
  return model.base !== undefined || (!isStarter(model) && model.format !== null);
}

function InstanceRow({
  instance: { id, state, config, changed_settings, estimated_bytes, resident_bytes },
  isRemote,
  progress,
}: {
  readonly instance: InstanceStatus;
  /** True if the model is in the memory of another server. */
  readonly isRemote: boolean;
  readonly progress: number | undefined;
}) {
  const isAllowed = usePermissions()('models:write');
  const unload = useUnloadModel();
  return (
    <div className="flex flex-col gap-2 border-t px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Badge tone={state === 'ready' ? 'ok' : 'warn'}>{labels.states[state]}</Badge>
        <span className="min-w-0 flex-1 text-xs break-words text-muted">
          {separated([
            id,
            ...(changed_settings === undefined ? [] : [labels.settings.changed]),
            labels.instance({ tokens: config.context_length, requests: config.parallel ?? 0 }),
            ...(isRemote
              ? []
              : [labels.usesMemory({ size: formatBytes(resident_bytes ?? estimated_bytes) })]),
          ])}
        </span>
        {isAllowed && state === 'ready' && (
          <Button
            size="small"
            aria-label={labels.unloadInstance({ id })}
            disabled={unload.isPending}
            onClick={() => unload.mutate(id)}
          >
            {labels.unload}
          </Button>
        )}
      </div>
      {state !== 'ready' && <ProgressBar label={id} fraction={progress} />}
    </div>
  );
}
