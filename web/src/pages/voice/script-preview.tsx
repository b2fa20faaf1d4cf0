import type { UseQueryResult } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SpeechScript } from '../../../../src/speech/script/speech-script.ts';
import { voiceTexts } from '../../texts/voice.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { messageOf } from '../../ui/toasts.ts';
import { countWords, scriptText, turnsOf } from './script-turns.ts';
import { speakerColor } from './speaker-colors.ts';

const labels = voiceTexts;
/** Showing more turns would make typing slow. */
const maxShownTurns = 500;

/** Shows the script with a color per speaker. */
export function ScriptPreview({
  query: { data, error },
  isEmpty,
  children,
}: {
  readonly query: UseQueryResult<SpeechScript>;
  readonly isEmpty: boolean;
  /** Shown after the script. */
  readonly children: ReactNode;
}) {
  const result = isEmpty ? undefined : data;
  return (
    <section
      aria-label={labels.preview}
      className="flex min-h-64 min-w-0 flex-col rounded-2xl border bg-raised lg:sticky lg:top-6"
    >
      <header className="flex items-center gap-2 border-b py-1.5 pe-2 ps-4">
        <h2 className="flex-1 text-sm font-semibold">{labels.preview}</h2>
        {result !== undefined && (
          <>
            <Badge>{labels.detected[result.mode]}</Badge>
            <CopyButton text={() => scriptText(result)} label={labels.copy} />
            <IconButton
              icon={Download}
              size={15}
              label={labels.download}
              onClick={() => save(result)}
            />
          </>
        )}
      </header>
      <div className="flex flex-col gap-3 p-4">
        {error !== null && !isEmpty && <Notice tone="danger">{messageOf(error)}</Notice>}
        {result === undefined ? (
          <p className="text-sm text-muted">{labels.empty}</p>
        ) : (
          <Script result={result} />
        )}
      </div>
      {children}
    </section>
  );
}

function Script({ result }: { readonly result: SpeechScript }) {
  const turns = turnsOf(result);
  return (
    <>
      {result.warnings.length > 0 && (
        <Notice tone="warn">
          {result.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
      <div
        tabIndex={0}
        role="group"
        aria-label={labels.preview}
        className="max-h-[60vh] overflow-y-auto text-[15px] leading-7"
      >
        {turns.slice(0, maxShownTurns).map(({ speaker, text }, index) => (
          <p key={index} dir="auto" className="break-words">
            {speaker !== undefined && (
              <span className={`font-semibold ${speakerColor(speaker)}`}>
                {`${labels.speaker({ number: speaker })}: `}
              </span>
            )}
            {text}
          </p>
        ))}
      </div>
      {turns.length > maxShownTurns && (
        <p className="text-xs text-muted">{labels.shortened({ turns: turns.length })}</p>
      )}
      <p className="text-xs text-muted">
        {labels.count({ turns: turns.length, words: countWords(turns) })}
      </p>
    </>
  );
}

function save(result: SpeechScript): void {
  if (result.output === 'json') saveFile('script.json', scriptText(result), 'application/json');
  else saveFile('script.txt', scriptText(result));
}
