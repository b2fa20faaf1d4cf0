import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { Check, ChevronDown, LoaderCircle } from 'lucide-react';
import { useId, useState } from 'react';
import { useLoadProgress } from '../../../api/load-progress.ts';
import { modelsQuery } from '../../../api/queries.ts';
import { texts } from '../../../texts/texts.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { classNames } from '../../../ui/class-names.ts';
import { chatModels, estimateQuery, isLoaded, type Model } from './model-queries.ts';

interface PickerProps {
  readonly chosen: string | undefined;
  readonly contextLength: number | undefined;
  readonly onChoose: (key: string) => void;
}

/** Chooses the model of a conversation; shows which are loaded and the memory that the others need. */
export function ModelPicker(props: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery(modelsQuery);
  const current = data?.models.find(({ key }) => key === props.chosen);
  const progress = useLoadProgress('model');
  const loading = props.chosen === undefined ? undefined : progress[props.chosen];
  const labels = texts.chat.model;
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        aria-label={`${labels.choose}: ${props.chosen ?? labels.none}`}
        className="flex h-9 min-w-0 items-center gap-2 rounded-lg px-2.5 text-sm font-medium hover:bg-hover"
      >
        <StateDot isLoaded={current !== undefined && isLoaded(current)} progress={loading} />
        <span className="truncate">{current?.display_name ?? props.chosen ?? labels.choose}</span>
        {loading !== undefined && (
          <span className="text-xs text-muted tabular-nums">{labels.loading(loading)}</span>
        )}
        <ChevronDown size={15} aria-hidden className="shrink-0 text-muted" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="z-40">
          <Popover.Popup
            aria-label={labels.choose}
            className="popup w-[min(26rem,calc(100vw-1.5rem))] overflow-hidden rounded-2xl border bg-raised shadow-pop outline-none"
          >
            <ModelList
              {...props}
              models={chatModels(data?.models ?? [])}
              progress={progress}
              onChoose={(key) => {
                setOpen(false);
                props.onChoose(key);
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ModelList({
  models,
  chosen,
  contextLength,
  progress,
  onChoose,
}: PickerProps & {
  readonly models: readonly Model[];
  /** Progress of loads by model. */
  readonly progress: Readonly<Record<string, number>>;
}) {
  const [search, setSearch] = useState('');
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      models.findIndex(({ key }) => key === chosen),
    ),
  );
  const listId = useId();
  const labels = texts.chat.model;
  const found = models.filter(({ key, display_name: name }) =>
    `${key} ${name}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  const position = Math.min(active, found.length - 1);
  return (
    <>
      <input
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={found.length === 0 ? undefined : `${listId}-${position}`}
        aria-label={labels.search}
        placeholder={labels.search}
        className="w-full border-b bg-transparent px-4 py-3 text-sm outline-none"
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined && found.length > 0) {
            event.preventDefault();
            setActive((position + step + found.length) % found.length);
          }
          const model = found[position];
          if (event.key === 'Enter' && model !== undefined) {
            event.preventDefault();
            onChoose(model.key);
          }
        }}
      />
      <ul
        id={listId}
        role="listbox"
        aria-label={labels.choose}
        className="max-h-[50vh] overflow-y-auto p-1.5"
      >
        {found.map((model, index) => (
          <li
            key={model.key}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={model.key === chosen}
            className={classNames(
              'flex cursor-pointer items-start gap-2.5 rounded-xl px-3 py-2',
              index === position && 'bg-hover',
            )}
            onMouseMove={() => setActive(index)}
            onClick={() => onChoose(model.key)}
          >
            <ModelOption
              model={model}
              contextLength={contextLength}
              progress={progress[model.key]}
            />
            {model.key === chosen && (
              <Check size={16} aria-hidden className="mt-1 shrink-0 text-accent" />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function ModelOption({
  model,
  contextLength,
  progress,
}: {
  readonly model: Model;
  readonly contextLength: number | undefined;
  readonly progress: number | undefined;
}) {
  const labels = texts.chat.model;
  const loaded = isLoaded(model);
  const { data: estimate } = useQuery({
    ...estimateQuery(model.key, contextLength),
    enabled: !loaded,
  });
  const capabilities = [
    model.capabilities?.vision === true && labels.vision,
    model.capabilities?.trained_for_tool_use === true && labels.tools,
    model.capabilities?.reasoning !== undefined && labels.reasoning,
  ].filter((each) => each !== false);
  const memory =
    estimate === undefined || estimate === null
      ? undefined
      : (estimate.fits ? labels.needs : labels.doesNotFit)(formatBytes(estimate.total_bytes));
  const unloaded = progress === undefined ? (memory ?? labels.notLoaded) : labels.loading(progress);
  const state = loaded ? labels.loaded : unloaded;
  return (
    <span className="min-w-0 flex-1">
      <span className="flex items-center gap-2 text-sm font-medium">
        <StateDot isLoaded={loaded} progress={progress} />
        <span className="truncate">{model.display_name}</span>
        <span className="truncate text-xs font-normal text-muted">
          {[model.params_string, model.quantization?.name].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className="mt-0.5 block truncate pl-4 text-xs text-muted">
        {[state, ...capabilities].join(' · ')}
      </span>
    </span>
  );
}

function StateDot({
  isLoaded: loaded,
  progress,
}: {
  readonly isLoaded: boolean;
  readonly progress: number | undefined;
}) {
  if (progress !== undefined && !loaded) {
    return <LoaderCircle size={14} aria-hidden className="shrink-0 animate-spin text-accent" />;
  }
  return (
    <span
      aria-hidden
      className={classNames(
        'size-2 shrink-0 rounded-full',
        loaded ? 'bg-ok' : 'border border-strong-line',
      )}
    />
  );
}
