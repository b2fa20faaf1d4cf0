import { AudioLines } from 'lucide-react';
import { useEffect, useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { showError } from '../../../ui/toasts.ts';

/** The server's limit for a recording. */
const maxSeconds = 600;

interface Recording {
  readonly stop: () => void;
}

/** Records the microphone for a model that supports audio. */
export function RecordButton({ onRecording }: { readonly onRecording: (audio: File) => void }) {
  const [recording, setRecording] = useState<Recording>();
  const [isOpening, setOpening] = useState(false);
  useEffect(() => () => recording?.stop(), [recording]);
  // Browsers only allow microphones over HTTPS and on this machine.
  if (navigator.mediaDevices === undefined) return null;
  const start = async () => {
    setOpening(true);
    try {
      const { record } = await import('./record.ts');
      const { stop, result } = await record();
      setRecording({ stop });
      setOpening(false);
      onRecording(await result);
    } catch {
      showError(new Error(texts.chat.recordingFailed));
    } finally {
      setOpening(false);
      setRecording(undefined);
    }
  };
  const isOn = recording !== undefined;
  return (
    <>
      <IconButton
        icon={AudioLines}
        label={isOn ? texts.chat.stopRecording : texts.chat.record}
        aria-pressed={isOn}
        disabled={isOpening}
        className={isOn ? '!bg-danger-soft !text-danger' : ''}
        onClick={() => (isOn ? recording.stop() : void start())}
      />
      {isOn && <Elapsed onLimit={recording.stop} />}
    </>
  );
}

/** Shows the time since it was mounted. */
function Elapsed({ onLimit }: { readonly onLimit: () => void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const passed = Math.floor((performance.now() - startedAt) / 1000);
      setSeconds(passed);
      if (passed >= maxSeconds) onLimit();
    }, 250);
    return () => clearInterval(timer);
  }, [onLimit]);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <span role="status" className="text-xs text-danger">
      {texts.chat.recording({ time })}
    </span>
  );
}
