import type { Kysely } from 'kysely';
import type { Logger } from '../kernel/logger.ts';
import { createBatchRepository } from './batches/batch-repository.ts';
import { createFileRepository } from './batches/file-repository.ts';
import {
  createBlobRepository,
  deleteDiscardedObjects,
  createPlaceBlobs,
} from './blobs/blob-repository.ts';
import type { ObjectStorage } from './blobs/object-storage.ts';
import type { ChainReader } from './chain-reader.ts';
import { createConversationRepository } from './conversations/conversation-repository.ts';
import type { SearchBacklog } from './conversations/search-backlog.ts';
import { createDownloadRepository } from './download-repository.ts';
import { createNamedRecordRepository } from './named-record-repository.ts';
import { createOwnerRepository } from './owner-repository.ts';
import { createProjectRepository } from './project-repository.ts';
import { createResponseRepository } from './response-repository.ts';
import type { Schema } from './schema.ts';
import { createBackgroundTurnRepository } from './shared/background-turn-repository.ts';
import type { StoreDialect } from './dialect.ts';
import { createLeaseRepository } from './shared/lease-repository.ts';
import { createRateLimitRepository } from './shared/rate-limit-repository.ts';
import type { Store } from './store.ts';
import { createTokenRepository } from './token-repository.ts';
import { createSessionRepository } from './session-repository.ts';
import { createUsageRepository } from './usage-repository.ts';
import { createToolApprovalRepository } from './tool-approval-repository.ts';
import type { Transactions } from './transactions.ts';
import { createVectorStoreRepository } from './vector-stores/vector-store-repository.ts';

interface RepositoriesOptions {
  readonly database: Kysely<Schema>;
  readonly transactions: Transactions;
  readonly logger: Logger;
  readonly chains: ChainReader;
  readonly dialect: StoreDialect;
  readonly backlog: Pick<SearchBacklog, 'pendingCount'>;
  /** Storage for the images; if undefined, the database keeps them. */
  readonly objects: ObjectStorage | undefined;
  /** The home folder whose downloads are visible; if undefined, all are. */
  readonly homeId?: string | undefined;
  /** Called before each deletion. */
  readonly onDelete: () => void;
}

/** The part of a store that works with any database that Kysely supports. */
export function createRepositories(options: RepositoriesOptions) {
  const { database, transactions, objects, homeId, dialect, onDelete } = options;
  const placeBlobs = createPlaceBlobs(transactions, objects);
  const files = createFileRepository(database, onDelete);
  const leases = createLeaseRepository(database, dialect.clock);
  return {
    responses: createResponseRepository({ ...options, placeBlobs }),
    conversations: createConversationRepository({ ...options, search: dialect.search, placeBlobs }),
    blobs: createBlobRepository(database, objects),
    tokens: createTokenRepository(database),
    sessions: createSessionRepository(database),
    owners: createOwnerRepository({
      database,
      transactions,
      deleteFile: (id) => files.delete(id, ''),
      onChange: onDelete,
    }),
    downloads: createDownloadRepository(database, homeId),
    files,
    batches: createBatchRepository(database, transactions, leases),
    vectorStores: createVectorStoreRepository(database, transactions, onDelete),
    namedRecords: createNamedRecordRepository(database, onDelete),
    projects: createProjectRepository(database, transactions, onDelete),
    leases,
    backgroundTurns: createBackgroundTurnRepository(database),
    rateLimits: createRateLimitRepository(database, dialect.clock),
    usage: createUsageRepository(database, transactions),
    toolApprovals: createToolApprovalRepository(database),
    size: () => dialect.readSize(database),
    deleteDiscardedObjects: async (signal: AbortSignal) =>
      objects === undefined ? 0 : deleteDiscardedObjects(database, objects, signal),
  } satisfies Partial<Store>;
}
