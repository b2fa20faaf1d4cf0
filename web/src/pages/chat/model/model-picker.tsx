import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useLoadProgress } from '../../../api/load-progress.ts';
import { modelName } from '../../../api/model-name.ts';
import { modelsQuery } from '../../../api/queries.ts';
import { texts } from '../../../texts/texts.ts';
import type { PickerProps } from './model-popover.tsx';
import { chatModels, isLoaded } from './model-queries.ts';
import { StateDot } from './state-dot.tsx';

const ModelPopover = lazy(async () => ({
  default: (await import('./model-popover.tsx')).ModelPopover,
}));

/**
 * Button that chooses the model of a conversation. The list shows which models are loaded, and the memory that the
 * others need.
 */
export function ModelPicker(props: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  // Pressing the button closes the list before the click event.
  const wasOpen = useRef(false);
  const { data } = useQuery(modelsQuery);
  const current = data?.models.find(({ key }) => key === props.chosen);
  const progress = useLoadProgress('model');
  const loading = props.chosen === undefined ? undefined : progress[props.chosen];
  const labels = texts.chat.model;
  return (
    <>
      <button
        ref={anchor}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`${labels.choose}: ${props.chosen ?? labels.none}`}
        className="flex h-9 min-w-0 items-center gap-2 rounded-lg px-2.5 text-sm font-medium hover:bg-hover"
        onPointerDown={() => {
          wasOpen.current = isOpen;
        }}
        onClick={() => {
          setOpen(!wasOpen.current);
          wasOpen.current = false;
        }}
      >
        <StateDot isLoaded={current !== undefined && isLoaded(current)} progress={loading} />
        <span className="truncate">
          {current === undefined ? (props.chosen ?? labels.choose) : modelName(current)}
        </span>
        {loading !== undefined && (
          <span className="text-xs text-muted tabular-nums">
            {labels.loading({ progress: loading })}
          </span>
        )}
        <ChevronDown size={15} aria-hidden className="shrink-0 text-muted" />
      </button>
      {isOpen && (
        <Suspense>
          <ModelPopover
            {...props}
            anchor={anchor}
            models={chatModels(data?.models ?? [])}
            progress={progress}
            onClose={() => setOpen(false)}
            onChoose={(key) => {
              setOpen(false);
              props.onChoose(key);
            }}
            onPreset={(preset) => {
              setOpen(false);
              props.onPreset(preset);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
