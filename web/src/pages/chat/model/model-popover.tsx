import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { Check, SlidersHorizontal } from 'lucide-react';
import { lazy, Suspense, useId, useState, type RefObject } from 'react';
import { modelName } from '../../../api/model-name.ts';
import { withTexts } from '../../../texts/load-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { keepInView, moveByArrows } from '../../../ui/arrow-keys.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { classNames } from '../../../ui/class-names.ts';
import { presetsQuery } from '../settings/preset-queries.ts';
import type { Preset } from '../settings/preset-values.ts';
import { estimateQuery, isLoaded, type Model } from './model-queries.ts';
import { StateDot } from './state-dot.tsx';
import { separated } from '../../../ui/separated.ts';

const GetModels = lazy(
  withTexts(['models'], async () => ({ default: (await import('./get-models.tsx')).GetModels })),
);

export interface PickerProps {
  readonly chosen: string | undefined;
  readonly contextLength: number | undefined;
  readonly onChoose: (key: string) => void;
  readonly onPreset: (preset: Preset) => void;
}

interface ListProps extends PickerProps {
  readonly models: readonly Model[];
  /** Progress of loads by model. */
  readonly progress: Readonly<Record<string, number>>;
}

/** A choice in the list: a model, or a preset with its settings. */
interface Option {
  readonly group: string;
  readonly model?: Model;
  readonly preset?: Preset;
}

/** The list of models and presets to choose from, below the button that opened it. */
export function ModelPopover({
  anchor,
  onClose,
  ...props
}: ListProps & {
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}) {
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} sideOffset={6} align="start" className="z-40">
          <Popover.Popup
            finalFocus={anchor}
            aria-label={texts.chat.model.choose}
            className="popup w-[min(26rem,calc(100vw-1.5rem))] overflow-hidden rounded-2xl border bg-raised shadow-pop outline-none"
          >
            <ModelList {...props} />
            <Suspense>
              <GetModels />
            </Suspense>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ModelList({ models, chosen, contextLength, progress, onChoose, onPreset }: ListProps) {
  const { data: presets = [] } = useQuery(presetsQuery);
  const [search, setSearch] = useState('');
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      models.findIndex(({ key }) => key === chosen),
    ),
  );
  const listId = useId();
  const labels = texts.chat.model;
  const isFound = (text: string) => text.toLowerCase().includes(search.trim().toLowerCase());
  const options: readonly Option[] = [
    ...models
      .filter(({ key, display_name: name }) => isFound(`${key} ${name}`))
      .map((model) => ({ group: labels.choose, model })),
    ...presets
      .filter(({ name }) => isFound(name))
      .map((preset) => ({ group: labels.presets, preset })),
  ];
  const choose = ({ model, preset }: Option) => {
    if (preset !== undefined) onPreset(preset);
    else if (model !== undefined) onChoose(model.key);
  };
  const position = Math.min(active, options.length - 1);
  return (
    <>
      <input
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={options.length === 0 ? undefined : `${listId}-${position}`}
        aria-label={labels.search}
        placeholder={labels.search}
        className="w-full border-b bg-transparent px-4 py-3 text-sm outline-none"
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          moveByArrows(event, position, options.length, setActive);
          const option = options[position];
          if (event.key === 'Enter' && option !== undefined) {
            event.preventDefault();
            choose(option);
          }
        }}
      />
      <div
        id={listId}
        role="listbox"
        aria-label={labels.choose}
        className="max-h-[50vh] overflow-y-auto p-1.5"
      >
        {[...new Set(options.map(({ group }) => group))].map((group) => (
          <ul key={group} role="group" aria-label={group}>
            {options.map(
              (option, index) =>
                option.group === group && (
                  <li
                    key={option.model?.key ?? option.preset?.name}
                    ref={index === position ? keepInView : null}
                    id={`${listId}-${index}`}
                    role="option"
                    aria-selected={option.model !== undefined && option.model.key === chosen}
                    className={classNames(
                      'flex cursor-pointer items-start gap-2.5 rounded-xl px-3 py-2',
                      index === position && 'bg-hover',
                    )}
                    onMouseMove={() => setActive(index)}
                    onClick={() => choose(option)}
                  >
                    {option.model !== undefined && (
                      <ModelOption
                        model={option.model}
                        contextLength={contextLength}
                        progress={progress[option.model.key]}
                      />
                    )}
                    {option.preset !== undefined && <PresetOption preset={option.preset} />}
                    {option.model !== undefined && option.model.key === chosen && (
                      <Check size={16} aria-hidden className="mt-1 shrink-0 text-accent" />
                    )}
                  </li>
                ),
            )}
          </ul>
        ))}
      </div>
      <p
        role="status"
        className={options.length === 0 ? 'px-4 pb-3 text-sm text-muted' : 'sr-only'}
      >
        {options.length === 0 ? labels.notFound : ''}
      </p>
    </>
  );
}

function PresetOption({ preset: { name, model } }: { readonly preset: Preset }) {
  return (
    <span className="flex min-w-0 flex-1 items-center gap-2 text-sm font-medium">
      <SlidersHorizontal size={14} aria-hidden className="shrink-0 text-muted" />
      <span dir="auto" className="truncate">
        {name}
      </span>
      <span className="truncate text-xs font-normal text-muted">
        {separated([texts.chat.model.preset, model ?? undefined])}
      </span>
    </span>
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
  // A remote model is in the memory of another server.
  const isRemote = model.format === null;
  const { data: estimate } = useQuery({
    ...estimateQuery(model.key, contextLength),
    enabled: !loaded && !isRemote,
  });
  const capabilities = [
    model.capabilities?.vision === true && labels.vision,
    model.capabilities?.trained_for_tool_use === true && labels.tools,
    model.capabilities?.reasoning !== undefined && labels.reasoning,
  ].filter((each) => each !== false);
  const memory =
    estimate === undefined
      ? undefined
      : (estimate.fits === 'fits' ? labels.needs : labels.doesNotFit)({
          size: formatBytes(estimate.total_bytes),
        });
  const unloaded =
    progress === undefined ? (memory ?? labels.notLoaded) : labels.loading({ progress });
  const state = isRemote ? labels.remote : loaded ? labels.loaded : unloaded;
  return (
    <span className="min-w-0 flex-1">
      <span className="flex items-center gap-2 text-sm font-medium">
        <StateDot isLoaded={loaded} progress={progress} />
        <span className="truncate">{modelName(model)}</span>
        <span className="truncate text-xs font-normal text-muted">
          {separated([model.params_string, model.quantization?.name])}
        </span>
      </span>
      <span className="mt-0.5 block truncate ps-4 text-xs text-muted">
        {separated([state, ...capabilities])}
      </span>
    </span>
  );
}
