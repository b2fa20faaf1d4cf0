import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { modelsQuery, sessionQuery } from '../../api/queries.ts';
import { usePermissions } from '../../api/permissions.ts';
import { compareTexts } from '../../texts/compare.ts';
import { texts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Field, inputClass } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { showError } from '../../ui/toasts.ts';
import { runComparison } from './run-comparison.ts';
import { sideNames, SideView } from './side-view.tsx';
import { idleAnswer, type SideAnswer, type SideSettings } from './side.ts';

const labels = compareTexts;

/** Sends one prompt to two models, or to one model with different settings. */
export function ComparePage() {
  const query = useQuery(modelsQuery);
  const { isSuccess } = useQuery(sessionQuery);
  const isAllowed = usePermissions();
  return (
    <Page title={texts.pages.compare} description={labels.description} isWide>
      {isSuccess && !(isAllowed('chat') && isAllowed('models:write')) ? (
        <Notice tone="warn">{labels.notAllowed}</Notice>
      ) : (
        <QueryView query={query}>
          {({ models }) => {
            const keys = models.filter(({ type }) => type === 'llm').map(({ key }) => key);
            if (keys.length === 0) return <Notice>{labels.noModels}</Notice>;
            return <Comparison models={keys} />;
          }}
        </QueryView>
      )}
    </Page>
  );
}

function Comparison({ models }: { readonly models: readonly string[] }) {
  const [prompt, setPrompt] = useState('');
  const [system, setSystem] = useState('');
  const [sides, setSides] = useState<readonly SideSettings[]>(() =>
    sideNames.map((_, index) => ({
      model: models[index % models.length] ?? '',
      temperature: '',
      maxTokens: '512',
    })),
  );
  const { answers, isRunning, isInTurns, start, stop } = useComparison();
  return (
    <>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (prompt.trim() !== '') void start({ sides, prompt, system });
        }}
      >
        <Field label={labels.prompt}>
          {(attributes) => (
            <textarea
              {...attributes}
              rows={3}
              dir="auto"
              placeholder={labels.placeholder}
              className={inputClass}
              value={prompt}
              onChange={(event) => setPrompt(event.target.value)}
            />
          )}
        </Field>
        <Field label={labels.system}>
          {(attributes) => (
            <input
              {...attributes}
              dir="auto"
              className={inputClass}
              value={system}
              onChange={(event) => setSystem(event.target.value)}
            />
          )}
        </Field>
        <div className="flex gap-2">
          <Button type="submit" variant="primary" disabled={isRunning || prompt.trim() === ''}>
            {labels.run}
          </Button>
          {isRunning && <Button onClick={stop}>{labels.stop}</Button>}
        </div>
      </form>
      {isInTurns && <Notice>{labels.inTurns}</Notice>}
      <div className="grid items-start gap-4 md:grid-cols-2">
        {sides.map((side, index) => (
          <SideView
            key={index}
            side={sideNames[index] ?? 'first'}
            models={models}
            settings={side}
            answer={answers[index] ?? idleAnswer}
            isRunning={isRunning}
            onChange={(changed) => setSides(sides.with(index, changed))}
          />
        ))}
      </div>
    </>
  );
}

interface Asked {
  readonly sides: readonly SideSettings[];
  readonly prompt: string;
  readonly system: string;
}

function useComparison() {
  const [answers, setAnswers] = useState<readonly SideAnswer[]>([]);
  const [isInTurns, setInTurns] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (asked: Asked) => {
    const controller = new AbortController();
    running.current = controller;
    setAnswers(asked.sides.map(() => ({ ...idleAnswer, phase: 'waiting' })));
    setInTurns(false);
    setRunning(true);
    try {
      await runComparison({
        ...asked,
        signal: controller.signal,
        onTurns: () => setInTurns(true),
        change: (side, change) =>
          setAnswers((all) =>
            all.map((answer, index) => (index === side ? change(answer) : answer)),
          ),
      });
    } catch (error) {
      if (!controller.signal.aborted) showError(error);
      setAnswers((all) =>
        all.map((answer) => (answer.phase === 'done' ? answer : { ...answer, phase: 'stopped' })),
      );
    } finally {
      setRunning(false);
    }
  };
  return { answers, isRunning, isInTurns, start, stop: () => running.current?.abort() };
}
