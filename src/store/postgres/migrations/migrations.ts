import type { Migration } from '../../migrations/migration.ts';
import { initial } from './0001-initial.ts';

/** In order. The version of a schema is the number of migrations applied to it. */
export const postgresMigrations: readonly Migration[] = [initial];
