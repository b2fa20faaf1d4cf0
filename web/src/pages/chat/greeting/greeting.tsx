import { lazy, Suspense } from 'react';
import { modelName } from '../../../api/model-name.ts';
import { isFirstRun, isStarter } from '../../../downloads/is-first-run.ts';
import type { Model } from '../model/model-queries.ts';
import { isLoaded } from '../model/model-queries.ts';
import { Flame } from '../../../shell/brand.tsx';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { withTexts } from '../../../texts/load-texts.ts';
import { separated } from '../../../ui/separated.ts';

const FirstDownloads = lazy(async () => ({
  default: (await withTexts(['models'], () => import('./first-downloads.tsx'))()).FirstDownloads,
}));

/** Questions that the tiny starter models can answer; they only know English. */
const starterSuggestions = ['Who are you?', 'What is 2 + 2?', 'What is the capital of France?'];

/**
 * Start of a new conversation: the available models, suggestions for a first message, and downloads if the library has
 * only starter models.
 */
export function Greeting({
  models,
  chosen,
  hint,
  onChooseModel,
  onSend,
}: {
  /** Undefined until the server has responded. */
  readonly models: readonly Model[] | undefined;
  readonly chosen: Model | undefined;
  /** Where the conversation is stored, and how long. */
  readonly hint: string;
  readonly onChooseModel: (key: string) => void;
  readonly onSend: (text: string) => void;
}) {
  const { chat } = texts;
  const hasStarter = chosen !== undefined && isStarter(chosen);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-2xl flex-col gap-8 px-5 pt-[8vh] pb-8">
        <header className="text-center">
          <span className="mb-4 flex justify-center">
            <Flame size={44} />
          </span>
          <h1 className="text-2xl font-semibold tracking-tight">{chat.greeting}</h1>
          <p className="mt-1 text-muted">{hint}</p>
        </header>
        {models !== undefined && models.length > 0 && (
          <>
            <ModelChoice models={models} chosen={chosen?.key} onChoose={onChooseModel} />
            <Suggestions
              texts={hasStarter ? starterSuggestions : chat.suggestions}
              onSend={onSend}
            />
          </>
        )}
        {models?.length === 0 && <p className="text-center text-sm text-muted">{chat.noModels}</p>}
        {models !== undefined && isFirstRun(models) && (
          <Suspense>
            <FirstDownloads />
          </Suspense>
        )}
      </div>
    </div>
  );
}

function ModelChoice({
  models,
  chosen,
  onChoose,
}: {
  readonly models: readonly Model[];
  readonly chosen: string | undefined;
  readonly onChoose: (key: string) => void;
}) {
  return (
    <section aria-label={texts.chat.chooseModel}>
      <ul className="grid gap-2 sm:grid-cols-2">
        {models.slice(0, 4).map((model) => (
          <li key={model.key}>
            <button
              type="button"
              aria-pressed={model.key === chosen}
              className={classNames(
                'flex h-full w-full flex-col rounded-xl border bg-raised px-4 py-3 text-start transition-colors hover:bg-hover',
                model.key === chosen && 'border-accent! bg-accent-soft!',
              )}
              onClick={() => onChoose(model.key)}
            >
              <span className="text-sm font-medium">{modelName(model)}</span>
              <span className="text-xs text-muted">{describe(model)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Suggestions({
  texts: suggestions,
  onSend,
}: {
  readonly texts: readonly string[];
  readonly onSend: (text: string) => void;
}) {
  return (
    <ul className="flex flex-wrap justify-center gap-2">
      {suggestions.map((suggestion) => (
        <li key={suggestion}>
          <button
            type="button"
            dir="auto"
            className="rounded-full border px-3.5 py-1.5 text-sm text-muted transition-colors hover:bg-hover hover:text-text"
            onClick={() => onSend(suggestion)}
          >
            {suggestion}
          </button>
        </li>
      ))}
    </ul>
  );
}

function describe(model: Model): string {
  const labels = texts.chat.model;
  return separated([
    model.params_string,
    model.capabilities?.vision === true ? labels.vision : undefined,
    model.capabilities?.reasoning === undefined ? undefined : labels.reasoning,
    model.format === null ? labels.remote : isLoaded(model) ? labels.loaded : labels.notLoaded,
  ]);
}
