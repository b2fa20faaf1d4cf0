import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useId, useState, type RefObject } from 'react';
import { modelName } from '../../../api/model-name.ts';
import { texts } from '../../../texts/texts.ts';
import { keepInView, moveByArrows } from '../../../ui/arrow-keys.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { classNames } from '../../../ui/class-names.ts';
import { estimateQuery, isLoaded, type Model } from './model-queries.ts';
import { StateDot } from './state-dot.tsx';
import { separated } from '../../../ui/separated.ts';

export interface PickerProps {
  readonly chosen: string | undefined;
  readonly contextLength: number | undefined;
  readonly onChoose: (key: string) => void;
}

interface ListProps extends PickerProps {
  readonly models: readonly Model[];
  /** Progress of loads by model. */
  readonly progress: Readonly<Record<string, number>>;
}

/** The models that can be chosen, below the button that opened the list. */
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
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ModelList({ models, chosen, contextLength, progress, onChoose }: ListProps) {
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
          moveByArrows(event, position, found.length, setActive);
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
            ref={index === position ? keepInView : null}
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
      <p role="status" className={found.length === 0 ? 'px-4 pb-3 text-sm text-muted' : 'sr-only'}>
        {found.length === 0 ? labels.notFound : ''}
      </p>
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
  // Another server has the model in memory.
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
