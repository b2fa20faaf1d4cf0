import type { Migration } from '../../migrations/migration.ts';
import { batches } from './0002-batches.ts';
import { initial } from './0001-initial.ts';
import { shared } from './0003-shared.ts';
import { objects } from './0004-objects.ts';

/** In order. The version of a schema is the number of migrations applied to it. */
export const postgresMigrations: readonly Migration[] = [initial, batches, shared, objects];
