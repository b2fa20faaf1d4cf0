import { useEffect, useEffectEvent } from 'react';
import type { ServerEvent } from '../../../src/api/v1/server/server-event-schema.ts';
import { onLiveEvent } from './live-events.ts';

/** Calls a function for each event of the server while the component is mounted. */
export function useServerEvents(listener: (event: ServerEvent) => void): void {
  const onEvent = useEffectEvent(listener);
  useEffect(
    () =>
      onLiveEvent(({ data }) => {
        const event = parse(data);
        if (event !== undefined) onEvent(event);
      }),
    [],
  );
}

function parse(data: string): ServerEvent | undefined {
  try {
    return JSON.parse(data) as ServerEvent;
  } catch {
    return undefined;
  }
}
