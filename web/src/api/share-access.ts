import { access } from './access.ts';
import { basePath } from './base-path.ts';

type Message = { readonly type: 'ask' } | { readonly type: 'token'; readonly token: string | null };

/**
 * Shares the token with the other tabs of this browser: a new tab asks them for it, and they sign in and out together.
 * Only pages of this origin can read the channel.
 */
export function shareAccess(): void {
  if (!('BroadcastChannel' in globalThis)) return;
  const channel = new BroadcastChannel(`hearth.access${basePath}`);
  let known = access.get().token;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels have none
  const tell = (message: Message) => channel.postMessage(message);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const { token, isTokenNeeded } = access.get();
    if (data.type === 'ask') {
      if (token !== undefined) tell({ type: 'token', token });
    } else if (data.token === null) {
      known = undefined;
      if (token !== undefined) access.signOut();
    } else if (token === undefined || isTokenNeeded) {
      known = data.token;
      access.signIn(data.token, { isRemembered: false });
    }
  });
  access.subscribe(() => {
    const { token, hasEnded } = access.get();
    if (token === known) return;
    known = token;
    // Each tab notices the end of its session itself, and tells so.
    if (!hasEnded) tell({ type: 'token', token: token ?? null });
  });
  if (known === undefined) tell({ type: 'ask' });
}
