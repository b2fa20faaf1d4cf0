import { llamaChat } from './llama-chat.cases.ts';
import { llamaCompletion, llamaContext } from './llama-completion.cases.ts';
import { llamaFormat } from './llama-format.cases.ts';
import type { PeerSuite } from './peer-case.ts';

/** All cases, in the order of `docs/peers.md`. */
export const peerSuites: readonly PeerSuite[] = [
  llamaChat,
  llamaFormat,
  llamaCompletion,
  llamaContext,
];
