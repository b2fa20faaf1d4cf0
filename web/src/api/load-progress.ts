import { useState } from 'react';
import { useServerEvents } from '../../../api/server-events.ts';

/** Progress of the running loads by the id of the instance, 0 to 1. */
export function useLoadProgress(): Readonly<Record<string, number>> {
  const [progress, setProgress] = useState<Readonly<Record<string, number>>>({});
  useServerEvents((event) => {
    if (event.type === 'instance.progress') {
      setProgress((all) => ({ ...all, [event.instance_id]: event.progress }));
    } else if (event.type === 'instance.ready' || event.type === 'instance.failed') {
      const ended = event.instance_id;
      setProgress((all) => Object.fromEntries(Object.entries(all).filter(([id]) => id !== ended)));
    }
  });
  return progress;
}
