import { useQuery } from '@tanstack/react-query';
import { Download, Volume2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { texts } from '../../texts/texts.ts';
import { voiceTexts } from '../../texts/voice.ts';
import { Button } from '../../ui/button.tsx';
import { formatDuration } from '../../ui/duration.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Select } from '../../ui/select.tsx';
import { messageOf } from '../../ui/toasts.ts';
import { speakScript, type Speech, type SpokenPart } from './speak-script.ts';
import { toSpeechRequest, type VoiceForm } from './voice-options.ts';

const labels = voiceTexts.speech;
const speeds = { '0.75': '0.75×', '1': '1×', '1.25': '1.25×', '1.5': '1.5×', '2': '2×' };

/** Speaks the script with the text-to-speech server in the settings, if there is one. */
export function SpeechPanel({ form }: { readonly form: VoiceForm }) {
  const { data: server } = useQuery({
    queryKey: ['speech-server'],
    queryFn: ({ signal }) => call('get', '/api/v1/speech', {}, { signal }),
  });
  if (server === undefined) return null;
  return (
    <section aria-label={labels.title} className="flex flex-col gap-3 border-t p-4">
      {server.upstream === null ? (
        <p className="text-sm text-muted">{labels.notSet}</p>
      ) : (
        <Speaker form={form} />
      )}
    </section>
  );
}

function Speaker({ form }: { readonly form: VoiceForm }) {
  const { start, cancel, part, isSpeaking, speech, error } = useSpeech();
  const [speed, setSpeed] = useState<keyof typeof speeds>('1');
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {isSpeaking ? (
          <Button onClick={cancel}>{texts.app.cancel}</Button>
        ) : (
          <Button
            variant="primary"
            disabled={form.text.trim() === ''}
            onClick={() => void start(toSpeechRequest(form, Number(speed)))}
          >
            <Volume2 size={15} aria-hidden />
            {labels.speak}
          </Button>
        )}
        <Select label={labels.speed} value={speed} options={speeds} onChange={setSpeed} />
      </div>
      {isSpeaking && (
        <>
          <ProgressBar
            label={labels.progress}
            fraction={part === undefined ? undefined : (part.index + 1) / part.count}
          />
          <p role="status" dir="auto" className="truncate text-xs text-muted">
            {part !== undefined && labels.part({ part: part.index + 1, count: part.count })}
          </p>
        </>
      )}
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
      {speech !== undefined && <Player speech={speech} />}
    </>
  );
}

/** Speaks one script at a time. Leaving the page stops it. */
function useSpeech() {
  const [part, setPart] = useState<SpokenPart>();
  const [running, setRunning] = useState<AbortController>();
  const [speech, setSpeech] = useState<Speech>();
  const [error, setError] = useState<string>();
  useEffect(() => () => running?.abort(), [running]);
  const start = async (body: Parameters<typeof speakScript>[0]) => {
    const controller = new AbortController();
    setPart(undefined);
    setSpeech(undefined);
    setError(undefined);
    setRunning(controller);
    try {
      setSpeech(await speakScript(body, { signal: controller.signal, onPart: setPart }));
    } catch (failure) {
      if (!controller.signal.aborted) setError(messageOf(failure));
    }
    setRunning((now) => (now === controller ? undefined : now));
  };
  const cancel = () => running?.abort();
  return { start, cancel, part, isSpeaking: running !== undefined, speech, error };
}

function Player({ speech: { file, seconds } }: { readonly speech: Speech }) {
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(file);
    audio.current?.setAttribute('src', url);
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <audio ref={audio} controls aria-label={labels.player} className="h-10 min-w-0 flex-1">
        <track kind="captions" />
      </audio>
      <Button onClick={() => saveFile('speech.wav', file)}>
        <Download size={15} aria-hidden />
        {labels.download({ duration: formatDuration(seconds) })}
      </Button>
    </div>
  );
}
