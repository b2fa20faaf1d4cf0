import { useState } from 'react';
import { useServerEvents } from './server-events.ts';

/** Progress of the running loads, 0 to 1, by instance id or by model. */
export function useLoadProgress(by: 'instance_id' | 'model'): Readonly<Record<string, number>> {
  const [progress, setProgress] = useState<Readonly<Record<string, number>>>({});
  useServerEvents((event) => {
    if (event.type === 'instance.progress') {
      setProgress((all) => ({ ...all, [event[by]]: event.progress }));
    } else if (event.type === 'instance.ready' || event.type === 'instance.failed') {
      const ended = event[by];
      setProgress((all) => Object.fromEntries(Object.entries(all).filter(([id]) => id !== ended)));
    }
  });
  return progress;
}
