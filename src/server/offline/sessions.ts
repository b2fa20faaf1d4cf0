import { createSessionService, type SessionService } from '../../access/session-service.ts';
import { OfflineError } from './errors.ts';
import type { OfflineHome } from './offline-home.ts';
import { withStore } from './store.ts';

export { deviceName } from '../../access/device-name.ts';
export type { StoredSession } from '../../store/session-repository.ts';

/** Reads or ends the sessions of the home folder. */
export async function withSessions<Result>(
  home: OfflineHome,
  work: (sessions: SessionService) => Promise<Result>,
): Promise<Result> {
  return withStore(home, ({ store }) =>
    work(createSessionService({ sessions: store.sessions, onTouchError: () => {} })),
  );
}

export function unknownSession(id: string): OfflineError {
  return new OfflineError(`No session has the id "${id}". See \`hearth session ls\`.`);
}
