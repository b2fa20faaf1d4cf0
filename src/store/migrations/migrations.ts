import { responsesAndTokens } from './0001-responses-and-tokens.ts';
import { downloads } from './0002-downloads.ts';
import { turnFormat } from './0003-turn-format.ts';
import { toolImages } from './0004-tool-images.ts';
import { conversations } from './0005-conversations.ts';
import { conversationMetadata } from './0006-conversation-metadata.ts';
import { batches } from './0007-batches.ts';
import { shared } from './0008-shared.ts';
import { objects } from './0009-objects.ts';
import type { Migration } from './migration.ts';

/** In order. The version of a schema is the number of migrations applied to it. */
export const migrations: readonly Migration[] = [
  responsesAndTokens,
  downloads,
  turnFormat,
  toolImages,
  conversations,
  conversationMetadata,
  batches,
  shared,
  objects,
];
